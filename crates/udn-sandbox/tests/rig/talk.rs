//! TCP between namespaces, from a port of the caller's choice.
//!
//! Invariant: whoever answers has all callers on the line before the first one is answered.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use udn_lab::namespaces::Namespace;
use udn_lab::wait::wait_for;

use super::LIMIT;

/// A call: what the caller says, from where, and to whom.
pub(crate) struct Call<'a> {
    pub(crate) from: &'a Namespace,
    pub(crate) port: u16,
    pub(crate) word: &'a str,
}

/// Lets all callers be on the line at once; returns what each was answered: its own word, and the
/// address that the callee saw.
pub(crate) fn call_at_once(
    callee: &Namespace,
    address: IpAddr,
    calls: &[Call<'_>],
) -> Vec<(String, IpAddr)> {
    let listener = callee.inside(|| TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0)));
    let listener = listener.expect("the callee can be entered").expect("it can listen");
    let to = SocketAddr::new(address, listener.local_addr().expect("it listens").port());
    let count = calls.len();
    std::thread::scope(|scope| {
        let answers = scope.spawn(move || answer_all(&listener, count));
        let calls: Vec<_> = calls
            .iter()
            .map(|call| scope.spawn(move || call.from.inside(|| speak(to, call.port, call.word))))
            .collect();
        let told = calls.into_iter().map(|call| {
            let entered = call.join().expect("a caller does not panic");
            let answer = entered.expect("the caller can be entered").expect("it is answered");
            let (word, seen) = answer.split_once(' ').expect("two words");
            (word.to_owned(), seen.parse().expect("an address"))
        });
        let told = told.collect();
        answers.join().expect("the callee does not panic").expect("the callee answers");
        told
    })
}

/// Answers each with its own word and its address, once all have spoken.
fn answer_all(listener: &TcpListener, count: usize) -> io::Result<()> {
    let mut lines = Vec::new();
    // Whoever waits for a caller that never comes must not wait for ever.
    listener.set_nonblocking(true)?;
    for _ in 0..count {
        let caller = wait_for("a caller", LIMIT, || listener.accept().ok());
        let (mut stream, from) = caller.map_err(io::Error::other)?;
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(LIMIT))?;
        let mut word = [0; 16];
        let length = stream.read(&mut word)?;
        lines.push((stream, String::from_utf8_lossy(&word[..length]).into_owned(), from));
    }
    for (stream, word, from) in &mut lines {
        write!(stream, "{word} {}", from.ip().to_canonical())?;
    }
    Ok(())
}

fn speak(to: SocketAddr, port: u16, word: &str) -> io::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let talk = async {
        let (socket, any) = match to {
            SocketAddr::V4(_) => (TcpSocket::new_v4()?, IpAddr::from([0; 4])),
            SocketAddr::V6(_) => (TcpSocket::new_v6()?, IpAddr::from([0; 16])),
        };
        socket.bind(SocketAddr::new(any, port))?;
        let mut stream = socket.connect(to).await?;
        stream.write_all(word.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok(answer)
    };
    runtime.block_on(async { tokio::time::timeout(LIMIT, talk).await })?
}

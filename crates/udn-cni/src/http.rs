//! The few lines of HTTP/1.1 that the shim needs: one POST over a unix socket, one answer.
//!
//! Takes a socket and a body; returns the server's [`Response`].
//! Invariant: neither time nor memory is spent beyond [`Limits`], whatever the server does.

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, UnixAddr, connect, setsockopt, socket, sockopt,
};
use nix::sys::time::{TimeVal, TimeValLike};

use crate::error::Code;
use crate::response::{MOST_RESPONSE_BYTES, Response};

pub use self::answer::receive;

mod answer;

/// What one exchange may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From the first byte sent to the last one received.
    pub time: Duration,
    /// Bytes of the answer, with all that HTTP puts around it.
    pub answer: usize,
}

impl Default for Limits {
    // compat: go-controller/pkg/cni, two minutes for a request, as kubelet gives a runtime
    fn default() -> Self {
        Self { time: Duration::from_secs(120), answer: MOST_RESPONSE_BYTES }
    }
}

/// The server could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("cannot connect")]
    Connect { source: io::Error },
    #[error("cannot send the request")]
    Send { source: io::Error },
    #[error("cannot receive the answer")]
    Receive { source: io::Error },
    #[error("no answer within {} s", limit.as_secs_f64())]
    TimedOut { limit: Duration },
    #[error("the connection ended before the answer did")]
    Ended,
    #[error("the answer is larger than {most} bytes")]
    TooLarge { most: usize },
    #[error("the answer is no HTTP: {reason}")]
    Malformed { reason: &'static str },
}

impl HttpError {
    /// What a runtime is to be told; a server that is away comes back.
    pub fn code(&self) -> Code {
        match self {
            Self::Connect { .. }
            | Self::Send { .. }
            | Self::Receive { .. }
            | Self::TimedOut { .. }
            | Self::Ended => Code::TryAgainLater,
            Self::TooLarge { .. } | Self::Malformed { .. } => Code::Undecodable,
        }
    }
}

/// Posts a body to `target` at the server behind the socket.
pub fn post(
    socket: &Path,
    target: &str,
    body: &[u8],
    limits: Limits,
) -> Result<Response, HttpError> {
    let deadline = Instant::now() + limits.time;
    let stream = open(socket, limits.time).map_err(|source| HttpError::Connect { source })?;
    let mut stream = Timed { stream, deadline };
    let sent = send(&mut stream, target, body);
    let answer = receive(&mut stream, limits);
    match (sent, answer) {
        // A server may refuse a request before it has read all of it.
        (_, Ok(answer)) => Ok(answer),
        (Err(source), Err(_)) if !is_timeout(&source) => Err(HttpError::Send { source }),
        (_, Err(error)) => Err(error),
    }
}

/// Connects; a server that takes nobody any more is waited for no longer than that.
fn open(path: &Path, limit: Duration) -> io::Result<UnixStream> {
    let address = UnixAddr::new(path)?;
    let flags = SockFlag::SOCK_CLOEXEC;
    let socket = socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    let milliseconds = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX).max(1);
    setsockopt(&socket, sockopt::SendTimeout, &TimeVal::milliseconds(milliseconds))?;
    connect(socket.as_raw_fd(), &address)?;
    Ok(UnixStream::from(socket))
}

fn send(stream: &mut Timed, target: &str, body: &[u8]) -> io::Result<()> {
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: dummy\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut request = head.into_bytes();
    request.extend_from_slice(body);
    stream.write_all(&request)
}

/// A stream whose every wait ends at one moment.
struct Timed {
    stream: UnixStream,
    deadline: Instant,
}

impl Timed {
    fn remaining(&self) -> io::Result<Duration> {
        let remaining = self.deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(remaining) }
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.remaining()?))?;
        self.stream.read(buffer)
    }
}

impl Write for Timed {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.remaining()?))?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// A unix socket tells the end of its time as "would block".
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

#[cfg(test)]
mod tests;

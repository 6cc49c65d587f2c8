//! Lets programs of our own namespace reach a server that listens in another one.
//!
//! Reads a port of ours and the way into the server's namespace; connections to the port on our
//! loopback address go on to the same port on the loopback address over there.
//! Invariant: a byte is passed on as soon as it is read, and the end of one direction is passed on
//! as such, so that watches and streams behave as without us.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crate::namespaces::Entrance;

#[cfg(test)]
mod tests;

/// A port that is passed on for as long as this value lives; connections end by themselves.
#[derive(Debug)]
pub(crate) struct Forward {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    listener: Option<JoinHandle<()>>,
}

impl Forward {
    /// Begins to pass connections on.
    pub(crate) fn start(address: SocketAddr, entrance: Entrance) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let accept = move || {
            for caller in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::Acquire) {
                    return;
                }
                let entrance = entrance.clone();
                thread::spawn(move || pass_on(&caller, address, &entrance));
            }
        };
        Ok(Self { address, is_over, listener: Some(thread::spawn(accept)) })
    }
}

impl Drop for Forward {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        // It waits for a caller, so we call once more.
        let woken = TcpStream::connect(self.address).is_ok();
        if let Some(listener) = self.listener.take().filter(|_| woken) {
            // A listener that panicked has already said so.
            let _ = listener.join();
        }
    }
}

fn pass_on(caller: &TcpStream, address: SocketAddr, entrance: &Entrance) {
    // A caller for whom nobody is there sees its connection end, as it would without us.
    let Ok(Ok(server)) = entrance.inside(|| TcpStream::connect(address)) else { return };
    for stream in [caller, &server] {
        // Requests are small and answered at once; where this fails they are merely slower.
        let _ = stream.set_nodelay(true);
    }
    thread::scope(|scope| {
        scope.spawn(|| stream_on(caller, &server));
        stream_on(&server, caller);
    });
}

fn stream_on(mut from: &TcpStream, mut to: &TcpStream) {
    let mut buffer = [0; 16 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => {
                // The other direction must not wait for somebody who is gone.
                let _ = from.shutdown(Shutdown::Both);
                break;
            }
            Ok(length) => {
                if to.write_all(&buffer[..length]).is_err() {
                    let _ = from.shutdown(Shutdown::Both);
                    break;
                }
            }
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

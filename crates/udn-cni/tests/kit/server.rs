//! A CNI server of a node that does what a test tells it, on a socket of its own.
//!
//! Reads requests as HTTP; hands their bodies out. Invariant: after a drop nobody listens, and the
//! folder is gone.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use tempfile::TempDir;
use udn_cni::Response;
use udn_cni::response::CODE_HEADER;

/// What is done with a caller who has posted this body.
pub(crate) trait Serve: Fn(&[u8], UnixStream) + Send + Sync + 'static {}
impl<F: Fn(&[u8], UnixStream) + Send + Sync + 'static> Serve for F {}

/// A folder that may have a server in it.
pub(crate) struct Place {
    folder: TempDir,
}

/// A server that runs.
pub(crate) struct Server {
    socket: PathBuf,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("server.sock")
    }

    /// Starts a server here, where none is; one thread for each caller.
    pub(crate) fn start(&self, serve: impl Serve) -> Server {
        let socket = self.socket();
        let listener = UnixListener::bind(&socket).unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let thread = thread::spawn(move || listen(&listener, &seen, &Arc::new(serve)));
        Server { socket, is_over, thread: Some(thread) }
    }

    /// Starts a server that answers everything alike.
    pub(crate) fn answer(&self, response: Response) -> Server {
        self.start(move |_, stream| respond(stream, &response))
    }

    /// A server that crashed: its socket lies there, and nobody listens.
    pub(crate) fn leave_socket(&self) {
        drop(UnixListener::bind(self.socket()).unwrap());
    }

    /// Starts a server that says these bytes to everybody and hangs up.
    pub(crate) fn say(&self, bytes: impl Into<Vec<u8>>) -> Server {
        let bytes = bytes.into();
        self.start(move |_, mut stream| drop(stream.write_all(&bytes)))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        drop(UnixStream::connect(&self.socket));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = std::fs::remove_file(&self.socket);
    }
}

fn listen(listener: &UnixListener, is_over: &AtomicBool, serve: &Arc<impl Serve>) {
    let mut callers = Vec::new();
    for stream in listener.incoming() {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        let serve = Arc::clone(serve);
        callers.push(thread::spawn(move || {
            let stream = stream.unwrap();
            let body = read_body(&stream);
            serve(&body, stream);
        }));
    }
    callers.into_iter().for_each(|caller| drop(caller.join()));
}

fn read_body(stream: &UnixStream) -> Vec<u8> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        if let Some(text) = line.strip_prefix("Content-Length: ") {
            length = text.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    body
}

/// Answers as our own server does.
pub(crate) fn respond(mut stream: UnixStream, response: &Response) {
    let Response { status, code, body } = response;
    let kind = response.content_type();
    let mut head = format!("HTTP/1.1 {status} x\r\nContent-Type: {kind}\r\n");
    if let Some(code) = code {
        head = format!("{head}{CODE_HEADER}: {code}\r\n");
    }
    let length = body.len();
    let _ = write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}");
}

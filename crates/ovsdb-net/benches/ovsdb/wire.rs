//! The baseline: a blocking socket that sends text and only finds where an answer ends.
//!
//! Invariant: nothing is parsed, so no client can be faster over the same socket.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use anyhow::{Result, bail};

/// A bare connection.
pub(crate) struct Wire {
    stream: UnixStream,
    buffer: Vec<u8>,
}

impl Wire {
    pub(crate) fn connect(socket: &Path) -> Result<Self> {
        Ok(Self { stream: UnixStream::connect(socket)?, buffer: vec![0; 1 << 18] })
    }

    /// Sends a request and reads one whole answer; returns how long that was.
    pub(crate) fn call(&mut self, request: &str) -> Result<usize> {
        self.exchange(request, 1)
    }

    /// Sends a request and reads so many whole messages; returns how long they were.
    pub(crate) fn exchange(&mut self, request: &str, mut messages: usize) -> Result<usize> {
        self.stream.write_all(request.as_bytes())?;
        let (mut depth, mut quoted, mut escaped, mut length) = (0_usize, false, false, 0);
        loop {
            let read = self.stream.read(&mut self.buffer)?;
            if read == 0 {
                bail!("the server closed the connection");
            }
            for byte in &self.buffer[..read] {
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if quoted => escaped = true,
                    b'"' => quoted = !quoted,
                    b'{' | b'[' if !quoted => depth += 1,
                    b'}' | b']' if !quoted => {
                        depth -= 1;
                        messages -= usize::from(depth == 0);
                    }
                    _ => {}
                }
            }
            length += read;
            if messages == 0 {
                return Ok(length);
            }
        }
    }
}

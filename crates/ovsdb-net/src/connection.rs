//! Reads and writes one connection at the same time.
//!
//! Invariant: writing never keeps us from reading, so two peers that both have much to say
//! cannot block each other; giving up an exchange half-way loses no byte.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

#[cfg(test)]
mod tests;

/// How much is read at once.
const CHUNK: usize = 128 * 1024;

/// A connection with what was read last and what is still to be written.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    stream: S,
    inbox: Box<[u8]>,
    outbox: Vec<u8>,
    written: usize,
    is_flushed: bool,
}

/// What an exchange achieved.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// This many bytes of [`Connection::inbox`] arrived.
    Received(usize),
    /// Everything to be written has been.
    Sent,
    /// The peer will say nothing more.
    Closed,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub(crate) fn new(stream: S) -> Self {
        let inbox = vec![0; CHUNK].into_boxed_slice();
        Self { stream, inbox, outbox: Vec::new(), written: 0, is_flushed: true }
    }

    /// Whether there is nothing left to write.
    pub(crate) fn is_idle(&self) -> bool {
        self.outbox.is_empty() && self.is_flushed
    }

    /// Gives more to write; only when idle, so that what waits is bounded where it waits.
    pub(crate) fn send(&mut self, bytes: Vec<u8>) {
        debug_assert!(self.is_idle());
        self.is_flushed = bytes.is_empty();
        self.outbox = bytes;
        self.written = 0;
    }

    /// What was sent last, to be filled anew; nothing while it is still being written.
    pub(crate) fn take_spent(&mut self) -> Option<Vec<u8>> {
        self.is_idle().then(|| std::mem::take(&mut self.outbox))
    }

    pub(crate) fn inbox(&self, length: usize) -> &[u8] {
        &self.inbox[..length]
    }

    /// Writes and reads until one of them got somewhere.
    pub(crate) async fn exchange(&mut self) -> io::Result<Progress> {
        poll_fn(|context| {
            if !self.is_idle()
                && let Poll::Ready(outcome) = self.poll_send(context)
            {
                return Poll::Ready(outcome.map(|()| Progress::Sent));
            }
            self.poll_receive(context)
        })
        .await
    }

    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.outbox.len() {
            let rest = &self.outbox[self.written..];
            match std::task::ready!(Pin::new(&mut self.stream).poll_write(context, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.written += count,
            }
        }
        std::task::ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.outbox.clear();
        self.is_flushed = true;
        Poll::Ready(Ok(()))
    }

    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Progress>> {
        let mut buffer = ReadBuf::new(&mut self.inbox);
        std::task::ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
        Poll::Ready(Ok(match buffer.filled().len() {
            0 => Progress::Closed,
            count => Progress::Received(count),
        }))
    }
}

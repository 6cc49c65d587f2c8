//! Cuts a stream of bytes into whole JSON messages.
//!
//! Bytes go in as they arrive, whole messages come out as text still to be parsed.
//! Invariant: every byte is looked at once, however the stream is cut; what is buffered never
//! exceeds one message of the allowed size plus the last bytes pushed.

use std::ops::Range;

use crate::retry::Retry;

#[cfg(test)]
mod tests;

/// A buffer larger than this is given back once it is empty: an initial state is large, the
/// updates that follow are small.
const KEPT_CAPACITY: usize = 256 * 1024;

/// How much a peer may make us hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameLimits {
    /// Bytes in one message.
    pub size: usize,
    /// Objects and arrays inside each other; stays below serde_json's own limit of 128, so that
    /// the parser never meets it.
    pub depth: u32,
}

impl Default for FrameLimits {
    fn default() -> Self {
        Self { size: 1 << 30, depth: 100 }
    }
}

/// The stream cannot be cut any further; the connection is of no more use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("byte {byte:#04x} where a message should begin")]
    Garbage { byte: u8 },
    #[error("a message of more than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("a message nested more than {limit} levels deep")]
    TooDeep { limit: u32 },
}

impl FrameError {
    /// What the caller should do next: the next connection may be better.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Garbage { .. } | Self::TooLarge { .. } | Self::TooDeep { .. } => {
                Retry::AfterBackoff
            }
        }
    }
}

/// Collects bytes and finds where each message ends.
#[derive(Debug)]
pub struct Framer {
    limits: FrameLimits,
    buffer: Vec<u8>,
    /// Where the message being collected begins.
    start: usize,
    /// How far the buffer has been looked at.
    seen: usize,
    depth: u32,
    place: Place,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Structure,
    Text,
    /// After a backslash inside a text.
    Escape,
}

impl Framer {
    pub fn new(limits: FrameLimits) -> Self {
        let place = Place::Structure;
        Self { limits, buffer: Vec::new(), start: 0, seen: 0, depth: 0, place }
    }

    /// Adds bytes as they arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.compact();
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole message, from its opening to its closing brace.
    pub fn next_message(&mut self) -> Result<Option<&[u8]>, FrameError> {
        Ok(self.next_range()?.map(|range| &self.buffer[range]))
    }

    /// How many bytes are held that belong to no message handed out.
    pub fn buffered(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Forgets everything, for a new connection.
    pub fn clear(&mut self) {
        *self = Self::new(self.limits);
    }

    fn next_range(&mut self) -> Result<Option<Range<usize>>, FrameError> {
        if self.depth == 0 && !self.find_start()? {
            self.compact();
            return Ok(None);
        }
        let end = self.find_end()?;
        let reached = end.unwrap_or(self.seen);
        if reached - self.start > self.limits.size {
            return Err(FrameError::TooLarge { limit: self.limits.size });
        }
        let range = end.map(|end| self.start..end);
        if let Some(end) = end {
            self.start = end;
        }
        Ok(range)
    }

    /// Skips white space up to the brace that opens a message.
    fn find_start(&mut self) -> Result<bool, FrameError> {
        let rest = &self.buffer[self.seen..];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let skipped = rest.iter().take_while(|byte| blank(byte)).count();
        let next = rest.get(skipped).copied();
        self.seen += skipped;
        self.start = self.seen;
        match next {
            None => Ok(false),
            Some(b'{') => Ok(true),
            Some(byte) => Err(FrameError::Garbage { byte }),
        }
    }

    /// Looks on until the message closes; remembers where it stopped if it does not.
    fn find_end(&mut self) -> Result<Option<usize>, FrameError> {
        let buffer = &self.buffer[..];
        let mut at = self.seen;
        while at < buffer.len() {
            match self.place {
                Place::Escape => {
                    at += 1;
                    self.place = Place::Text;
                }
                Place::Text => {
                    let Some(stop) = memchr::memchr2(b'"', b'\\', &buffer[at..]) else {
                        at = buffer.len();
                        break;
                    };
                    let ends = buffer[at + stop] == b'"';
                    self.place = if ends { Place::Structure } else { Place::Escape };
                    at += stop + 1;
                }
                Place::Structure => {
                    let byte = buffer[at];
                    at += 1;
                    match byte {
                        b'"' => self.place = Place::Text,
                        b'{' | b'[' if self.depth == self.limits.depth => {
                            return Err(FrameError::TooDeep { limit: self.limits.depth });
                        }
                        b'{' | b'[' => self.depth += 1,
                        b'}' | b']' => {
                            self.depth -= 1;
                            if self.depth == 0 {
                                self.seen = at;
                                return Ok(Some(at));
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        self.seen = at;
        Ok(None)
    }

    /// Moves an unfinished message to the front; happens at most once for each message.
    fn compact(&mut self) {
        if self.start == 0 {
            return;
        }
        self.buffer.drain(..self.start);
        self.seen -= self.start;
        self.start = 0;
        if self.buffer.capacity() > KEPT_CAPACITY && self.buffer.len() <= KEPT_CAPACITY {
            self.buffer.shrink_to(KEPT_CAPACITY);
        }
    }
}

impl Default for Framer {
    fn default() -> Self {
        Self::new(FrameLimits::default())
    }
}

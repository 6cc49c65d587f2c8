//! Reads one HTTP/1.1 answer: with a length, in chunks, or up to the end of the connection.
//!
//! Reads bytes from anything; returns a [`Response`]. Invariant: no more than the limit is read or
//! held, and a length is believed only as far as it stays within it.

use std::io::{self, Read};

use super::{HttpError, Limits, is_timeout};
use crate::response::{CODE_HEADER, Response};

/// How much is asked of the stream at a time.
const PIECE: usize = 8 * 1024;

/// What the head of an answer says about the rest.
struct Head {
    status: u16,
    code: Option<u32>,
    length: Option<usize>,
    is_chunked: bool,
}

/// The answer that a server gives on a stream.
pub fn receive(from: &mut impl Read, limits: Limits) -> Result<Response, HttpError> {
    let mut input = Input { from, limits, bytes: Vec::new(), at: 0 };
    let head = loop {
        let head = input.head()?;
        // What comes before the answer proper says nothing.
        if head.status >= 200 {
            break head;
        }
    };
    let body = match (head.is_chunked, head.length) {
        (true, _) => input.chunks()?,
        (false, Some(length)) => input.take(length)?.to_vec(),
        (false, None) => input.rest()?,
    };
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Response { status: head.status, code: head.code, body })
}

/// What was received and not yet used.
struct Input<'a, R> {
    from: &'a mut R,
    limits: Limits,
    bytes: Vec<u8>,
    at: usize,
}

impl<R: Read> Input<'_, R> {
    fn head(&mut self) -> Result<Head, HttpError> {
        let line = self.line()?;
        let status = status(&line).ok_or(malformed("its first line has no status"))?;
        let mut head = Head { status, code: None, length: None, is_chunked: false };
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok(head);
            }
            head.read(&line)?;
        }
    }

    fn chunks(&mut self) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let size = chunk_size(&line).ok_or(malformed("a chunk has no size"))?;
            if size == 0 {
                while !self.line()?.is_empty() {}
                return Ok(body);
            }
            body.extend_from_slice(self.take(size)?);
            if !self.line()?.is_empty() {
                return Err(malformed("a chunk is longer than its size"));
            }
        }
    }

    fn rest(&mut self) -> Result<Vec<u8>, HttpError> {
        while self.fill()? {}
        Ok(self.bytes.split_off(self.at))
    }

    /// The next line, without its end.
    fn line(&mut self) -> Result<String, HttpError> {
        let mut searched = self.at;
        loop {
            let found = self.bytes[searched..].iter().position(|byte| *byte == b'\n');
            if let Some(found) = found {
                let end = searched + found;
                let line = &self.bytes[self.at..end];
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                let line = String::from_utf8_lossy(line).into_owned();
                self.at = end + 1;
                return Ok(line);
            }
            searched = self.bytes.len();
            self.need_more()?;
        }
    }

    fn take(&mut self, count: usize) -> Result<&[u8], HttpError> {
        if count > self.limits.answer {
            return Err(HttpError::TooLarge { most: self.limits.answer });
        }
        while self.bytes.len() - self.at < count {
            self.need_more()?;
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    fn need_more(&mut self) -> Result<(), HttpError> {
        if self.fill()? { Ok(()) } else { Err(HttpError::Ended) }
    }

    /// Receives a piece that fits; false at the end of the connection.
    fn fill(&mut self) -> Result<bool, HttpError> {
        let room = self.limits.answer - self.bytes.len();
        let mut piece = [0; PIECE];
        let count = loop {
            // One byte more than fits tells a large answer from one that ends there.
            match self.from.read(&mut piece[..room.clamp(1, PIECE)]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_timeout(&error) => {
                    return Err(HttpError::TimedOut { limit: self.limits.time });
                }
                Err(source) => return Err(HttpError::Receive { source }),
                Ok(count) => break count,
            }
        };
        if count > room {
            return Err(HttpError::TooLarge { most: self.limits.answer });
        }
        self.bytes.extend_from_slice(&piece[..count]);
        Ok(count > 0)
    }
}

impl Head {
    fn read(&mut self, line: &str) -> Result<(), HttpError> {
        let (name, value) = line.split_once(':').ok_or(malformed("a header has no colon"))?;
        let value = value.trim();
        if name.eq_ignore_ascii_case(CODE_HEADER) {
            self.code = value.parse().ok();
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            self.is_chunked = value.eq_ignore_ascii_case("chunked");
            if !self.is_chunked {
                return Err(malformed("its transfer encoding is not known"));
            }
        } else if name.eq_ignore_ascii_case("content-length") {
            let length = decimal(value).ok_or(malformed("its length is no number"))?;
            if self.length.replace(length).is_some_and(|before| before != length) {
                return Err(malformed("it has two lengths"));
            }
        }
        Ok(())
    }
}

/// The number in `HTTP/1.1 200 OK`.
fn status(line: &str) -> Option<u16> {
    let mut words = line.split(' ');
    words.next().filter(|protocol| protocol.starts_with("HTTP/1."))?;
    let status = words.next().filter(|text| text.len() == 3)?;
    decimal(status).and_then(|number| u16::try_from(number).ok()).filter(|it| *it >= 100)
}

fn decimal(text: &str) -> Option<usize> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

/// The size before a chunk; what may follow a `;` says nothing.
fn chunk_size(line: &str) -> Option<usize> {
    let text = line.split(';').next()?.trim_end();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    usize::from_str_radix(text, 16).ok().filter(|_| is_plain)
}

fn malformed(reason: &'static str) -> HttpError {
    HttpError::Malformed { reason }
}

#[cfg(test)]
mod tests;

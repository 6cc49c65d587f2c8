//! Netlink by hand, for the families that no crate of ours can write: ethtool, nf_tables and conntrack.
//!
//! Reads attributes; returns what the kernel answered.
//! Invariant: an answer of the kernel, whatever bytes it has, is a value or an error, never a panic.

use std::io;

use rtnetlink::sys::{Socket, SocketAddr};

#[cfg(test)]
mod tests;

// compat: include/uapi/linux/netlink.h
const REQUEST: u16 = 0x1;
const ACKNOWLEDGE: u16 = 0x4;
const LIST: u16 = 0x300;
const ERROR: u16 = 0x2;
const DONE: u16 = 0x3;
const NESTED: u16 = 0x8000;
/// The length of a message's header.
const HEADER: usize = 16;

/// Attributes, as they stand in a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Attributes(Vec<u8>);

impl Attributes {
    pub(super) fn bytes(mut self, kind: u16, value: &[u8]) -> Self {
        let length = u16::try_from(value.len() + 4).expect("our attributes are short");
        self.0.extend(length.to_ne_bytes());
        self.0.extend(kind.to_ne_bytes());
        self.0.extend(value);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    /// A text with the zero byte that ends it.
    pub(super) fn text(self, kind: u16, value: &str) -> Self {
        self.bytes(kind, &[value.as_bytes(), &[0]].concat())
    }

    /// A number as nf_tables wants it.
    pub(super) fn number(self, kind: u16, value: u32) -> Self {
        self.bytes(kind, &value.to_be_bytes())
    }

    pub(super) fn nest(self, kind: u16, inner: &Self) -> Self {
        self.nested_bytes(kind, &inner.0)
    }

    #[cfg(test)]
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The same with attributes as the kernel told them.
    pub(super) fn nested_bytes(self, kind: u16, inner: &[u8]) -> Self {
        self.bytes(kind | NESTED, inner)
    }
}

/// One question to the kernel.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) kind: u16,
    /// Besides that it is a question, which each is.
    pub(super) flags: u16,
    pub(super) is_acknowledged: bool,
    /// What its family has before the attributes.
    pub(super) header: [u8; 4],
    pub(super) attributes: Attributes,
}

impl Message {
    fn write(&self, sequence: u32, buffer: &mut Vec<u8>) {
        let length = HEADER + self.header.len() + self.attributes.0.len();
        let acknowledge = if self.is_acknowledged { ACKNOWLEDGE } else { 0 };
        buffer.extend(u32::try_from(length).expect("our messages are short").to_ne_bytes());
        buffer.extend(self.kind.to_ne_bytes());
        buffer.extend((self.flags | REQUEST | acknowledge).to_ne_bytes());
        buffer.extend(sequence.to_ne_bytes());
        buffer.extend(0_u32.to_ne_bytes());
        buffer.extend(self.header);
        buffer.extend(&self.attributes.0);
    }
}

/// Sends messages at once, and waits until the kernel has answered all that are acknowledged.
///
/// Returns the body of the last answer that is no acknowledgement.
pub(super) fn ask(protocol: isize, messages: &[Message]) -> io::Result<Vec<u8>> {
    let socket = open(protocol)?;
    let mut buffer = Vec::new();
    for (message, sequence) in messages.iter().zip(1..) {
        message.write(sequence, &mut buffer);
    }
    socket.send(&buffer, 0)?;
    let mut awaited = messages.iter().filter(|message| message.is_acknowledged).count();
    let mut body = Vec::new();
    while awaited > 0 {
        let (answers, _) = socket.recv_from_full()?;
        for answer in Answers(&answers) {
            match answer? {
                Answer::Acknowledged => awaited = awaited.saturating_sub(1),
                Answer::Body(bytes) => body = bytes.to_vec(),
                Answer::Done => {}
            }
        }
    }
    Ok(body)
}

/// Asks for a list; returns what is taken of its entries.
pub(super) fn list<T>(
    protocol: isize,
    message: &Message,
    mut take: impl FnMut(&[u8]) -> Option<T>,
) -> io::Result<Vec<T>> {
    let socket = open(protocol)?;
    let (mut buffer, mut taken) = (Vec::new(), Vec::new());
    let flags = message.flags | LIST;
    Message { flags, ..message.clone() }.write(1, &mut buffer);
    socket.send(&buffer, 0)?;
    loop {
        let (answers, _) = socket.recv_from_full()?;
        for answer in Answers(&answers) {
            match answer? {
                Answer::Body(bytes) => taken.extend(take(bytes)),
                Answer::Acknowledged | Answer::Done => return Ok(taken),
            }
        }
    }
}

fn open(protocol: isize) -> io::Result<Socket> {
    let mut socket = Socket::new(protocol)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    Ok(socket)
}

/// One answer of the kernel.
#[derive(Debug, PartialEq, Eq)]
enum Answer<'a> {
    Acknowledged,
    /// A list has ended.
    Done,
    Body(&'a [u8]),
}

/// The answers in what was received at once.
struct Answers<'a>(&'a [u8]);

impl<'a> Iterator for Answers<'a> {
    type Item = io::Result<Answer<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let Some((kind, body, rest)) = split(self.0) else {
            self.0 = &[];
            let message = "the kernel's answer is cut off";
            return Some(Err(io::Error::new(io::ErrorKind::InvalidData, message)));
        };
        self.0 = rest;
        Some(match kind {
            ERROR => match body.first_chunk().map(|code| i32::from_ne_bytes(*code)) {
                Some(0) => Ok(Answer::Acknowledged),
                code => Err(io::Error::from_raw_os_error(code.map_or(0, i32::wrapping_neg))),
            },
            DONE => Ok(Answer::Done),
            _ => Ok(Answer::Body(body)),
        })
    }
}

/// The messages in what was received at once, by kind and body; nothing follows one that is cut off.
pub(super) fn each_message(mut rest: &[u8]) -> impl Iterator<Item = Option<(u16, &[u8])>> {
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let message = split(rest);
        rest = message.map(|(_, _, rest)| rest).unwrap_or_default();
        Some(message.map(|(kind, body, _)| (kind, body)))
    })
}

/// The kind and the body of the first message, and what follows it.
fn split(bytes: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let length = usize::try_from(u32::from_ne_bytes(*bytes.first_chunk()?)).ok()?;
    let kind = u16::from_ne_bytes(*bytes.get(4..6)?.first_chunk()?);
    let body = bytes.get(HEADER..length)?;
    let rest = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    Some((kind, body, rest))
}

/// The value of an attribute in the attributes of an answer.
pub(super) fn attribute(attributes: &[u8], wanted: u16) -> Option<&[u8]> {
    each(attributes).find(|(kind, _)| kind & !NESTED == wanted).map(|(_, value)| value)
}

/// The values of all attributes of a kind.
pub(super) fn attributes(all: &[u8], wanted: u16) -> impl Iterator<Item = &[u8]> + Clone {
    each(all).filter(move |(kind, _)| kind & !NESTED == wanted).map(|(_, value)| value)
}

/// The attributes as far as they can be read; the kind of one that holds others may say so.
fn each(mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> + Clone {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(*rest.first_chunk()?));
        let kind = u16::from_ne_bytes(*rest.get(2..4)?.first_chunk()?);
        let value = rest.get(4..length)?;
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

/// Whether what the kernel tells holds all that was sent: of each kind as many, in the same order.
pub(super) fn holds(told: &[u8], Attributes(sent): &Attributes) -> bool {
    all_hold(told, sent)
}

fn all_hold(told: &[u8], sent: &[u8]) -> bool {
    each(sent).all(|(kind, _)| {
        let of_kind = |it: &(u16, &[u8])| it.0 & !NESTED == kind & !NESTED;
        let (one, other) = (each(told).filter(of_kind), each(sent).filter(of_kind));
        one.clone().count() == other.clone().count()
            && one.zip(other).all(|((_, told), (kind, sent))| match kind & NESTED {
                0 => told == sent,
                _ => all_hold(told, sent),
            })
    })
}

//! Changes and reads the guards' flows over a connection of our own, which takes a thousandth of a program's
//! start; once it stands, the switch answers a round of its own work earlier.
//!
//! Reads flows that drop packets; returns after the switch has put all of them in place.
//! Invariant: whatever a switch answers is a value or an error, never a panic, and never unbounded.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;
use udn_host::guard::{GUARD_COOKIE, GUARD_PRIORITY};
use udn_model::MacAddress;

#[cfg(test)]
mod tests;

/// How long a switch may take: it answers between two rounds of its own work.
const LIMIT: Duration = Duration::from_secs(30);

// compat: OpenFlow Switch Specification 1.5.1, section 7
const VERSION: u8 = 6;
const HELLO: u8 = 0;
const ERROR: u8 = 1;
const ECHO_REQUEST: u8 = 2;
const ECHO_REPLY: u8 = 3;
const FLOW_CHANGE: u8 = 14;
const MULTIPART_REQUEST: u8 = 18;
const MULTIPART_REPLY: u8 = 19;
const BARRIER_REQUEST: u8 = 20;
const BARRIER_REPLY: u8 = 21;
const HEADER: usize = 8;
/// The multipart messages that are about flows.
const FLOWS: u16 = 1;
/// What a flow has before its matches.
const FLOW_HEADER: usize = 24;
/// The field of a match that is the sender's MAC, with its class before it.
const SENDER: [u8; 4] = [0x80, 0, 4 << 1, 6];
/// How much a switch may answer; a flow of a guard takes a hundred bytes.
const MOST_BYTES: usize = 16 << 20;
/// Nobody's buffer, port or group.
const NONE: u32 = 0xffff_ffff;

/// What becomes of the flow that guards a MAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    Added(MacAddress),
    Removed(MacAddress),
}

/// A connection to a bridge.
#[derive(Debug)]
pub(super) struct Connection(pub(super) UnixStream);

impl Connection {
    /// Connects; `socket` is where the bridge listens.
    pub(super) async fn open(socket: &Path) -> io::Result<Self> {
        let mut stream = UnixStream::connect(socket).await?;
        stream.write_all(&message(HELLO, &[])).await?;
        Ok(Self(stream))
    }

    /// Has the bridge follow requests; returns what it answers once it has done all of them.
    ///
    /// A connection is of no use any more after a failure, or if nobody waits for the end.
    pub(super) async fn ask(&mut self, requests: &Requests) -> io::Result<Vec<Vec<u8>>> {
        let work = async {
            let barrier = message(BARRIER_REQUEST, &[]);
            self.0.write_all(&[&requests.0[..], &barrier].concat()).await?;
            let (mut answers, mut bytes) = (Vec::new(), 0);
            loop {
                let (kind, body) = receive(&mut self.0).await?;
                bytes += body.len();
                if bytes > MOST_BYTES {
                    return Err(io::Error::other("the switch has no end of answers"));
                }
                match kind {
                    BARRIER_REPLY => return Ok(answers),
                    MULTIPART_REPLY => answers.push(body),
                    ERROR => return Err(refusal(&body)),
                    ECHO_REQUEST => self.0.write_all(&message(ECHO_REPLY, &body)).await?,
                    // What else a switch tells by itself is for others.
                    _ => {}
                }
            }
        };
        timeout(LIMIT, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// What a bridge is to do, as messages.
#[derive(Debug)]
pub(super) struct Requests(pub(super) Vec<u8>);

impl Requests {
    /// To change its guards.
    pub(super) fn change(guards: &[Guard]) -> Self {
        Self(guards.iter().flat_map(|guard| guard.to_message()).collect())
    }

    /// To tell its guards.
    pub(super) fn list() -> Self {
        let mut body = Vec::with_capacity(48);
        body.extend(FLOWS.to_be_bytes());
        body.extend([0; 6]);
        // Of all tables.
        body.extend([0xff, 0, 0, 0]);
        for nobody in [NONE; 2] {
            body.extend(nobody.to_be_bytes());
        }
        body.extend([0; 4]);
        body.extend(GUARD_COOKIE.to_be_bytes());
        body.extend(u64::MAX.to_be_bytes());
        // Whatever they match.
        body.extend([0, 1, 0, 4, 0, 0, 0, 0]);
        Self(message(MULTIPART_REQUEST, &body))
    }
}

/// The MACs that are guarded, by what a switch told of its guards.
pub(super) fn guarded(answers: &[Vec<u8>]) -> BTreeSet<MacAddress> {
    answers.iter().flat_map(|body| Flows(body.get(HEADER..).unwrap_or_default())).collect()
}

/// The senders whom the flows of an answer are about.
struct Flows<'a>(&'a [u8]);

impl Iterator for Flows<'_> {
    type Item = MacAddress;

    fn next(&mut self) -> Option<MacAddress> {
        loop {
            let length = usize::from(u16::from_be_bytes(*self.0.first_chunk()?));
            let flow = self.0.get(..length)?;
            // A flow without a length would be told for ever.
            let matches = flow.get(FLOW_HEADER..)?;
            self.0 = &self.0[length..];
            if let Some(mac) = sender(matches) {
                return Some(mac);
            }
        }
    }
}

/// The sender's MAC that a flow matches.
fn sender(matches: &[u8]) -> Option<MacAddress> {
    let length = usize::from(u16::from_be_bytes(*matches.get(2..4)?.first_chunk()?));
    let mut fields = matches.get(4..length)?;
    loop {
        let field: [u8; 4] = *fields.first_chunk()?;
        let value = fields.get(4..4 + usize::from(field[3]))?;
        if field == SENDER {
            return Some(MacAddress::new(*value.first_chunk()?));
        }
        fields = &fields[4 + value.len()..];
    }
}

/// The kind and the body of the next message.
async fn receive(stream: &mut UnixStream) -> io::Result<(u8, Vec<u8>)> {
    let mut header = [0; HEADER];
    stream.read_exact(&mut header).await?;
    let [_, kind, high, low, ..] = header;
    let length = usize::from(u16::from_be_bytes([high, low]));
    let too_short = || io::Error::new(io::ErrorKind::InvalidData, "a message without a header");
    let mut body = vec![0; length.checked_sub(HEADER).ok_or_else(too_short)?];
    stream.read_exact(&mut body).await?;
    Ok((kind, body))
}

fn refusal(body: &[u8]) -> io::Error {
    let number = |at: usize| body.get(at..at + 2).map(|it| u16::from_be_bytes([it[0], it[1]]));
    let text = match (number(0), number(2)) {
        (Some(kind), Some(code)) => format!("the switch refused a flow, type {kind} code {code}"),
        (_, _) => "the switch refused a flow".to_owned(),
    };
    io::Error::other(text)
}

pub(super) fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(HEADER + body.len()).expect("our messages are short");
    let [high, low] = length.to_be_bytes();
    [&[VERSION, kind, high, low, 0, 0, 0, 0], body].concat()
}

impl Guard {
    fn to_message(self) -> Vec<u8> {
        let (command, mac) = match self {
            Self::Added(mac) => (0, mac),
            // The one with exactly these matches.
            Self::Removed(mac) => (4, mac),
        };
        let mut body = Vec::with_capacity(96);
        body.extend(GUARD_COOKIE.to_be_bytes());
        body.extend([0; 8]);
        body.extend([0, command]);
        body.extend([0; 4]);
        body.extend(GUARD_PRIORITY.to_be_bytes());
        for nobody in [NONE; 3] {
            body.extend(nobody.to_be_bytes());
        }
        body.extend([0; 4]);
        body.extend(matches(mac));
        // No instructions: what matches is dropped.
        message(FLOW_CHANGE, &body)
    }
}

/// The router advertisements that come from a MAC.
fn matches(mac: MacAddress) -> Vec<u8> {
    let mut fields = Vec::new();
    let mut field = |number: u8, value: &[u8]| {
        let length = u8::try_from(value.len()).expect("a field is short");
        fields.extend([0x80, 0, number << 1, length]);
        fields.extend(value);
    };
    // compat: section 7.2.3, OFPXMT_OFB_ETH_SRC, _ETH_TYPE, _IP_PROTO and _ICMPV6_TYPE
    field(4, &mac.octets());
    field(5, &0x86dd_u16.to_be_bytes());
    field(10, &[58]);
    field(29, &[134]);
    let length = u16::try_from(4 + fields.len()).expect("the fields are short");
    let mut matches = [&1_u16.to_be_bytes(), &length.to_be_bytes(), fields.as_slice()].concat();
    matches.resize(matches.len().next_multiple_of(8), 0);
    matches
}

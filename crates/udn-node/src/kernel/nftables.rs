//! Messages of nf_tables, as netlink carries them: what is changed at once, and what rules are made of.
//!
//! Reads names and values; returns attributes, and what the kernel said.
//! Invariant: it acts in the network namespace that the thread is in, and what is sent at once comes to be as
//! a whole or not at all.

use std::io;

use nix::libc;
use rtnetlink::sys::protocols::NETLINK_NETFILTER;

use super::netlink::{Attributes, Message, ask, list};

// compat: include/uapi/linux/netfilter/nfnetlink.h and nf_tables.h
pub(super) const SUBSYSTEM: u16 = 10;
const BEGIN: u16 = 0x10;
const END: u16 = 0x11;

pub(super) const NEW_TABLE: u16 = 0;
pub(super) const GET_TABLE: u16 = 1;
pub(super) const DELETE_TABLE: u16 = 2;
pub(super) const NEW_CHAIN: u16 = 3;
pub(super) const GET_CHAIN: u16 = 4;
pub(super) const DELETE_CHAIN: u16 = 5;
pub(super) const NEW_RULE: u16 = 6;
pub(super) const GET_RULE: u16 = 7;
pub(super) const DELETE_RULE: u16 = 8;
pub(super) const NEW_SET: u16 = 9;
pub(super) const GET_SET: u16 = 10;
pub(super) const DELETE_SET: u16 = 11;
pub(super) const NEW_ELEMENTS: u16 = 12;
pub(super) const GET_ELEMENTS: u16 = 13;
pub(super) const DELETE_ELEMENTS: u16 = 14;

/// The family of links.
pub(super) const LINKS: u8 = 5;
/// The family of both versions of IP.
pub(super) const INET: u8 = 1;

pub(super) const CREATE: u16 = 0x400;
pub(super) const EXCLUSIVE: u16 = 0x200;
pub(super) const APPEND: u16 = 0x800;

/// What stands before the attributes of each answer: family, version, and a number.
pub(super) const HEADER: usize = 4;

pub(super) const DROP: u32 = 0;
pub(super) const ACCEPT: u32 = 1;
pub(super) const EQUAL: u32 = 0;
pub(super) const DIFFERENT: u32 = 1;
/// The register into which what is compared at once is loaded.
pub(super) const FIRST: u32 = 1;

/// One change: what kind, its flags, and what it says.
pub(super) type Change = (u16, u16, Attributes);

/// Where in a packet a value stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field {
    /// What the kernel knows of the packet.
    Known { key: u32 },
    /// Some bytes of a header.
    Payload { base: u32, offset: u32, length: u32 },
    /// The control group of the program that sends it, or that group's ancestor on a level.
    Group { level: u32 },
}

/// Makes all changes at once.
pub(super) fn change(family: u8, changes: impl IntoIterator<Item = Change>) -> io::Result<()> {
    let changes = changes.into_iter().map(|(kind, flags, attributes)| Message {
        kind: (SUBSYSTEM << 8) | kind,
        flags,
        is_acknowledged: true,
        header: [family, 0, 0, 0],
        attributes,
    });
    let messages: Vec<Message> =
        [edge(BEGIN)].into_iter().chain(changes).chain([edge(END)]).collect();
    ask(NETLINK_NETFILTER, &messages).map(drop)
}

/// One object, as attributes; `None` if it is not there.
pub(super) fn find(family: u8, kind: u16, attributes: Attributes) -> io::Result<Option<Vec<u8>>> {
    match ask(NETLINK_NETFILTER, &[question(family, kind, true, attributes)]) {
        Ok(body) => Ok(Some(body.get(HEADER..).unwrap_or_default().to_vec())),
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What is taken of objects, each told as attributes.
pub(super) fn all<T>(
    family: u8,
    kind: u16,
    attributes: Attributes,
    mut take: impl FnMut(&[u8]) -> Option<T>,
) -> io::Result<Vec<T>> {
    let question = question(family, kind, false, attributes);
    list(NETLINK_NETFILTER, &question, |body| take(body.get(HEADER..)?))
}

/// Whether an error says that the kernel has no such filters.
pub(super) fn is_unknown(error: &io::Error) -> bool {
    let unknown =
        [libc::ENOENT, libc::EOPNOTSUPP, libc::EPROTONOSUPPORT, libc::EAFNOSUPPORT].map(Some);
    unknown.contains(&error.raw_os_error())
}

/// The first or the last message of what is changed at once.
fn edge(kind: u16) -> Message {
    let [high, low] = SUBSYSTEM.to_be_bytes();
    let header = [0, 0, high, low];
    Message { kind, flags: 0, is_acknowledged: false, header, attributes: Attributes::default() }
}

fn question(family: u8, kind: u16, is_acknowledged: bool, attributes: Attributes) -> Message {
    let (kind, header) = ((SUBSYSTEM << 8) | kind, [family, 0, 0, 0]);
    Message { kind, flags: 0, is_acknowledged, header, attributes }
}

/// What a rule does, one thing after the other, until one says no.
#[derive(Debug, Clone, Default)]
pub(super) struct Expressions(Attributes);

impl Expressions {
    /// Loads a field into a register.
    pub(super) fn load(self, field: Field, register: u32) -> Self {
        let into = Attributes::default().number(1, register);
        match field {
            Field::Known { key } => self.then("meta", &into.number(2, key)),
            Field::Payload { base, offset, length } => {
                let content = into.number(2, base).number(3, offset).number(4, length);
                self.then("payload", &content)
            }
            Field::Group { level } => {
                const GROUP: u32 = 3;
                let content = Attributes::default().number(1, GROUP).number(2, register);
                self.then("socket", &content.number(3, level))
            }
        }
    }

    /// Goes on if what was loaded first stands so to a value.
    pub(super) fn compare(self, relation: u32, value: &[u8]) -> Self {
        let value = Attributes::default().bytes(1, value);
        let content = Attributes::default().number(1, FIRST).number(2, relation);
        self.then("cmp", &content.nest(3, &value))
    }

    /// Goes on if what was loaded is in a set.
    pub(super) fn look_up(self, set: &str) -> Self {
        self.then("lookup", &Attributes::default().text(1, set).number(2, FIRST))
    }

    /// Ends with a verdict.
    pub(super) fn end(self, verdict: u32) -> Attributes {
        let verdict = Attributes::default().number(1, verdict);
        let verdict = Attributes::default().nest(2, &verdict);
        self.then("immediate", &Attributes::default().number(1, 0).nest(2, &verdict)).0
    }

    fn then(self, name: &str, content: &Attributes) -> Self {
        Self(self.0.nest(1, &Attributes::default().text(1, name).nest(2, content)))
    }
}

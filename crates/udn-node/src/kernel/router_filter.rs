//! Keeps router advertisements from a pod, unless its own gateway sends them or takes one back.
//!
//! Invariant: it acts in the namespace that the thread is in, and replaces its table as a whole.

use std::io;
use std::net::Ipv6Addr;

use nix::libc;
use rtnetlink::sys::protocols::NETLINK_NETFILTER;

use super::KernelError;
use super::netlink::{Attributes, Message, ask};

// compat: pkg/cni/helper_linux.go, setupIngressFilter
const TABLE: &str = "ingress_filter";
const CHAIN: &str = "input";

// compat: include/uapi/linux/netfilter/nfnetlink.h and nf_tables.h
const SUBSYSTEM: u16 = 10;
const BEGIN: u16 = 0x10;
const END: u16 = 0x11;
const NEW_TABLE: u16 = 0;
const DELETE_TABLE: u16 = 2;
const NEW_CHAIN: u16 = 3;
const NEW_RULE: u16 = 6;
/// The family of links.
const FAMILY: u8 = 5;
const CREATE: u16 = 0x400;
const EXCLUSIVE: u16 = 0x200;
const APPEND: u16 = 0x800;

const ETHERTYPE_IPV6: u16 = 0x86dd;
const ICMPV6: u8 = 58;
const ADVERTISEMENT: u8 = 134;

/// Where in a packet a value stands.
#[derive(Debug, Clone, Copy)]
enum Field {
    /// What the kernel knows of the packet.
    Known { key: u32 },
    /// Some bytes of a header.
    Payload { base: u32, offset: u32, length: u32 },
}

const PROTOCOL: Field = Field::Known { key: 1 };
const TRANSPORT: Field = Field::Known { key: 16 };
const SOURCE: Field = Field::Payload { base: 1, offset: 8, length: 16 };
const MESSAGE_TYPE: Field = Field::Payload { base: 2, offset: 0, length: 1 };
/// How long the router is to be one; zero takes back what was said before.
const LIFETIME: Field = Field::Payload { base: 2, offset: 6, length: 2 };

const EQUAL: u32 = 0;
const DIFFERENT: u32 = 1;

/// Lets a link hear the router advertisements of one router alone.
pub(super) fn apply(interface: &str, router: Ipv6Addr) -> Result<(), KernelError> {
    let table = Attributes::default().text(1, TABLE);
    let content = [
        change(NEW_CHAIN, CREATE, chain(interface)),
        change(NEW_RULE, CREATE | APPEND, rule(router)),
    ];
    let begin = [edge(BEGIN), change(NEW_TABLE, CREATE | EXCLUSIVE, table.clone())];
    let fresh = [&begin[..], &content, &[edge(END)]].concat();
    let done = match ask(NETLINK_NETFILTER, &fresh) {
        // What stands is replaced at once; the kernel takes its time for that.
        Err(error) if error.raw_os_error() == Some(libc::EEXIST) => {
            let begin = [
                edge(BEGIN),
                change(DELETE_TABLE, 0, table.clone()),
                change(NEW_TABLE, CREATE, table),
            ];
            ask(NETLINK_NETFILTER, &[&begin[..], &content, &[edge(END)]].concat())
        }
        done => done,
    };
    let interface = || interface.to_owned();
    done.map(drop).map_err(|source| KernelError::RouterFilter { interface: interface(), source })
}

/// Takes the filter away, if it is there.
pub(super) fn remove() -> io::Result<()> {
    let table = Attributes::default().text(1, TABLE);
    let messages = [
        edge(BEGIN),
        change(NEW_TABLE, CREATE, table.clone()),
        change(DELETE_TABLE, 0, table),
        edge(END),
    ];
    ask(NETLINK_NETFILTER, &messages).map(drop)
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

fn change(kind: u16, flags: u16, attributes: Attributes) -> Message {
    let kind = (SUBSYSTEM << 8) | kind;
    Message { kind, flags, is_acknowledged: true, header: [FAMILY, 0, 0, 0], attributes }
}

/// A chain that sees what comes in through the link, before anybody else.
fn chain(interface: &str) -> Attributes {
    let hook = Attributes::default().number(1, 0).number(2, 0).text(3, interface);
    let chain = Attributes::default().text(1, TABLE).text(3, CHAIN);
    chain.nest(4, &hook).text(7, "filter")
}

fn rule(router: Ipv6Addr) -> Attributes {
    let mut expressions = Attributes::default();
    for (field, relation, value) in [
        (PROTOCOL, EQUAL, &ETHERTYPE_IPV6.to_be_bytes()[..]),
        (TRANSPORT, EQUAL, &[ICMPV6]),
        (MESSAGE_TYPE, EQUAL, &[ADVERTISEMENT]),
        (SOURCE, DIFFERENT, &router.octets()),
        (LIFETIME, DIFFERENT, &[0, 0]),
    ] {
        expressions = element(expressions, field.name(), &field.load());
        expressions = element(expressions, "cmp", &compare(relation, value));
    }
    let verdict = Attributes::default().number(1, 0);
    let verdict = Attributes::default().nest(2, &verdict);
    let drop = Attributes::default().number(1, 0).nest(2, &verdict);
    let expressions = element(expressions, "immediate", &drop);
    Attributes::default().text(1, TABLE).text(2, CHAIN).nest(4, &expressions)
}

fn element(all: Attributes, name: &str, content: &Attributes) -> Attributes {
    all.nest(1, &Attributes::default().text(1, name).nest(2, content))
}

/// Compares what was loaded before.
fn compare(relation: u32, value: &[u8]) -> Attributes {
    let value = Attributes::default().bytes(1, value);
    Attributes::default().number(1, 1).number(2, relation).nest(3, &value)
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Self::Known { .. } => "meta",
            Self::Payload { .. } => "payload",
        }
    }

    /// Loads the field for the comparison that follows.
    fn load(self) -> Attributes {
        let into = Attributes::default().number(1, 1);
        match self {
            Self::Known { key } => into.number(2, key),
            Self::Payload { base, offset, length } => {
                into.number(2, base).number(3, offset).number(4, length)
            }
        }
    }
}

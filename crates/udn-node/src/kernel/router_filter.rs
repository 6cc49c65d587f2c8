//! Keeps router advertisements from a pod, unless its own gateway sends them or takes one back.
//!
//! Invariant: it acts in the namespace that the thread is in, and replaces its table as a whole.

use std::io;
use std::net::Ipv6Addr;

use nix::libc;

use super::KernelError;
use super::netlink::Attributes;
use super::nftables::{
    APPEND, CREATE, Change, DELETE_TABLE, DIFFERENT, DROP, EQUAL, EXCLUSIVE, Expressions, FIRST,
    Field, LINKS, NEW_CHAIN, NEW_RULE, NEW_TABLE, change,
};

pub(super) use super::nftables::is_unknown;

// compat: pkg/cni/helper_linux.go, setupIngressFilter
const TABLE: &str = "ingress_filter";
const CHAIN: &str = "input";

const ETHERTYPE_IPV6: u16 = 0x86dd;
const ICMPV6: u8 = 58;
const ADVERTISEMENT: u8 = 134;

const PROTOCOL: Field = Field::Known { key: 1 };
const TRANSPORT: Field = Field::Known { key: 16 };
const SOURCE: Field = Field::Payload { base: 1, offset: 8, length: 16 };
const MESSAGE_TYPE: Field = Field::Payload { base: 2, offset: 0, length: 1 };
/// How long the router is to be one; zero takes back what was said before.
const LIFETIME: Field = Field::Payload { base: 2, offset: 6, length: 2 };

/// Lets a link hear the router advertisements of one router alone.
pub(super) fn apply(interface: &str, router: Ipv6Addr) -> Result<(), KernelError> {
    let table = Attributes::default().text(1, TABLE);
    let content: [Change; 2] =
        [(NEW_CHAIN, CREATE, chain(interface)), (NEW_RULE, CREATE | APPEND, rule(router))];
    let begin = [(NEW_TABLE, CREATE | EXCLUSIVE, table.clone())];
    let done = match change(LINKS, begin.into_iter().chain(content.clone())) {
        // What stands is replaced at once; the kernel takes its time for that.
        Err(error) if error.raw_os_error() == Some(libc::EEXIST) => {
            let begin = [(DELETE_TABLE, 0, table.clone()), (NEW_TABLE, CREATE, table)];
            change(LINKS, begin.into_iter().chain(content))
        }
        done => done,
    };
    let interface = || interface.to_owned();
    done.map_err(|source| KernelError::RouterFilter { interface: interface(), source })
}

/// Takes the filter away, if it is there.
pub(super) fn remove() -> io::Result<()> {
    let table = Attributes::default().text(1, TABLE);
    change(LINKS, [(NEW_TABLE, CREATE, table.clone()), (DELETE_TABLE, 0, table)])
}

/// A chain that sees what comes in through the link, before anybody else.
fn chain(interface: &str) -> Attributes {
    let hook = Attributes::default().number(1, 0).number(2, 0).text(3, interface);
    let chain = Attributes::default().text(1, TABLE).text(3, CHAIN);
    chain.nest(4, &hook).text(7, "filter")
}

fn rule(router: Ipv6Addr) -> Attributes {
    let mut expressions = Expressions::default();
    for (field, relation, value) in [
        (PROTOCOL, EQUAL, &ETHERTYPE_IPV6.to_be_bytes()[..]),
        (TRANSPORT, EQUAL, &[ICMPV6]),
        (MESSAGE_TYPE, EQUAL, &[ADVERTISEMENT]),
        (SOURCE, DIFFERENT, &router.octets()),
        (LIFETIME, DIFFERENT, &[0, 0]),
    ] {
        expressions = expressions.load(field, FIRST).compare(relation, value);
    }
    Attributes::default().text(1, TABLE).text(2, CHAIN).nest(4, &expressions.end(DROP))
}

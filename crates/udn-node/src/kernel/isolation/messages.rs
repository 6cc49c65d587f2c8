//! What the chains that isolate pods, their rules and sets are, as nf_tables carries them.
//!
//! Reads sets, elements and the kubelet's control group; returns changes.
//! Invariant: what is written here is what `seen` looks for.
// compat: pkg/node/udn_isolation.go; order and names are the same

use std::collections::BTreeSet;
use std::net::IpAddr;

use udn_host::isolation::{AddressSet, Element, KubeletGroup, Port};
use udn_model::Family;

use super::seen::Found;
use crate::kernel::netlink::Attributes;
use crate::kernel::nftables::{
    ACCEPT, APPEND, CREATE, Change, DELETE_CHAIN, DELETE_ELEMENTS, DELETE_RULE, DELETE_SET,
    DELETE_TABLE, DROP, EQUAL, Expressions, FIRST, Field, NEW_CHAIN, NEW_ELEMENTS, NEW_RULE,
    NEW_SET, NEW_TABLE,
};

pub(super) const TABLE: &str = "ovn-kubernetes";

/// A chain of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Chain {
    /// Sees what programs of the host send.
    Output,
    /// Sees what the host forwards: a service that is served by the host, such as kube-proxy's, would else
    /// lead anybody to a locked pod in the host's own name.
    Forward,
}

impl Chain {
    pub(super) const ALL: [Self; 2] = [Self::Output, Self::Forward];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Output => "udn-isolation",
            Self::Forward => "udn-isolation-forward",
        }
    }

    // compat: include/uapi/linux/netfilter.h, NF_INET_LOCAL_OUT and NF_INET_FORWARD
    fn hook(self) -> u32 {
        match self {
            Self::Output => 3,
            Self::Forward => 2,
        }
    }
}

// compat: include/uapi/linux/netfilter_ipv4.h, NF_IP_PRI_FILTER
const PRIORITY: u32 = 0;

const PROTOCOL_FAMILY: Field = Field::Known { key: 15 };
const TRANSPORT: Field = Field::Known { key: 16 };
const DESTINATION_PORT: Field = Field::Payload { base: 2, offset: 2, length: 2 };
const MESSAGE_TYPE: Field = Field::Payload { base: 2, offset: 0, length: 1 };

const ICMP: u8 = 1;
const ICMPV6: u8 = 58;
/// By which neighbours ask for each other, and answer.
const NEIGHBOURS: [u8; 2] = [135, 136];

/// How many elements a message carries; its attributes have at most 65535 bytes.
const MOST_ELEMENTS: usize = 256;

/// The types of addresses, protocols and ports, by which tools print them.
// compat: nftables, include/datatype.h
const TYPES: [(Family, u32); 2] = [(Family::V4, 7), (Family::V6, 8)];
const PROTOCOL_TYPE: u32 = 12;
const PORT_TYPE: u32 = 13;

/// Everything but elements and rules, in place of what was found of it.
pub(super) fn fresh(found: Option<&Found>) -> Vec<Change> {
    let mut all = vec![(NEW_TABLE, CREATE, Attributes::default().text(1, TABLE))];
    all.extend(found.into_iter().flat_map(take_apart));
    let sets = AddressSet::ALL.into_iter().zip(1..);
    all.extend(sets.map(|(set, id)| (NEW_SET, CREATE, set_shape(set).number(10, id))));
    all.extend(Chain::ALL.map(|chain| (NEW_CHAIN, CREATE, chain_shape(chain))));
    all
}

/// Has a table do again what it says.
pub(super) fn awake() -> Change {
    (NEW_TABLE, CREATE, Attributes::default().text(1, TABLE).number(2, 0))
}

/// Takes everything away that was found, and the table if nobody else has something in it.
pub(super) fn unmake(found: &Found) -> Vec<Change> {
    let parts = take_apart(found);
    match found.is_alone() {
        true => vec![(DELETE_TABLE, 0, Attributes::default().text(1, TABLE))],
        false => parts,
    }
}

fn take_apart(found: &Found) -> Vec<Change> {
    let mut all = Vec::new();
    for chain in found.chains.keys() {
        let named = Attributes::default().text(1, TABLE).text(3, chain.name());
        all.extend([no_rules(*chain), (DELETE_CHAIN, 0, named)]);
    }
    let named = |set: &AddressSet| Attributes::default().text(1, TABLE).text(2, set.name());
    all.extend(found.sets.keys().map(|set| (DELETE_SET, 0, named(set))));
    all
}

/// Takes all rules of a chain away.
pub(super) fn no_rules(chain: Chain) -> Change {
    (DELETE_RULE, 0, in_chain(chain))
}

/// The rules of all chains, in their order.
pub(super) fn rules(kubelet: Option<KubeletGroup>) -> impl Iterator<Item = Change> {
    Chain::ALL.into_iter().flat_map(move |chain| {
        let rule = move |it: Attributes| (NEW_RULE, CREATE | APPEND, in_chain(chain).nest(4, &it));
        expressions(chain, kubelet).into_iter().map(rule)
    })
}

/// What each rule of a chain does.
pub(super) fn expressions(chain: Chain, kubelet: Option<KubeletGroup>) -> Vec<Attributes> {
    Family::BOTH.into_iter().flat_map(|family| of_family(chain, family, kubelet)).collect()
}

/// The kind of a chain.
pub(super) fn chain_shape(chain: Chain) -> Attributes {
    let hook = Attributes::default().number(1, chain.hook()).number(2, PRIORITY);
    let chain = Attributes::default().text(1, TABLE).text(3, chain.name());
    chain.nest(4, &hook).number(5, ACCEPT).text(7, "filter")
}

/// The kind of a set.
pub(super) fn set_shape(set: AddressSet) -> Attributes {
    let (family, has_ports) = match set {
        AddressSet::Locked(family) | AddressSet::OpenIcmp(family) => (family, false),
        AddressSet::OpenPorts(family) => (family, true),
    };
    let (_, address) = TYPES.into_iter().find(|it| it.0 == family).expect("there are two families");
    let length = width(family);
    let (kind, length) = match has_ports {
        false => (address, length),
        true => (address << 12 | PROTOCOL_TYPE << 6 | PORT_TYPE, length + 8),
    };
    Attributes::default().text(1, TABLE).text(2, set.name()).number(4, kind).number(5, length)
}

pub(super) fn additions(set: AddressSet, elements: &BTreeSet<Element>) -> Vec<Change> {
    of_elements((NEW_ELEMENTS, CREATE), set, elements)
}

pub(super) fn removals(set: AddressSet, elements: &BTreeSet<Element>) -> Vec<Change> {
    of_elements((DELETE_ELEMENTS, 0), set, elements)
}

fn of_elements(
    (kind, flags): (u16, u16),
    set: AddressSet,
    elements: &BTreeSet<Element>,
) -> Vec<Change> {
    let elements: Vec<&Element> = elements.iter().collect();
    let change = |some: &[&Element]| {
        let list = some.iter().fold(Attributes::default(), |list, element| {
            let value = Attributes::default().bytes(1, &key(element));
            list.nest(1, &Attributes::default().nest(1, &value))
        });
        (kind, flags, Attributes::default().text(1, TABLE).text(2, set.name()).nest(3, &list))
    };
    elements.chunks(MOST_ELEMENTS).map(change).collect()
}

/// An element as registers hold it: each part of it fills up four bytes.
fn key(Element { address, port }: &Element) -> Vec<u8> {
    let mut key = match address {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    if let Some(Port { protocol, number }) = port {
        let [high, low] = number.to_be_bytes();
        key.extend([*protocol, 0, 0, 0, high, low, 0, 0]);
    }
    key
}

/// An element from what registers would hold.
pub(super) fn element(key: &[u8]) -> Option<Element> {
    let (address, rest): (IpAddr, &[u8]) = match key.len() {
        4 | 12 => (key.first_chunk::<4>().map(|it| (*it).into())?, &key[4..]),
        16 | 24 => (key.first_chunk::<16>().map(|it| (*it).into())?, &key[16..]),
        _ => return None,
    };
    let port = match rest {
        [protocol, _, _, _, high, low, _, _] => {
            Some(Port { protocol: *protocol, number: u16::from_be_bytes([*high, *low]) })
        }
        _ => None,
    };
    Some(Element { address, port })
}

fn in_chain(chain: Chain) -> Attributes {
    Attributes::default().text(1, TABLE).text(2, chain.name())
}

fn of_family(chain: Chain, family: Family, kubelet: Option<KubeletGroup>) -> Vec<Attributes> {
    // The registers behind the address, for what is looked up with it.
    let (number, offset, [second, third], icmp) = match family {
        Family::V4 => (2, 16, [9, 10], ICMP),
        Family::V6 => (10, 24, [2, 13], ICMPV6),
    };
    let begin = Expressions::default().load(PROTOCOL_FAMILY, FIRST).compare(EQUAL, &[number]);
    let length = width(family);
    let to = begin.clone().load(Field::Payload { base: 1, offset, length }, FIRST);
    let locked = to.clone().look_up(AddressSet::Locked(family).name());
    let is_icmp = |rule: Expressions| rule.load(TRANSPORT, FIRST).compare(EQUAL, &[icmp]);
    let open = to.clone().load(TRANSPORT, second).load(DESTINATION_PORT, third);
    let mut rules = vec![
        open.look_up(AddressSet::OpenPorts(family).name()).end(ACCEPT),
        is_icmp(to.look_up(AddressSet::OpenIcmp(family).name())).end(ACCEPT),
    ];
    let is_own = chain == Chain::Output;
    if is_own && family == Family::V6 {
        // The kernel's own words, without which the kubelet would not find a pod again.
        let neighbours = NEIGHBOURS.map(|kind| {
            is_icmp(begin.clone()).load(MESSAGE_TYPE, FIRST).compare(EQUAL, &[kind]).end(ACCEPT)
        });
        rules.extend(neighbours);
    }
    rules.extend(kubelet.filter(|_| is_own).map(|KubeletGroup { level, id }| {
        let group = locked.clone().load(Field::Group { level }, FIRST);
        group.compare(EQUAL, &id.to_ne_bytes()).end(ACCEPT)
    }));
    rules.push(locked.end(DROP));
    rules
}

/// How many bytes an address has.
fn width(family: Family) -> u32 {
    match family {
        Family::V4 => 4,
        Family::V6 => 16,
    }
}

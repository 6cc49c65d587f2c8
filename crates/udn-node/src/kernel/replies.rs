//! What a kernel might tell of links, addresses, routes and rules: mutations of what it does tell.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use rtnetlink::packet_core::{NetlinkMessage, NetlinkPayload};
use rtnetlink::packet_route::RouteNetlinkMessage;
use rtnetlink::packet_route::address::{AddressAttribute, AddressMessage};
use rtnetlink::packet_route::link::{InfoKind, LinkAttribute, LinkInfo, LinkMessage};
use rtnetlink::packet_route::route::RouteProtocol;
use rtnetlink::packet_route::rule::{RuleAttribute, RuleMessage};
use rtnetlink::{RouteMessageBuilder, packet_route::AddressFamily};
use udn_model::Family;

use super::{PROTOCOL, addresses, links, routes, rules};

fn bytes(message: RouteNetlinkMessage) -> Vec<u8> {
    let mut message = NetlinkMessage::from(message);
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    bytes
}

fn sound() -> Vec<Vec<u8>> {
    let mut link = LinkMessage::default();
    link.attributes = vec![
        LinkAttribute::IfName("eth0".to_owned()),
        LinkAttribute::Address(vec![10, 88, 10, 10, 0, 3]),
        LinkAttribute::Mtu(1400),
        LinkAttribute::LinkInfo(vec![LinkInfo::Kind(InfoKind::Veth)]),
    ];
    let mut address = AddressMessage::default();
    address.header.family = AddressFamily::Inet6;
    address.header.prefix_len = 64;
    address.attributes = vec![AddressAttribute::Address(Ipv6Addr::LOCALHOST.into())];
    let route = RouteMessageBuilder::<Ipv4Addr>::new()
        .destination_prefix(Ipv4Addr::new(10, 10, 0, 0), 16)
        .gateway(Ipv4Addr::new(10, 10, 0, 1))
        .output_interface(1)
        .table_id(4097)
        .protocol(RouteProtocol::from(PROTOCOL))
        .build();
    let mut rule = RuleMessage::default();
    rule.header.family = AddressFamily::Inet;
    rule.header.src_len = 32;
    rule.attributes = vec![
        RuleAttribute::Table(102),
        RuleAttribute::Source(IpAddr::V4(Ipv4Addr::new(10, 10, 0, 5))),
        RuleAttribute::Protocol(RouteProtocol::from(PROTOCOL)),
    ];
    vec![
        bytes(RouteNetlinkMessage::NewLink(link)),
        bytes(RouteNetlinkMessage::NewAddress(address)),
        bytes(RouteNetlinkMessage::NewRoute(route)),
        bytes(RouteNetlinkMessage::NewRule(rule)),
    ]
}

/// Reads a message as the hands would; whether it is one.
fn read(bytes: &[u8]) -> bool {
    let names = BTreeMap::from([(1, "eth0".to_owned())]);
    let message = NetlinkMessage::<RouteNetlinkMessage>::deserialize(bytes);
    let Ok(NetlinkMessage { payload: NetlinkPayload::InnerMessage(message), .. }) = message else {
        return false;
    };
    match message {
        RouteNetlinkMessage::NewLink(message) => drop(links::read("eth0", &message)),
        RouteNetlinkMessage::NewAddress(message) => drop(addresses::read(&message)),
        RouteNetlinkMessage::NewRoute(message) => drop(routes::read(&message, &names)),
        RouteNetlinkMessage::NewRule(message) => {
            Family::BOTH.iter().for_each(|family| drop(rules::read(*family, &message)));
        }
        _ => {}
    }
    true
}

// soak: draws from UDN_SEED
#[test]
fn mutated_messages_end_without_a_panic() {
    let mut good = 0;
    crate::mutations::play(33, &sound(), |bytes| good += usize::from(read(bytes)));
    assert!(good > 4000, "hardly anything is read that far: {good}");
}

#[test]
fn sound_messages_are_read() {
    assert!(sound().iter().all(|it| read(it)));
}

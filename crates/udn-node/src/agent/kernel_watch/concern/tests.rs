//! Whom the kernel's messages concern, one by one.

use rtnetlink::packet_route::address::AddressMessage;
use rtnetlink::packet_route::neighbour::NeighbourAttribute;

use super::*;

use RouteNetlinkMessage as Message;

const POD: &str = "0123456789abcde";

fn link(name: &str, kind: Option<InfoKind>, is_up: bool) -> LinkMessage {
    let mut message = LinkMessage::default();
    if is_up {
        message.header.flags = LinkFlags::Up;
    }
    message.attributes.push(LinkAttribute::IfName(name.to_owned()));
    let kind = kind.map(|kind| LinkAttribute::LinkInfo(vec![LinkInfo::Kind(kind)]));
    message.attributes.extend(kind);
    message
}

fn cable(is_up: bool) -> LinkMessage {
    link(POD, Some(InfoKind::Veth), is_up)
}

fn route(protocol: RouteProtocol, table: u32, length: u8) -> RouteMessage {
    let mut message = RouteMessage::default();
    message.header.protocol = protocol;
    message.header.destination_prefix_length = length;
    message.attributes.push(RouteAttribute::Table(table));
    message
}

fn rule(priority: u32) -> RuleMessage {
    let mut message = RuleMessage::default();
    message.attributes.push(RuleAttribute::Priority(priority));
    message
}

fn neighbour(state: NeighbourState) -> NeighbourMessage {
    let mut message = NeighbourMessage::default();
    message.header.state = state;
    message.attributes.push(NeighbourAttribute::LinkLayerAddress(vec![2, 0, 0, 0, 0, 1]));
    message
}

fn check(message: &Message, want: &Concern) {
    assert_eq!(concern(message), *want, "{message:?}");
}

#[test]
fn a_pod_s_cable_that_comes_up_concerns_nobody() {
    check(&Message::NewLink(cable(true)), &Concern::Nobody);
    // Neighbours of all kinds come with traffic.
    check(&Message::NewNeighbour(neighbour(NeighbourState::Reachable)), &Concern::Nobody);
    check(&Message::DelNeighbour(neighbour(NeighbourState::Stale)), &Concern::Nobody);
}

#[test]
fn a_cable_that_falls_or_goes_is_told_by_its_name() {
    let fallen = Concern::Fallen(POD.to_owned());
    check(&Message::NewLink(cable(false)), &fallen);
    check(&Message::DelLink(cable(true)), &fallen);
}

#[test]
fn other_links_and_all_addresses_are_the_host_s() {
    for kind in [None, Some(InfoKind::Dummy), Some(InfoKind::Vlan), Some(InfoKind::Tun)] {
        check(&Message::NewLink(link("eth0", kind.clone(), true)), &Concern::Host);
        check(&Message::DelLink(link("eth0", kind, false)), &Concern::Host);
    }
    check(&Message::NewAddress(AddressMessage::default()), &Concern::Host);
    check(&Message::DelAddress(AddressMessage::default()), &Concern::Host);
}

#[test]
fn of_routes_and_rules_ours_and_the_way_out_concern_the_host() {
    let (ours, others) = (RouteProtocol::from(PROTOCOL), RouteProtocol::Kernel);
    for (message, want) in [
        (route(ours, 254, 24), Concern::Host),
        (route(others, MAIN_TABLE, 0), Concern::Host),
        (route(others, MAIN_TABLE, 24), Concern::Nobody),
        (route(others, 77, 0), Concern::Nobody),
    ] {
        check(&Message::NewRoute(message.clone()), &want);
        check(&Message::DelRoute(message), &want);
    }
    check(&Message::NewRule(rule(RULE_PRIORITY)), &Concern::Host);
    check(&Message::DelRule(rule(RULE_PRIORITY + 1)), &Concern::Nobody);
    check(&Message::DelNeighbour(neighbour(NeighbourState::Permanent)), &Concern::Host);
}

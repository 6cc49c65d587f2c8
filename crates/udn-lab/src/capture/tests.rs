//! What builders make is what decoding finds.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::frame::{
    Ends, datagram, echo_request, neighbour_advertisement, neighbour_solicitation, redirect,
    router_advertisement, udp,
};
use super::{Arp, Direction, Frame, Mac};

const OWN: Mac = Mac([0x0a, 0x58, 10, 10, 0, 3]);

fn heard(bytes: Vec<u8>) -> Frame {
    Frame { bytes, direction: Direction::In }
}

#[test]
fn an_arp_question_reads_back() {
    let arp = Arp::question((OWN, Ipv4Addr::new(10, 10, 0, 3)), Ipv4Addr::new(10, 10, 0, 1));
    let frame = heard(arp.frame(Ends::new(OWN, Mac::BROADCAST), b"marker"));
    assert_eq!(frame.arp(), Some(arp));
    assert_eq!((frame.source(), frame.destination()), (OWN, Mac::BROADCAST));
    assert!(frame.contains(b"marker") && !frame.contains(b"another"));
}

#[test]
fn packets_of_both_families_read_back() {
    let v4 = Ends::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
    let v6 = Ends::new(Ipv6Addr::LOCALHOST.into(), "fd00::2".parse().expect("an address"));
    for addresses in [v4, v6] {
        let frame = heard(udp(Ends::new(OWN, Mac::BROADCAST), addresses, b"odd"));
        assert_eq!(frame.addresses(), Some(addresses));
        assert_eq!(frame.arp(), None);
    }
}

#[test]
fn discovery_reads_back() {
    let macs = Ends::new(OWN, Mac::BROADCAST);
    let (own, all) = (OWN.link_local(), "ff02::1".parse().expect("an address"));
    let told = heard(neighbour_advertisement(macs, Ends::new(own, all), (OWN, own)));
    assert_eq!(told.advertised(), Some((own, OWN)));
    let asked = heard(neighbour_solicitation((OWN, own), own));
    assert_eq!(asked.advertised(), None);
    assert_eq!(asked.destination(), "33:33:ff:0a:00:03".parse().expect("a MAC"));
    assert!(heard(router_advertisement(macs, Ends::new(own, all))).is_router_advertisement());
}

#[test]
fn a_tag_is_read_and_skipped() {
    let arp = Arp::question((OWN, Ipv4Addr::LOCALHOST), Ipv4Addr::LOCALHOST);
    let mut bytes = arp.frame(Ends::new(OWN, Mac::BROADCAST), b"");
    assert_eq!(heard(bytes.clone()).tag(), None);
    bytes.splice(12..12, [0x81, 0, 0xe0, 42]);
    let tagged = heard(bytes);
    assert_eq!((tagged.tag(), tagged.arp()), (Some(42), Some(arp)));
}

#[test]
fn a_link_local_address_is_made_of_the_mac() {
    assert_eq!(OWN.link_local().to_string(), "fe80::858:aff:fe0a:3");
}

#[test]
fn frames_of_routers_and_servers_have_their_type_and_ports_where_they_belong() {
    let macs = Ends::new(OWN, Mac::BROADCAST);
    let v4 = Ends::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
    let v6 = Ends::new(Ipv6Addr::LOCALHOST.into(), "fd00::2".parse().expect("an address"));
    let ports = Ends::new(67, 68);
    for (addresses, message, [redirect_type, echo_type]) in [(v4, 34, [5, 8]), (v6, 54, [137, 128])]
    {
        assert_eq!(redirect(macs, addresses, ports)[message], redirect_type);
        assert_eq!(echo_request(macs, addresses)[message], echo_type);
        let server = datagram(macs, addresses, ports, b"");
        assert_eq!(server[message..message + 4], [0, 67, 0, 68]);
    }
    // An IPv4 redirect quotes what the receiver sent.
    let quoted = redirect(macs, v4, ports).split_off(42);
    assert_eq!(quoted[12..20], [10, 0, 0, 2, 10, 0, 0, 1]);
    assert_eq!(quoted[20..24], [0, 67, 0, 68]);
}

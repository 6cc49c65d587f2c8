//! One pod that lies and one that listens: what can be said to a neighbour, truly or not.
//!
//! Invariant: every lie is followed by its truth, told by the same pod in the same way; the truth is
//! waited for, so that silence before it proves that the lie was dropped.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use udn_lab::capture::frame::{
    Ends, datagram, echo_request, neighbour_advertisement, redirect, router_advertisement,
    router_solicitation_to, udp, with_trailer,
};
use udn_lab::capture::{Arp, Capture, Direction, Frame, Mac, Wire};

use crate::rig::{LIMIT, Stand};

/// How often each frame is sent.
const TIMES: usize = 3;
const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1);
/// A port that the listener sends from, and one of the liar.
const TALK: Ends<u16> = Ends { from: 4242, to: 4243 };
/// From a DHCP client to a DHCP server, in each family.
const DHCP_V4: Ends<u16> = Ends { from: 68, to: 67 };
const DHCP_V6: Ends<u16> = Ends { from: 546, to: 547 };

/// Who somebody is, or says to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Person {
    pub(super) mac: Mac,
    pub(super) v4: Ipv4Addr,
    pub(super) v6: Ipv6Addr,
}

/// Somebody whom the network does not know.
pub(super) const NOBODY: Person = Person {
    mac: Mac([0x0a, 0x58, 0xde, 0xad, 0xbe, 0xef]),
    v4: Ipv4Addr::new(10, 40, 77, 77),
    v6: Ipv6Addr::new(0xfd40, 0, 0, 0, 0, 0, 0, 0x7777),
};

/// The gateway's addresses in the networks of these tests.
pub(super) const GATEWAY: (Ipv4Addr, Ipv6Addr) =
    (Ipv4Addr::new(10, 40, 0, 1), Ipv6Addr::new(0xfd40, 0, 0, 0, 0, 0, 0, 1));

/// A way to speak to a neighbour: by whom the frame says it is, what it tells, and a marker.
pub(super) type Speech = fn(frame: Mac, told: Person, to: Person, marker: &[u8]) -> Vec<u8>;

pub(super) const SPEECHES: [(&str, Speech); 5] = [
    ("v4", |frame, told, to, marker| {
        udp(Ends::new(frame, to.mac), Ends::new(told.v4.into(), to.v4.into()), marker)
    }),
    ("v6", |frame, told, to, marker| {
        udp(Ends::new(frame, to.mac), Ends::new(told.v6.into(), to.v6.into()), marker)
    }),
    ("question", |frame, told, _, marker| {
        let nobody = Ipv4Addr::new(10, 40, 99, 99);
        Arp::question((told.mac, told.v4), nobody).frame(Ends::new(frame, Mac::BROADCAST), marker)
    }),
    ("answer", |frame, told, to, marker| {
        let (macs, addresses) = (Ends::new(told.mac, to.mac), Ends::new(told.v4, to.v4));
        Arp { is_answer: true, macs, addresses }.frame(Ends::new(frame, to.mac), marker)
    }),
    ("advertisement", |frame, told, to, marker| {
        // The packet's own source is honest: what it tells of whom is the question.
        let macs = Ends::new(frame, to.mac);
        let advertised = (told.mac, told.v6);
        let from = frame.link_local();
        with_trailer(neighbour_advertisement(macs, Ends::new(from, to.v6), advertised), marker)
    }),
];

/// What a router or a DHCP server says, and what an honest pod says in the same way.
type Office = fn(own: Person, to: Person) -> [Vec<u8>; 2];

/// All of them; none needs a false address.
pub(super) const OFFICES: [(&str, Office); 8] = [
    ("router advertisement", |own, to| {
        let (macs, ends) = (Ends::new(own.mac, to.mac), Ends::new(own.mac.link_local(), to.v6));
        [router_advertisement(macs, ends), router_solicitation_to(macs, ends)]
    }),
    ("router advertisement to all", |own, _| {
        let macs = Ends::new(own.mac, Mac::of_group(ALL_NODES.into()));
        let ends = Ends::new(own.mac.link_local(), ALL_NODES);
        [router_advertisement(macs, ends), router_solicitation_to(macs, ends)]
    }),
    ("redirect v4", |own, to| {
        let (macs, ends) = (Ends::new(own.mac, to.mac), Ends::new(own.v4.into(), to.v4.into()));
        [redirect(macs, ends, TALK), echo_request(macs, ends)]
    }),
    ("redirect v6", |own, to| {
        let macs = Ends::new(own.mac, to.mac);
        let ends = Ends::new(own.mac.link_local().into(), to.v6.into());
        [redirect(macs, ends, TALK), echo_request(macs, ends)]
    }),
    ("dhcp server v4", |own, to| {
        let (macs, ends) = (Ends::new(own.mac, to.mac), Ends::new(own.v4.into(), to.v4.into()));
        server_and_client(macs, ends, DHCP_V4)
    }),
    ("dhcp server v4 to all", |own, _| {
        let macs = Ends::new(own.mac, Mac::BROADCAST);
        server_and_client(macs, Ends::new(own.v4.into(), Ipv4Addr::BROADCAST.into()), DHCP_V4)
    }),
    ("dhcp server v6", |own, to| {
        let (macs, ends) = (Ends::new(own.mac, to.mac), Ends::new(own.v6.into(), to.v6.into()));
        server_and_client(macs, ends, DHCP_V6)
    }),
    ("dhcp server v4 from another port", |own, to| {
        let (macs, ends) = (Ends::new(own.mac, to.mac), Ends::new(own.v4.into(), to.v4.into()));
        let [_, client] = server_and_client(macs, ends, DHCP_V4);
        [datagram(macs, ends, Ends::new(1067, DHCP_V4.from), b""), client]
    }),
];

fn server_and_client(macs: Ends<Mac>, ends: Ends<IpAddr>, ports: Ends<u16>) -> [Vec<u8>; 2] {
    let server = datagram(macs, ends, Ends::new(ports.to, ports.from), b"");
    [server, datagram(macs, ends, ports, b"")]
}

/// What a listener asks a liar, so that the answers belong to a known connection.
pub(super) fn questions(asker: Person, liar: Person) -> [Vec<u8>; 3] {
    let macs = Ends::new(asker.mac, liar.mac);
    let v4 = Ends::new(asker.v4.into(), liar.v4.into());
    let v6 = Ends::new(asker.v6.into(), liar.v6.into());
    let marker = b"udn question";
    [
        datagram(macs, v4, TALK, marker),
        datagram(macs, v4, DHCP_V4, marker),
        datagram(macs, v6, DHCP_V6, marker),
    ]
}

/// The liar, and one that listens.
pub(super) struct Talk {
    pub(super) wire: Wire,
    capture: Capture,
    receiver: String,
    to: Person,
}

impl Talk {
    /// The pod `liar` of a namespace speaks to another one there.
    pub(super) fn new(stand: &Stand, link: &str, receiver: &str, to: Person) -> Self {
        let (namespace, _) = receiver.split_once('/').expect("namespace and name");
        let wire = stand.wire(&format!("{namespace}/liar"), link);
        Self { wire, capture: stand.capture(receiver, link), receiver: receiver.to_owned(), to }
    }

    /// Lies about addresses in every way, and tells the truth in the same way.
    pub(super) fn check_addresses(&self, own: Person, third: Person) {
        let gateway = Person { v4: GATEWAY.0, v6: GATEWAY.1, ..own };
        for (kind, speech) in SPEECHES {
            for (whose, other) in [("nobody", NOBODY), ("third", third)] {
                self.check(&format!("{kind} {whose} frame"), speech, own, (other.mac, own));
                let addresses = Person { mac: own.mac, ..other };
                self.check(&format!("{kind} {whose} addresses"), speech, own, (own.mac, addresses));
                if !["v4", "v6"].contains(&kind) {
                    let mac = Person { mac: other.mac, ..own };
                    self.check(&format!("{kind} {whose} told mac"), speech, own, (own.mac, mac));
                }
            }
            // Where no gateway is, the first pod may have that address.
            if own.v4 != gateway.v4 {
                self.check(&format!("{kind} gateway"), speech, own, (own.mac, gateway));
            }
        }
    }

    /// Speaks as a router and as a DHCP server in every way, and then as a pod. Each time needs a
    /// name of its own, or a truth of an earlier time would be taken for the one that is waited for.
    pub(super) fn check_offices(&self, time: &str, own: Person) {
        for (kind, office) in OFFICES {
            let [lie, truth] = office(own, self.to);
            self.send(lie, &format!("udn lie: {kind} {time};"));
            self.send_heard(truth, &format!("udn truth: {kind} {time};"));
        }
    }

    /// Speaks as a router and as a DHCP server in every way, and is heard.
    pub(super) fn say_offices(&self, own: Person) {
        for (kind, office) in OFFICES {
            let [lie, _] = office(own, self.to);
            self.send_heard(lie, &format!("udn allowed: {kind};"));
        }
    }

    /// Lies, then tells the truth in the same way; the truth is heard.
    pub(super) fn check(&self, what: &str, speech: Speech, own: Person, lie: (Mac, Person)) {
        let marker = format!("udn lie: {what};");
        let frame = speech(lie.0, lie.1, self.to, marker.as_bytes());
        (0..TIMES).for_each(|_| self.wire.send(&frame).expect("a frame is sent"));
        self.say(what, speech, (own.mac, own));
    }

    /// Says something that must be heard.
    pub(super) fn say(&self, what: &str, speech: Speech, truth: (Mac, Person)) {
        let marker = format!("udn truth: {what};");
        let frame = speech(truth.0, truth.1, self.to, marker.as_bytes());
        (0..TIMES).for_each(|_| self.wire.send(&frame).expect("a frame is sent"));
        self.hear(&marker);
    }

    /// Sees to it that no lie was heard, now that everything after it has been.
    pub(super) fn assert_no_lies(&self) {
        let frames = self.capture.frames();
        let lies = frames.iter().filter(|frame| frame.contains(b"udn lie: "));
        let lies: Vec<_> = lies.map(|frame| text_of(&frame.bytes)).collect();
        assert!(lies.is_empty(), "{} heard {lies:#?}", self.receiver);
    }

    fn send(&self, frame: Vec<u8>, marker: &str) {
        let frame = with_trailer(frame, marker.as_bytes());
        (0..TIMES).for_each(|_| self.wire.send(&frame).expect("a frame is sent"));
    }

    fn send_heard(&self, frame: Vec<u8>, marker: &str) {
        self.send(frame, marker);
        self.hear(marker);
    }

    fn hear(&self, marker: &str) {
        // The receiver's kernel quotes packets that it has no use for; those do not count.
        let is_it = |it: &Frame| it.direction == Direction::In && it.contains(marker.as_bytes());
        let heard = self.capture.wait_for_several(marker, LIMIT, TIMES, is_it);
        heard.unwrap_or_else(|late| panic!("{}: {late}", self.receiver));
    }
}

/// The marker in a frame, for a person to read.
fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.split_once("udn ").map(|(_, marker)| marker.to_owned()).unwrap_or_default()
}

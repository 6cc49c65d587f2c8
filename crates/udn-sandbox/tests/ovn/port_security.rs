//! A pod that lies about who it is is not heard, on its own node or on another; one that does not is.

use std::net::{Ipv4Addr, Ipv6Addr};

use udn_lab::capture::frame::{Ends, neighbour_advertisement, udp, with_trailer};
use udn_lab::capture::{Arp, Capture, Direction, Frame, Mac, Wire};

use crate::rig::manifests::{cluster_network, namespace, nodes, pod, tenant};
use crate::rig::{LIMIT, PRIMARY, SECONDARY, Stand};

const GATEWAY_V4: Ipv4Addr = Ipv4Addr::new(10, 40, 0, 1);
const GATEWAY_V6: Ipv6Addr = Ipv6Addr::new(0xfd40, 0, 0, 0, 0, 0, 0, 1);
/// How often each frame is sent.
const TIMES: usize = 3;

/// Who somebody is, or says to be.
#[derive(Debug, Clone, Copy)]
struct Person {
    mac: Mac,
    v4: Ipv4Addr,
    v6: Ipv6Addr,
}

/// Somebody whom the network does not know.
const NOBODY: Person = Person {
    mac: Mac([0x0a, 0x58, 0xde, 0xad, 0xbe, 0xef]),
    v4: Ipv4Addr::new(10, 40, 77, 77),
    v6: Ipv6Addr::new(0xfd40, 0, 0, 0, 0, 0, 0, 0x7777),
};

/// A way to speak to a neighbour: by whom the frame says it is, what it tells, and a marker.
type Speech = fn(frame: Mac, told: Person, to: Person, marker: &[u8]) -> Vec<u8>;

const SPEECHES: [(&str, Speech); 5] = [
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

// proves: X-15
#[tokio::test(flavor = "multi_thread")]
async fn who_lies_about_its_addresses_is_not_heard() {
    let text = nodes(2)
        + &tenant("red", "10.40.0.0/16, fd40::/64")
        + &pod("red/liar", "node-1", None)
        + &pod("red/near", "node-1", None)
        + &pod("red/far", "node-2", None);
    let stand = Stand::of_text(&text).await;
    let person = |pod: &str| Person { mac: stand.mac(pod), v4: stand.v4(pod), v6: stand.v6(pod) };
    let own = person("red/liar");
    let gateway = Person { v4: GATEWAY_V4, v6: GATEWAY_V6, ..own };
    for (receiver, third) in [("red/near", "red/far"), ("red/far", "red/near")] {
        let talk = Talk::new(&stand, receiver, person(receiver));
        for (kind, speech) in SPEECHES {
            for (whose, other) in [("nobody", NOBODY), ("third", person(third))] {
                talk.check(&format!("{kind} {whose} frame"), speech, own, (other.mac, own));
                let addresses = Person { mac: own.mac, ..other };
                talk.check(&format!("{kind} {whose} addresses"), speech, own, (own.mac, addresses));
                if !["v4", "v6"].contains(&kind) {
                    let mac = Person { mac: other.mac, ..own };
                    talk.check(&format!("{kind} {whose} told mac"), speech, own, (own.mac, mac));
                }
            }
            talk.check(&format!("{kind} gateway"), speech, own, (own.mac, gateway));
        }
        talk.assert_no_lies();
    }
}

// proves: X-15
#[tokio::test(flavor = "multi_thread")]
async fn without_ipam_only_the_mac_is_held_to() {
    let spec = "{topology: Layer2, layer2: {role: Secondary, ipam: {mode: Disabled}}}";
    let text = nodes(2)
        + &namespace("bare", false)
        + &cluster_network("bare", spec)
        + &pod("bare/liar", "node-1", Some("bare/bare"))
        + &pod("bare/near", "node-1", Some("bare/bare"))
        + &pod("bare/far", "node-2", Some("bare/bare"));
    let stand = Stand::of_text(&text).await;
    let own = Person { mac: stand.mac("bare/liar"), ..NOBODY };
    for (number, receiver) in [(1, "bare/near"), (2, "bare/far")] {
        let to = Person {
            mac: stand.mac(receiver),
            v4: Ipv4Addr::new(10, 40, 0, number),
            v6: Ipv6Addr::new(0xfd40, 0, 0, 0, 0, 0, 0, number.into()),
        };
        let talk = Talk::new(&stand, receiver, to);
        for (kind, speech) in SPEECHES {
            // Whoever it says to be is heard, as long as the frame is its own.
            let other = Person { v4: Ipv4Addr::new(172, 31, 0, 9), v6: GATEWAY_V6, ..own };
            talk.say(&format!("{kind} other addresses"), speech, (own.mac, other));
            talk.check(&format!("{kind} frame"), speech, own, (NOBODY.mac, own));
        }
        talk.assert_no_lies();
    }
}

/// The liar, and one that listens.
struct Talk {
    wire: Wire,
    capture: Capture,
    receiver: String,
    to: Person,
}

impl Talk {
    fn new(stand: &Stand, receiver: &str, to: Person) -> Self {
        let (namespace, _) = receiver.split_once('/').expect("namespace and name");
        let link = if namespace == "red" { PRIMARY } else { SECONDARY };
        let wire = stand.wire(&format!("{namespace}/liar"), link);
        Self { wire, capture: stand.capture(receiver, link), receiver: receiver.to_owned(), to }
    }

    /// Lies, then tells the truth in the same way; the truth is heard.
    fn check(&self, what: &str, speech: Speech, own: Person, lie: (Mac, Person)) {
        let marker = format!("udn lie: {what};");
        let frame = speech(lie.0, lie.1, self.to, marker.as_bytes());
        (0..TIMES).for_each(|_| self.wire.send(&frame).expect("a frame is sent"));
        self.say(what, speech, (own.mac, own));
    }

    /// Says something that must be heard.
    fn say(&self, what: &str, speech: Speech, truth: (Mac, Person)) {
        let marker = format!("udn truth: {what};");
        let frame = speech(truth.0, truth.1, self.to, marker.as_bytes());
        (0..TIMES).for_each(|_| self.wire.send(&frame).expect("a frame is sent"));
        // The receiver's kernel quotes packets that it has no use for; those do not count.
        let is_it = |it: &Frame| it.direction == Direction::In && it.contains(marker.as_bytes());
        let heard = self.capture.wait_for_several(&marker, LIMIT, TIMES, is_it);
        heard.unwrap_or_else(|late| panic!("{}: {late}", self.receiver));
    }

    /// Sees to it that no lie was heard, now that everything after it has been.
    fn assert_no_lies(&self) {
        let frames = self.capture.frames();
        let lies = frames.iter().filter(|frame| frame.contains(b"udn lie: "));
        let lies: Vec<_> = lies.map(|frame| text_of(&frame.bytes)).collect();
        assert!(lies.is_empty(), "{} heard {lies:#?}", self.receiver);
    }
}

/// The marker in a frame, for a person to read.
fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.split_once("udn ").map(|(_, marker)| marker.to_owned()).unwrap_or_default()
}

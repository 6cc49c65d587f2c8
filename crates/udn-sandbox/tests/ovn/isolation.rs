//! Two tenants with the same subnet: whatever one of them sends, the other hears none of it, not
//! even while networks come and go.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use udn_lab::capture::frame::{Ends, neighbour_solicitation, udp, with_trailer};
use udn_lab::capture::{Arp, Capture, Frame, Mac, Wire};

use crate::rig::manifests::{folder_of, nodes, pod, tenant};
use crate::rig::{LIMIT, PRIMARY, Stand};

const SUBNETS: &str = "10.30.0.0/16, fd30::/64";
const NOBODY: Person = Person {
    mac: Mac([0x0a, 0x58, 10, 30, 99, 99]),
    v4: Ipv4Addr::new(10, 30, 99, 99),
    v6: Ipv6Addr::new(0xfd30, 0, 0, 0, 0, 0, 0, 0x9999),
};
const GROUP_V4: Ipv4Addr = Ipv4Addr::new(239, 1, 2, 3);
const GROUP_V6: Ipv6Addr = Ipv6Addr::new(0xff05, 0, 0, 0, 0, 0, 1, 3);
const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1);
/// How often each kind of frame is sent by each sender, at least and at most.
const ROUNDS: std::ops::RangeInclusive<usize> = 100..=700;
/// How long a round waits for its echo.
const ECHO: Duration = Duration::from_secs(2);
/// What all frames of the first tenant carry, and none of the second.
const RED: &str = "udn-red ";
/// The kinds of frames that everybody in the sender's own network gets.
const SHARED: [&str; 6] =
    ["arp", "discovery", "broadcast", "multicast", "multicast-v6", "all-nodes"];

const REDS: [(&str, &str); 4] =
    [("red/r1", "node-1"), ("red/r2", "node-1"), ("red/r3", "node-2"), ("red/r4", "node-2")];
/// The last two have addresses that no pod of the first tenant has.
const BLUES: [(&str, &str); 6] = [
    ("blue/b1", "node-1"),
    ("blue/b2", "node-2"),
    ("blue/b3", "node-1"),
    ("blue/b4", "node-2"),
    ("blue/b5", "node-1"),
    ("blue/b6", "node-2"),
];
/// A third tenant, which comes and goes.
const GREENS: [(&str, &str); 2] = [("green/g1", "node-1"), ("green/g2", "node-2")];

// proves: X-14
#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_hears_nothing_of_another() {
    let pods = |of: &[(&str, &str)]| -> String {
        of.iter().map(|(name, node)| pod(name, node, None)).collect()
    };
    let text = nodes(2) + &tenant("red", SUBNETS) + &tenant("blue", SUBNETS);
    let text = text + &pods(&REDS) + &pods(&BLUES);
    let more = folder_of(&(text.clone() + &tenant("green", SUBNETS) + &pods(&GREENS)));
    let usual = folder_of(&text);
    let mut stand = Stand::new(usual.path()).await;
    let reds = Arc::new(REDS.map(|(pod, _)| (pod, stand.capture(pod, PRIMARY))));
    let blues = BLUES.map(|(pod, _)| (pod, stand.capture(pod, PRIMARY)));
    everybody_hears(&stand, &blues, "before");
    for pod in ["red/r1", "red/r3"] {
        let (flood, is_over) = (Flood::new(&stand, pod), Arc::new(AtomicBool::new(false)));
        let (ears, over) = (Arc::clone(&reds), Arc::clone(&is_over));
        let flooding = tokio::task::spawn_blocking(move || flood.run(&*ears, &over));
        stand.apply(more.path()).await;
        stand.apply(usual.path()).await;
        is_over.store(true, Ordering::Release);
        println!("{pod}: {:?}", flooding.await.expect("the flood does not panic"));
    }
    everybody_hears(&stand, &blues, "after");
    for (pod, capture) in &blues {
        let frames = capture.frames();
        let strangers = frames.iter().filter(|frame| frame.contains(RED.as_bytes()));
        let strangers: Vec<_> = strangers.map(|it| String::from_utf8_lossy(&it.bytes)).collect();
        assert!(strangers.is_empty(), "{pod} heard {} frames: {strangers:?}", strangers.len());
    }
}

/// Every pod of a tenant shouts, and every other one hears it: the captures work.
fn everybody_hears(stand: &Stand, captures: &[(&str, Capture)], word: &str) {
    for (from, _) in captures {
        let marker = format!("control {word} {from}");
        let (mac, ip) = (stand.mac(from), stand.v4(from));
        let ends = Ends::new(ip.into(), Ipv4Addr::BROADCAST.into());
        let frame = udp(Ends::new(mac, Mac::BROADCAST), ends, marker.as_bytes());
        stand.wire(from, PRIMARY).send(&frame).expect("a frame is sent");
        for (_, capture) in captures.iter().filter(|(pod, _)| pod != from) {
            let heard = capture.wait_for(&marker, LIMIT, |it| it.contains(marker.as_bytes()));
            heard.expect("a tenant hears itself");
        }
    }
}

/// Who somebody is.
#[derive(Debug, Clone, Copy)]
struct Person {
    mac: Mac,
    v4: Ipv4Addr,
    v6: Ipv6Addr,
}

impl Person {
    fn of(stand: &Stand, pod: &str) -> Self {
        Self { mac: stand.mac(pod), v4: stand.v4(pod), v6: stand.v6(pod) }
    }
}

/// A pod that sends everything that a switch might spread too far.
struct Flood {
    pod: &'static str,
    wire: Wire,
    own: Person,
    /// Their addresses mean nothing in the sender's network, or somebody else.
    strangers: [Person; 6],
}

/// In how many rounds there was a flood, in how many of them its end was heard by all at home, and
/// how many frames got lost there.
#[derive(Debug, Default)]
struct Flooded {
    rounds: usize,
    echoed: usize,
    lost: usize,
}

impl Flood {
    fn new(stand: &Stand, pod: &'static str) -> Self {
        let strangers = BLUES.map(|(stranger, _)| Person::of(stand, stranger));
        Self { pod, wire: stand.wire(pod, PRIMARY), own: Person::of(stand, pod), strangers }
    }

    /// Floods until it is over; returns what came of it. Nearly all that is for all is heard at
    /// home: a userspace switch may drop a frame while its ports change.
    fn run(&self, home: &[(&str, Capture)], is_over: &AtomicBool) -> Flooded {
        let mut flooded = Flooded::default();
        while flooded.echoed < *ROUNDS.start() || !is_over.load(Ordering::Acquire) {
            flooded.rounds += 1;
            assert!(flooded.rounds <= *ROUNDS.end(), "it is never over: {flooded:?}");
            for frame in self.frames(flooded.rounds) {
                self.wire.send(&frame).expect("a frame is sent");
            }
            // Waiting for the echo keeps the switch from dropping what it cannot swallow.
            let marker = self.marker("all-nodes", flooded.rounds);
            let is_echo = |it: &Frame| it.contains(marker.as_bytes());
            let mut others = home.iter().filter(|(pod, _)| *pod != self.pod);
            let is_heard = others.all(|(_, ear)| ear.wait_for(&marker, ECHO, is_echo).is_ok());
            flooded.echoed += usize::from(is_heard);
        }
        for (pod, capture) in home.iter().filter(|(pod, _)| *pod != self.pod) {
            let frames = capture.frames();
            for kind in SHARED {
                let marker = format!("{RED}{} {kind} ", self.pod);
                let heard = frames.iter().filter(|it| it.contains(marker.as_bytes())).count();
                assert!(
                    heard * 10 >= flooded.rounds * 9,
                    "{pod}, {marker}: {heard} of {flooded:?}"
                );
                flooded.lost += flooded.rounds - heard;
            }
        }
        flooded
    }

    fn marker(&self, kind: &str, round: usize) -> String {
        format!("{RED}{} {kind} {round}.", self.pod)
    }

    fn frames(&self, round: usize) -> Vec<Vec<u8>> {
        let Person { mac, v4, v6 } = self.own;
        let marker = |kind: &str| self.marker(kind, round).into_bytes();
        let packet = |kind: &str, to_mac: Mac, to: IpAddr| {
            let from = if to.is_ipv4() { v4.into() } else { v6.into() };
            udp(Ends::new(mac, to_mac), Ends::new(from, to), &marker(kind))
        };
        let question = |to: Mac, wanted: Ipv4Addr, kind: &str| {
            Arp::question((mac, v4), wanted).frame(Ends::new(mac, to), &marker(kind))
        };
        let mut frames = Vec::new();
        for stranger in self.strangers.iter().chain([&NOBODY]) {
            frames.push(packet("stranger", stranger.mac, stranger.v4.into()));
            frames.push(packet("stranger", stranger.mac, stranger.v6.into()));
            frames.push(question(stranger.mac, stranger.v4, "stranger"));
        }
        frames.push(question(Mac::BROADCAST, NOBODY.v4, "arp"));
        let solicitation = neighbour_solicitation((mac, v6), NOBODY.v6);
        frames.push(with_trailer(solicitation, &marker("discovery")));
        frames.push(packet("broadcast", Mac::BROADCAST, Ipv4Addr::BROADCAST.into()));
        frames.push(packet("multicast", Mac::of_group(GROUP_V4.into()), GROUP_V4.into()));
        frames.push(packet("multicast-v6", Mac::of_group(GROUP_V6.into()), GROUP_V6.into()));
        frames.push(packet("all-nodes", Mac::of_group(ALL_NODES.into()), ALL_NODES.into()));
        frames
    }
}

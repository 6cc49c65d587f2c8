//! Tenants with the same subnet: whatever one of them sends, the others hear none of it, not even
//! while networks and pods come and go, nor those to whom that happens.

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
/// The kinds of frames that everybody in the sender's own network gets.
const SHARED: [&str; 6] =
    ["arp", "discovery", "broadcast", "multicast", "multicast-v6", "all-nodes"];

/// A pod of `namespace/name`, and its node.
type Placed = (&'static str, &'static str);

/// A tenant, with its pods that stay.
#[derive(Debug, Clone, Copy)]
struct Tenant {
    name: &'static str,
    pods: &'static [Placed],
}

const RED: Tenant = Tenant {
    name: "red",
    pods: &[("red/r1", "node-1"), ("red/r2", "node-1"), ("red/r3", "node-2"), ("red/r4", "node-2")],
};
/// The last two have addresses that no other pod has that stays.
const BLUE: Tenant = Tenant {
    name: "blue",
    pods: &[
        ("blue/b1", "node-1"),
        ("blue/b2", "node-2"),
        ("blue/b3", "node-1"),
        ("blue/b4", "node-2"),
        ("blue/b5", "node-1"),
        ("blue/b6", "node-2"),
    ],
};
/// The tenant that is changed: more of its pods come and go.
const GREEN: Tenant = Tenant {
    name: "green",
    pods: &[("green/g1", "node-1"), ("green/g2", "node-2"), ("green/g3", "node-1")],
};
const TENANTS: [Tenant; 3] = [RED, BLUE, GREEN];
const MORE_GREENS: Tenant =
    Tenant { name: "green", pods: &[("green/g4", "node-1"), ("green/g5", "node-2")] };
/// A tenant that comes and goes as a whole.
const YELLOW: Tenant =
    Tenant { name: "yellow", pods: &[("yellow/y1", "node-1"), ("yellow/y2", "node-2")] };

// proves: X-14
#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_hears_nothing_of_another() {
    let text = TENANTS.iter().fold(nodes(2), |text, it| text + &it.network() + &it.pods());
    let coming = MORE_GREENS.pods() + &YELLOW.network() + &YELLOW.pods();
    let (usual, more) = (folder_of(&text), folder_of(&(text.clone() + &coming)));
    let mut stand = Stand::new(usual.path()).await;
    let homes = TENANTS.map(|tenant| Arc::new(Home::new(&stand, tenant)));
    homes.iter().for_each(|home| home.everybody_hears(&stand, "before"));
    for senders in [["red/r1", "blue/b1", "green/g1"], ["red/r3", "blue/b2", "green/g2"]] {
        let is_over = Arc::new(AtomicBool::new(false));
        let floods = senders.iter().zip(&homes).map(|(pod, home)| {
            let (flood, home) = (Flood::new(&stand, pod, home.tenant), Arc::clone(home));
            let is_over = Arc::clone(&is_over);
            tokio::task::spawn_blocking(move || flood.run(&home, &is_over))
        });
        let floods: Vec<_> = floods.collect();
        stand.apply(more.path()).await;
        for tenant in [MORE_GREENS, YELLOW] {
            let guests = Home::new(&stand, tenant);
            guests.everybody_hears(&stand, "meanwhile");
            guests.heard_no_others();
        }
        stand.apply(usual.path()).await;
        is_over.store(true, Ordering::Release);
        for (pod, flood) in senders.iter().zip(floods) {
            println!("{pod}: {:?}", flood.await.expect("the flood does not panic"));
        }
    }
    for home in &homes {
        home.everybody_hears(&stand, "after");
        home.heard_no_others();
    }
}

impl Tenant {
    fn network(&self) -> String {
        tenant(self.name, SUBNETS)
    }

    fn pods(&self) -> String {
        self.pods.iter().map(|(name, node)| pod(name, node, None)).collect()
    }

    /// What all frames of the tenant carry, and no others.
    fn marker(&self) -> String {
        format!("udn-{} ", self.name)
    }
}

/// Pods of a tenant that listen.
struct Home {
    tenant: Tenant,
    captures: Vec<(&'static str, Capture)>,
}

impl Home {
    fn new(stand: &Stand, tenant: Tenant) -> Self {
        let captures = tenant.pods.iter().map(|(pod, _)| (*pod, stand.capture(pod, PRIMARY)));
        Self { tenant, captures: captures.collect() }
    }

    /// Every pod shouts, and every other one hears it: the captures work.
    fn everybody_hears(&self, stand: &Stand, word: &str) {
        for (from, _) in &self.captures {
            let marker = format!("{}{from} control {word}.", self.tenant.marker());
            let (mac, ip) = (stand.mac(from), stand.v4(from));
            let ends = Ends::new(ip.into(), Ipv4Addr::BROADCAST.into());
            let frame = udp(Ends::new(mac, Mac::BROADCAST), ends, marker.as_bytes());
            stand.wire(from, PRIMARY).send(&frame).expect("a frame is sent");
            for (_, capture) in self.others(from) {
                let heard = capture.wait_for(&marker, LIMIT, |it| it.contains(marker.as_bytes()));
                heard.expect("a tenant hears itself");
            }
        }
    }

    /// The captures of all but one pod.
    fn others(&self, pod: &str) -> impl Iterator<Item = &(&'static str, Capture)> {
        self.captures.iter().filter(move |(other, _)| *other != pod)
    }

    /// No pod heard a frame of another tenant until now.
    fn heard_no_others(&self) {
        let others = TENANTS.iter().chain([&YELLOW]).filter(|it| it.name != self.tenant.name);
        let markers: Vec<String> = others.map(Tenant::marker).collect();
        for (pod, capture) in &self.captures {
            let frames = capture.frames();
            let is_strange = |it: &&Frame| markers.iter().any(|word| it.contains(word.as_bytes()));
            let strange = frames.iter().filter(is_strange);
            let strange: Vec<_> = strange.map(|it| String::from_utf8_lossy(&it.bytes)).collect();
            assert!(strange.is_empty(), "{pod} heard {} frames: {strange:?}", strange.len());
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
    tenant: Tenant,
    wire: Wire,
    own: Person,
    /// Their addresses mean nothing in the sender's network, or somebody else.
    strangers: Vec<Person>,
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
    fn new(stand: &Stand, pod: &'static str, tenant: Tenant) -> Self {
        let others = TENANTS.iter().filter(|it| it.name != tenant.name);
        // Of each tenant its last ones, whose addresses the fewest others have.
        let last = others.flat_map(|it| it.pods.iter().rev().take(3));
        let strangers = last.map(|(stranger, _)| Person::of(stand, stranger)).collect();
        let (wire, own) = (stand.wire(pod, PRIMARY), Person::of(stand, pod));
        Self { pod, tenant, wire, own, strangers }
    }

    /// Floods until it is over; returns what came of it. Nearly all that is for all is heard at
    /// home: a userspace switch may drop a frame while its ports change.
    fn run(&self, home: &Home, is_over: &AtomicBool) -> Flooded {
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
            let mut others = home.others(self.pod);
            let is_heard = others.all(|(_, ear)| ear.wait_for(&marker, ECHO, is_echo).is_ok());
            flooded.echoed += usize::from(is_heard);
        }
        for (pod, capture) in home.others(self.pod) {
            let frames = capture.frames();
            for kind in SHARED {
                let marker = format!("{}{} {kind} ", self.tenant.marker(), self.pod);
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
        format!("{}{} {kind} {round}.", self.tenant.marker(), self.pod)
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

//! A pod that sends everything that a switch might spread too far.
//!
//! Invariant: every frame carries its tenant's marker.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use udn_lab::capture::frame::{Ends, neighbour_solicitation, udp, with_trailer};
use udn_lab::capture::{Arp, Frame, Mac, Wire};

use super::TENANTS;
use super::home::{Home, Tenant};
use crate::rig::{PRIMARY, Stand};

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
/// How long a flood rests after each round, once there were enough.
const REST: Duration = Duration::from_millis(100);
/// How long a flood without an echo rests after each round.
const PACE: Duration = Duration::from_millis(40);
/// The kinds of frames that everybody in the sender's own network gets.
const SHARED: [&str; 6] =
    ["arp", "discovery", "broadcast", "multicast", "multicast-v6", "all-nodes"];

/// Who somebody is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Person {
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
pub(crate) struct Flood {
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
pub(crate) struct Flooded {
    rounds: usize,
    echoed: usize,
    lost: usize,
}

/// In how many rounds there was a flood, and whether it ended because its link went.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Poured {
    pub(crate) rounds: usize,
    pub(crate) is_cut: bool,
}

impl Flood {
    /// A flood from a pod; the tenants that it could reach are there.
    pub(crate) fn new(stand: &Stand, pod: &'static str, tenant: Tenant) -> Self {
        let others = TENANTS.iter().filter(|it| it.name != tenant.name);
        // Of each tenant its last ones, whose addresses the fewest others have.
        let last = others.flat_map(|it| it.pods.iter().rev().take(3));
        let strangers = last.map(|(stranger, _)| Person::of(stand, stranger)).collect();
        let (wire, own) = (stand.wire(pod, PRIMARY), Person::of(stand, pod));
        Self { pod, tenant, wire, own, strangers }
    }

    /// Floods until it is over; returns what came of it. Nearly all that is for all is heard at
    /// home: a userspace switch may drop a frame while its ports change.
    pub(crate) fn run(&self, home: &Home, is_over: &AtomicBool) -> Flooded {
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
            if flooded.echoed >= *ROUNDS.start() {
                // waits: enough was sent for a start, and captures have room only for so much
                std::thread::sleep(REST);
            }
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

    /// Floods until it is over or the pod's link is gone, whoever hears it or not.
    pub(crate) fn pour(&self, is_over: &AtomicBool) -> Poured {
        for round in 1.. {
            if is_over.load(Ordering::Acquire) {
                return Poured { rounds: round - 1, is_cut: false };
            }
            let mut frames = self.frames(round).into_iter();
            if !frames.all(|frame| self.wire.send(&frame).is_ok()) {
                return Poured { rounds: round, is_cut: true };
            }
            // waits: the reconcile needs the processor too
            std::thread::sleep(PACE);
        }
        unreachable!("there is no last round");
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

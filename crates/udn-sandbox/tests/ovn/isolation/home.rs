//! Tenants, and pods of theirs that listen.
//!
//! Reads a [`Stand`]; returns what pods heard.
//! Invariant: every frame that a test sends carries its tenant's marker, so that whatever else carries
//! a marker is a stranger's.

use std::net::Ipv4Addr;

use udn_lab::capture::frame::{Ends, udp};
use udn_lab::capture::{Capture, Frame, Mac};

use crate::rig::manifests::{pod, tenant};
use crate::rig::{LIMIT, PRIMARY, Stand};

/// All tenants have the same, on purpose.
const SUBNETS: &str = "10.30.0.0/16, fd30::/64";
/// What the markers of all tenants begin with.
const ANY_MARKER: &[u8] = b"udn tenant ";
/// How often a control frame is sent.
const TIMES: usize = 3;

/// A pod of `namespace/name`, and its node.
pub(crate) type Placed = (&'static str, &'static str);

/// A tenant, with its pods that stay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tenant {
    pub(crate) name: &'static str,
    pub(crate) pods: &'static [Placed],
}

impl Tenant {
    pub(crate) fn network(&self) -> String {
        tenant(self.name, SUBNETS)
    }

    pub(crate) fn pods(&self) -> String {
        self.pods.iter().map(|(name, node)| pod(name, node, None)).collect()
    }

    /// What all frames of the tenant carry, and no others.
    pub(crate) fn marker(&self) -> String {
        format!("udn tenant {}:", self.name)
    }
}

/// Pods of a tenant that listen.
pub(crate) struct Home {
    pub(crate) tenant: Tenant,
    captures: Vec<(&'static str, Capture)>,
}

impl Home {
    pub(crate) fn new(stand: &Stand, tenant: Tenant) -> Self {
        Self::without(stand, tenant, &[])
    }

    /// All pods of the tenant but some.
    pub(crate) fn without(stand: &Stand, tenant: Tenant, absent: &[&str]) -> Self {
        let pods = tenant.pods.iter().filter(|(pod, _)| !absent.contains(pod));
        let captures = pods.map(|(pod, _)| (*pod, stand.capture(pod, PRIMARY)));
        Self { tenant, captures: captures.collect() }
    }

    /// Listens no more.
    pub(crate) fn leave(&mut self) {
        self.captures.clear();
    }

    /// Every pod shouts, and every other one hears it: the captures work.
    pub(crate) fn everybody_hears(&self, stand: &Stand, word: &str) {
        for (from, _) in &self.captures {
            let marker = format!("{}{from} control {word}.", self.tenant.marker());
            let (mac, ip) = (stand.mac(from), stand.v4(from));
            let ends = Ends::new(ip.into(), Ipv4Addr::BROADCAST.into());
            let frame = udp(Ends::new(mac, Mac::BROADCAST), ends, marker.as_bytes());
            // A userspace switch may drop a frame while its ports change.
            let wire = stand.wire(from, PRIMARY);
            (0..TIMES).for_each(|_| wire.send(&frame).expect("a frame is sent"));
            for (_, capture) in self.others(from) {
                let heard = capture.wait_for(&marker, LIMIT, |it| it.contains(marker.as_bytes()));
                heard.expect("a tenant hears itself");
            }
        }
    }

    /// Every pod hears something of its own tenant, where others send.
    pub(crate) fn everybody_hears_the_flood(&self) {
        let marker = self.tenant.marker();
        for (pod, capture) in &self.captures {
            let heard = capture.wait_for(&marker, LIMIT, |it| it.contains(marker.as_bytes()));
            heard.unwrap_or_else(|late| panic!("{pod}: {late}"));
        }
    }

    /// The captures of all but one pod.
    pub(crate) fn others(&self, pod: &str) -> impl Iterator<Item = &(&'static str, Capture)> {
        self.captures.iter().filter(move |(other, _)| *other != pod)
    }

    /// No pod heard a frame of another tenant until now.
    pub(crate) fn heard_no_others(&self) {
        let own = self.tenant.marker();
        for (pod, capture) in &self.captures {
            let frames = capture.frames();
            let is_strange = |it: &&Frame| it.contains(ANY_MARKER) && !it.contains(own.as_bytes());
            let strange = frames.iter().filter(is_strange);
            let strange: Vec<_> = strange.map(|it| String::from_utf8_lossy(&it.bytes)).collect();
            assert!(strange.is_empty(), "{pod} heard {} frames: {strange:?}", strange.len());
        }
    }
}

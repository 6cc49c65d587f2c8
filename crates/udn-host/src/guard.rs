//! Flows of the integration bridge that drop pods' router advertisements.
//!
//! Reads who is guarded and which flows stand; returns the lines of a bundle. The rest of the router
//! guard is rows of the northbound database; but OVN lets router advertisements pass every ACL of a
//! switch that tracks connections, so these are dropped before OVN sees them.
//! Invariant: a flow without the guard's cookie is never touched, and a flow does not depend on the
//! number of a port: it stands before its pod is plugged in. Whoever sends under another MAC than its
//! own is stopped by port security.

use std::collections::BTreeSet;
use std::fmt::Write;

use udn_model::MacAddress;

#[cfg(test)]
mod tests;

/// Marks the guard's flows: beyond the 32 bits that ovn-controller uses for its own.
pub const GUARD_COOKIE: u64 = 0x75_646e_0000_0001;
/// Before everything that ovn-controller has in the first table.
pub const GUARD_PRIORITY: u16 = 65_000;

/// The pods whose router advertisements a bridge drops.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GuardPlan {
    pub bridge: String,
    pub macs: BTreeSet<MacAddress>,
}

/// Lines for `ovs-ofctl --bundle add-flows`, and how many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GuardChange {
    pub bundle: String,
    pub count: usize,
}

impl GuardPlan {
    /// What must come; `standing` is what `ovs-ofctl dump-flows` prints for the guard's cookie.
    pub fn missing(&self, standing: &str) -> GuardChange {
        let standing = macs(standing);
        change(self.macs.difference(&standing), addition)
    }

    /// What may go, once the pods of other MACs are unplugged.
    pub fn surplus(&self, standing: &str) -> GuardChange {
        let standing = macs(standing);
        change(standing.difference(&self.macs), |mac| format!("delete_strict {}", condition(mac)))
    }
}

/// The lines by which some pods come under guard and others leave it.
pub fn exchange(come: &BTreeSet<MacAddress>, go: &BTreeSet<MacAddress>) -> GuardChange {
    let come = change(come.iter(), addition);
    let go = change(go.iter(), |mac| format!("delete_strict {}", condition(mac)));
    GuardChange { bundle: come.bundle + &go.bundle, count: come.count + go.count }
}

fn addition(mac: &MacAddress) -> String {
    format!("add cookie={GUARD_COOKIE:#x},{} actions=drop", condition(mac))
}

fn change<'a>(
    macs: impl Iterator<Item = &'a MacAddress>,
    line: impl Fn(&MacAddress) -> String,
) -> GuardChange {
    let mut change = GuardChange::default();
    for mac in macs {
        // Writing to a text never fails.
        let _ = writeln!(change.bundle, "{}", line(mac));
        change.count += 1;
    }
    change
}

fn condition(mac: &MacAddress) -> String {
    format!("table=0,priority={GUARD_PRIORITY},icmp6,icmp_type=134,dl_src={mac}")
}

/// The MACs of printed flows.
pub fn macs(printed: &str) -> BTreeSet<MacAddress> {
    let after = printed.lines().filter_map(|line| line.split_once("dl_src="));
    let words = after.filter_map(|(_, rest)| rest.split([',', ' ']).next());
    words.filter_map(|mac| mac.parse().ok()).collect()
}

//! The physical networks of a node, as its bridge mappings and bridges tell.
//!
//! Invariant: a physical network is there only if its bridge is.

use std::collections::BTreeSet;

use udn_wire::api::{PhysicalNetwork, VlanRange};

use super::mappings::{self, MAPPINGS};
use super::{BridgeSeen, SwitchSeen};

/// How many ranges of VLANs a report takes.
const MOST_RANGES: usize = 64;

/// The physical networks that are there, by name.
pub(super) fn physical_networks(switch: &SwitchSeen) -> Vec<PhysicalNetwork> {
    let mappings = mappings::parse(text(switch));
    let present = mappings.iter().filter_map(|mapping| {
        let bridge = switch.bridges.get(mapping.bridge)?;
        Some(PhysicalNetwork {
            name: mapping.network.to_owned(),
            bridge: mapping.bridge.to_owned(),
            mtu: mtu(bridge),
            vlans: vlans(bridge),
        })
    });
    let mut present: Vec<PhysicalNetwork> = present.collect();
    present.sort_by(|one, other| one.name.cmp(&other.name));
    present
}

/// What is wrong with the mappings.
pub(super) fn complaints(switch: &SwitchSeen) -> BTreeSet<String> {
    let mut complaints = BTreeSet::new();
    for mapping in mappings::parse(text(switch)) {
        let (network, bridge) = (mapping.network, mapping.bridge);
        if !switch.bridges.contains_key(bridge) {
            complaints.insert(format!(
                "{MAPPINGS} leads physical network {network} to bridge {bridge}, which is not there; \
                 make the bridge, or remove the entry"
            ));
        }
    }
    complaints.extend(mappings::unreadable(text(switch)).map(|entry| {
        let entry = entry.escape_default();
        format!("\"{entry}\" in {MAPPINGS} is not PHYSICAL-NETWORK:BRIDGE; mend or remove it")
    }));
    complaints
}

fn text(switch: &SwitchSeen) -> &str {
    switch.external_ids.get(MAPPINGS).map(String::as_str).unwrap_or_default()
}

/// The largest packet that all uplinks carry, if known.
fn mtu(bridge: &BridgeSeen) -> Option<i32> {
    let least = bridge.uplinks.iter().filter_map(|it| it.mtu).min()?;
    i32::try_from(least).ok().filter(|it| (68..=65_536).contains(it))
}

/// What the uplinks let through, if they say.
fn vlans(bridge: &BridgeSeen) -> Option<Vec<VlanRange>> {
    let says = |it: &super::UplinkSeen| !it.trunks.is_empty();
    if bridge.uplinks.is_empty() || !bridge.uplinks.iter().all(says) {
        return None;
    }
    let tags = bridge.uplinks.iter().flat_map(|it| it.trunks.iter().copied());
    let tags: BTreeSet<i32> = tags.filter(|it| (1..=4094).contains(it)).map(i32::from).collect();
    let mut ranges: Vec<VlanRange> = Vec::new();
    for tag in tags {
        match ranges.last_mut() {
            Some(range) if range.last + 1 == tag => range.last = tag,
            _ => ranges.push(VlanRange { first: tag, last: tag }),
        }
    }
    // What does not fit into a report is as good as not known.
    (ranges.len() <= MOST_RANGES).then_some(ranges)
}

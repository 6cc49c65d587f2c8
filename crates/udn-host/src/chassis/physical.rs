//! The physical networks of a node, as its bridge mappings and bridges tell.
//!
//! Invariant: a physical network is there only if its bridge is, with a port to something; each that is
//! mapped is told of once, as there or as unusable.

use std::collections::BTreeSet;

use udn_wire::api::{PhysicalNetwork, UnusablePhysicalNetwork, VlanRange};

use super::mappings::{self, MAPPINGS, Mapping};
use super::{BridgeSeen, SwitchSeen};

/// How many ranges of VLANs a report takes.
const MOST_RANGES: usize = 64;

/// The physical networks that are there, by name.
pub(super) fn physical_networks(switch: &SwitchSeen) -> Vec<PhysicalNetwork> {
    let mappings = mappings::parse(text(switch));
    let present = mappings.iter().filter_map(|mapping| {
        let bridge = usable_bridge(switch, mapping).ok()?;
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

/// The physical networks that are mapped and cannot be used, by name.
pub(super) fn unusable(switch: &SwitchSeen) -> Vec<UnusablePhysicalNetwork> {
    let mappings = mappings::parse(text(switch));
    let refused = mappings.iter().filter_map(|mapping| {
        let (reason, rest) = usable_bridge(switch, mapping).err()?;
        let Mapping { network, bridge } = mapping;
        let message =
            format!("{MAPPINGS} leads physical network {network} to bridge {bridge}, {rest}");
        Some(UnusablePhysicalNetwork {
            name: (*network).to_owned(),
            reason: reason.to_owned(),
            message: Some(message),
        })
    });
    let mut refused: Vec<UnusablePhysicalNetwork> = refused.collect();
    refused.sort_by(|one, other| one.name.cmp(&other.name));
    refused
}

/// The bridge of a mapping; or why it cannot be used, in a word and in half a sentence.
fn usable_bridge<'a>(
    switch: &'a SwitchSeen,
    mapping: &Mapping<'_>,
) -> Result<&'a BridgeSeen, (&'static str, &'static str)> {
    match switch.bridges.get(mapping.bridge) {
        None => {
            Err(("BridgeMissing", "which is not there; make the bridge, or put the entry right"))
        }
        Some(bridge) if !bridge.has_ports => Err((
            "BridgeWithoutPorts",
            "which leads nowhere; add the uplink of that network to it, or put the entry right",
        )),
        Some(bridge) => Ok(bridge),
    }
}

/// What is wrong with the mappings.
pub(super) fn complaints(switch: &SwitchSeen) -> BTreeSet<String> {
    let mut complaints = BTreeSet::new();
    complaints.extend(unusable(switch).into_iter().filter_map(|it| it.message));
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

//! The switch's entry `ovn-bridge-mappings`: which bridge leads to which physical network.
//!
//! Reads and writes `physnet:br-ex,other:br-other`.
//! Invariant: an entry of somebody else stays as it was written, also one that cannot be read.

/// The entry's key in the switch's `external_ids`.
pub const MAPPINGS: &str = "ovn-bridge-mappings";

/// One entry: a physical network and its bridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mapping<'a> {
    pub network: &'a str,
    pub bridge: &'a str,
}

/// The entries that can be read, in order; of a network that is mapped twice the first counts.
pub fn parse(text: &str) -> Vec<Mapping<'_>> {
    let mut found: Vec<Mapping<'_>> = Vec::new();
    for entry in entries(text) {
        let Some(mapping) = read(entry) else { continue };
        if found.iter().all(|it| it.network != mapping.network) {
            found.push(mapping);
        }
    }
    found
}

/// The entries that cannot be read.
pub fn unreadable(text: &str) -> impl Iterator<Item = &str> {
    entries(text).filter(|entry| read(entry).is_none())
}

/// The text with one network mapped to one bridge, and everything else as it was.
pub fn merged(text: &str, own: Mapping<'_>) -> String {
    if parse(text).contains(&own) {
        return text.to_owned();
    }
    let is_other = |entry: &&str| read(entry).is_none_or(|it| it.network != own.network);
    let mut kept: Vec<&str> = entries(text).filter(is_other).collect();
    let own = format!("{}:{}", own.network, own.bridge);
    kept.push(&own);
    kept.join(",")
}

/// The text without one mapping, and everything else as it was; `None` if nothing is left.
pub fn without(text: &str, own: Mapping<'_>) -> Option<String> {
    let kept: Vec<&str> = entries(text).filter(|entry| read(entry) != Some(own)).collect();
    (!kept.is_empty()).then(|| kept.join(","))
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

// compat: OVN's controller/patch.c, add_ovs_bridge_mappings: the network ends at the first colon
fn read(entry: &str) -> Option<Mapping<'_>> {
    let (network, bridge) = entry.split_once(':')?;
    let (network, bridge) = (network.trim(), bridge.trim());
    (!network.is_empty() && !bridge.is_empty()).then_some(Mapping { network, bridge })
}

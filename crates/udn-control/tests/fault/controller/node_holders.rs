//! Which node had which subnet, in every state that any node ever had.
//!
//! Invariant: no subnet of a network has two living nodes, and what was published never changes as
//! long as the network is the same.

use std::collections::BTreeMap;

use serde_json::Value;
use udn_model::{NodeName, PerFamily, Subnet};
use udn_wire::keys::NODE_SUBNETS;
use udn_wire::{Kind, NodeSubnets};

use super::ending::{MEDDLED, version};
use crate::kit::server::Site;

/// The subnets of a node, by network.
type Held = BTreeMap<String, PerFamily<Subnet>>;

/// Looks at every state of every node, in the order in which they came about.
pub(super) async fn audit(site: &Site, start: u64) -> Result<(), String> {
    let mut states = site.history(Kind::Node, start).await;
    states.sort_by_key(|(_, object)| version(object));
    let mut living: BTreeMap<NodeName, Held> = BTreeMap::new();
    for (event, object) in states {
        let name = NodeName::new(object["metadata"]["name"].as_str().unwrap_or_default());
        let before = living.remove(&name).unwrap_or_default();
        if event == "DELETED" || object["metadata"]["annotations"].get(MEDDLED).is_some() {
            continue;
        }
        let now = held(&object)?;
        for (network, subnets) in &now {
            compare(&name, network, before.get(network), subnets)?;
            for (other, theirs) in &living {
                let theirs = theirs.get(network).copied().unwrap_or_default();
                let meets = |it: &&Subnet| theirs.iter().any(|their| their.overlaps(**it));
                if let Some(subnet) = subnets.iter().find(meets) {
                    return Err(format!("{name} and {other} have {subnet} of {network}"));
                }
            }
        }
        living.insert(name, now);
    }
    Ok(())
}

/// A node keeps what it has; one that has other parts of another size has it of another network.
fn compare(
    node: &NodeName,
    network: &str,
    before: Option<&PerFamily<Subnet>>,
    now: &PerFamily<Subnet>,
) -> Result<(), String> {
    for was in before.into_iter().flat_map(PerFamily::iter) {
        let is = now.of(was.family());
        let is_another_network = is.is_none_or(|it| it.prefix_len() != was.prefix_len());
        if is != Some(was) && !is_another_network {
            return Err(format!("{node} had {was} of {network}, and has {is:?}"));
        }
    }
    Ok(())
}

fn held(node: &Value) -> Result<Held, String> {
    let Some(text) = node["metadata"]["annotations"][NODE_SUBNETS].as_str() else {
        return Ok(Held::new());
    };
    let subnets = NodeSubnets::decode(text).map_err(|it| it.to_string())?;
    let entry = |network: &str| {
        let entry = subnets.entry(network).map_err(|it| it.to_string())?;
        Ok((network.to_owned(), entry.unwrap_or_default()))
    };
    subnets.networks().map(entry).collect()
}

//! Accepts the subnets that nodes carry of a layer-3 network.
//!
//! Reads an intent; returns each node's subnets, and findings on nodes.
//! Invariant: accepted subnets lie in the network's ranges, and no two nodes have overlapping ones.

use std::collections::BTreeMap;

use udn_model::{
    Finding, Intent, Network, NetworkName, NodeName, PerFamily, Reason, Subject, Subnet, Told,
};

#[cfg(test)]
mod tests;

type Accepted = BTreeMap<NodeName, PerFamily<Subnet>>;

/// The subnets of nodes in one network; of two nodes with overlapping ones, the later has none.
pub fn accept_node_subnets(intent: &Intent, name: &NetworkName) -> Told<Accepted> {
    let mut told = Told::<Accepted>::default();
    let network = intent.networks.get(name).filter(|it| it.layer3().is_some());
    let Some(network) = network else { return told };
    let mut holders: BTreeMap<Subnet, &NodeName> = BTreeMap::new();
    let published = intent.published.node_subnets.get(name).into_iter().flatten();
    for (node, subnets) in published.filter(|(node, _)| intent.nodes.contains_key(*node)) {
        for subnet in subnets.iter() {
            match objection(network, *subnet, &holders) {
                Some((reason, message)) => {
                    let finding = Finding::new(Subject::Node(node.clone()), reason, message);
                    told.findings.push(finding);
                }
                None => {
                    holders.insert(*subnet, node);
                    let accepted = told.value.entry(node.clone()).or_default();
                    accepted.put(subnet.family(), *subnet);
                }
            }
        }
    }
    told
}

/// Why a node cannot have a subnet.
fn objection(
    network: &Network,
    subnet: Subnet,
    holders: &BTreeMap<Subnet, &NodeName>,
) -> Option<(Reason, String)> {
    let name = &network.name;
    let remedy = format!(
        "remove the entry of {name} from the node's annotation so that a free one is granted"
    );
    if !network.ranges().any(|range| range.contains_subnet(subnet)) {
        let message = format!("{subnet} is in none of the subnets of network {name}; {remedy}");
        return Some((Reason::InvalidAnnotation, message));
    }
    let (held, holder) = overlapping(subnet, holders)?;
    let held = if held == subnet { String::new() } else { format!(" as {held}") };
    let message =
        format!("{subnet} of network {name} is held by node {holder}{held} too; {remedy}");
    Some((Reason::AlreadyTaken, message))
}

/// Who holds a part of a subnet, or more than that. Those who hold anything do not overlap, so that
/// only the neighbours in order can.
fn overlapping<'i>(
    subnet: Subnet,
    holders: &BTreeMap<Subnet, &'i NodeName>,
) -> Option<(Subnet, &'i NodeName)> {
    let before = holders.range(..=subnet).next_back();
    let behind = holders.range(subnet..).next();
    let near = before.into_iter().chain(behind);
    near.map(|(held, node)| (*held, *node)).find(|(held, _)| held.overlaps(subnet))
}

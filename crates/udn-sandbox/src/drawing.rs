//! A small picture of what was built, for a terminal.
//!
//! Reads an intent, its grants and the hosts outside; returns text.
//! Invariant: every network, node and pod appears once, with its addresses.

use std::collections::BTreeMap;
use std::fmt::Write;

use udn_model::{
    Attachment, Grants, Intent, InterfaceAddress, Network, NodeName, PerFamily, Role, Topology,
};

use crate::matrix::{Host, Reach};

#[cfg(test)]
mod tests;

/// Draws nodes on their underlay, then each network with its pods below the nodes they run on.
pub fn draw(intent: &Intent, grants: &Grants, hosts: &[Host]) -> String {
    let mut out = String::new();
    underlay(&mut out, intent, hosts);
    for network in intent.networks.values() {
        out.push('\n');
        draw_network(&mut out, network, intent, grants, hosts);
    }
    out
}

fn underlay(out: &mut String, intent: &Intent, hosts: &[Host]) {
    for host in hosts.iter().filter(|host| host.reach == Reach::Outside) {
        line(out, format_args!("{} {}", host.name, joined(&host.addresses)));
    }
    line(out, format_args!("══╤══ underlay"));
    let mut nodes = intent.nodes.values().peekable();
    while let Some(node) = nodes.next() {
        let branch = if nodes.peek().is_some() { "├" } else { "└" };
        let addresses = node.gateway.as_ref().map(|it| joined(&it.addresses)).unwrap_or_default();
        line(out, format_args!("  {branch}── {} {addresses}", node.name));
    }
}

fn draw_network(
    out: &mut String,
    network: &Network,
    intent: &Intent,
    grants: &Grants,
    hosts: &[Host],
) {
    line(out, format_args!("{}", headline(network)));
    let mut branches: Vec<(String, Vec<String>)> = Vec::new();
    for own in network.platform_addresses() {
        let mac = network.gateway_mac().map(|mac| mac.to_string()).unwrap_or_default();
        branches.push((format!("gateway {} {mac}, the same on every node", own.gateway), vec![]));
    }
    for host in hosts {
        if host.reach == Reach::Localnet(network.name.clone()) {
            branches.push((format!("{} {}", host.name, joined(&host.addresses)), vec![]));
        }
    }
    let mut on_nodes: BTreeMap<&NodeName, Vec<String>> = BTreeMap::new();
    let cut = grants.node_subnets.get(&network.name);
    on_nodes.extend(cut.into_iter().flatten().map(|(node, _)| (node, Vec::new())));
    for attachment in intent.attachments_of(&network.name) {
        on_nodes.entry(&attachment.node).or_default().push(pod(attachment, grants));
    }
    let node = |node: &NodeName| {
        let subnets = grants.node_subnets(&network.name, node);
        let subnets: Vec<_> = subnets.into_iter().flat_map(PerFamily::iter).collect();
        format!("{node} {}", joined(&subnets)).trim_end().to_owned()
    };
    branches.extend(on_nodes.into_iter().map(|(name, pods)| (node(name), pods)));
    let last = branches.len().saturating_sub(1);
    for (position, (head, pods)) in branches.iter().enumerate() {
        let (branch, stem) = if position == last { ("└", " ") } else { ("├", "│") };
        line(out, format_args!("  {branch}── {head}"));
        let last_pod = pods.len().saturating_sub(1);
        for (position, pod) in pods.iter().enumerate() {
            let branch = if position == last_pod { "└" } else { "├" };
            line(out, format_args!("  {stem}    {branch}── {pod}"));
        }
    }
}

fn headline(network: &Network) -> String {
    let subnets: Vec<_> = network.ranges().collect();
    let kind = match &network.topology {
        Topology::Layer2(Role::Primary(_)) => "layer 2, primary".to_owned(),
        Topology::Layer2(Role::Secondary) => "layer 2, secondary".to_owned(),
        Topology::Layer3(_) if network.is_default() => "layer 3".to_owned(),
        Topology::Layer3(layer3) => match layer3.role {
            Role::Primary(_) => "layer 3, primary".to_owned(),
            Role::Secondary => "layer 3, secondary".to_owned(),
        },
        Topology::Localnet(localnet) => {
            let vlan = localnet.vlan.map_or("untagged".to_owned(), |vlan| format!("VLAN {vlan}"));
            format!("localnet, {vlan} of {}", localnet.physical_network)
        }
    };
    format!("{} ({kind}) {}", network.name, joined(&subnets))
}

fn pod(attachment: &Attachment, grants: &Grants) -> String {
    let grant = grants.attachment(&attachment.network, &attachment.key);
    let addresses: Vec<InterfaceAddress> = grant.map(|it| it.addresses.clone()).unwrap_or_default();
    let addresses: Vec<_> = addresses.iter().map(InterfaceAddress::addr).collect();
    let mac = grant.map(|it| it.mac.to_string()).unwrap_or_else(|| "waiting".to_owned());
    format!("{} {} {mac}", attachment.key.pod.name, joined(&addresses))
}

fn joined<T: std::fmt::Display>(things: &[T]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("texts grow without failing");
}

//! Intents and grants as people read them.
//!
//! Invariant: everything that was asked for appears once, under the network it belongs to.

use std::fmt::Write;

use udn_model::{
    AttachmentGrant, ClusterSubnet, Findings, Grants, Intent, InterfaceAddress, Network,
    NetworkName, ObjectName, Role, Subnet, Topology,
};

/// What was asked for.
pub(super) fn intent(intent: &Intent) -> String {
    let mut out = String::new();
    for network in intent.networks.values() {
        describe(&mut out, network);
        for attachment in intent.attachments_of(&network.name) {
            line(&mut out, 1, format_args!("pod {} on {}", attachment.key.pod, attachment.node));
        }
    }
    for (name, node) in &intent.nodes {
        let chassis = node.chassis.as_ref().map_or("not told", |chassis| chassis.as_str());
        let addresses = node.gateway.as_ref().map(|gateway| joined(&gateway.addresses));
        let addresses = addresses.unwrap_or_else(|| "not told".to_owned());
        line(&mut out, 0, format_args!("node {name}: chassis {chassis}, addresses {addresses}"));
    }
    for (service, addresses) in &intent.allowed_services {
        line(&mut out, 0, format_args!("service {service}: {}", joined(addresses)));
    }
    out
}

fn describe(out: &mut String, network: &Network) {
    let kind = match &network.topology {
        Topology::Layer2(Role::Primary(_)) => "primary layer 2".to_owned(),
        Topology::Layer2(Role::Secondary) => "secondary layer 2".to_owned(),
        Topology::Layer3(layer3) => match layer3.role {
            Role::Primary(_) => "primary layer 3".to_owned(),
            Role::Secondary => "secondary layer 3".to_owned(),
        },
        Topology::Localnet(localnet) => {
            let vlan = localnet.vlan.map_or("untagged".to_owned(), |vlan| format!("VLAN {vlan}"));
            format!("localnet, {vlan} of {}", localnet.physical_network)
        }
    };
    line(out, 0, format_args!("network {}: {kind}", network.name));
    let subnets: Vec<Subnet> = network.subnets.iter().collect();
    if let Some(layer3) = network.layer3() {
        for ClusterSubnet { subnet, host_prefix_len } in &layer3.subnets {
            line(
                out,
                1,
                format_args!("subnet {subnet}, of which each node gets a /{host_prefix_len}"),
            );
        }
    } else if subnets.is_empty() {
        line(out, 1, format_args!("hands out no addresses"));
    } else {
        line(out, 1, format_args!("subnets {}", joined(&subnets)));
    }
    if !network.excluded.is_empty() {
        line(out, 1, format_args!("never hands out {}", joined(&network.excluded)));
    }
    for own in network.platform_addresses() {
        line(out, 1, format_args!("gateway {}, management {}", own.gateway, own.management));
    }
    if let Some(mtu) = network.mtu {
        line(out, 1, format_args!("MTU {mtu}"));
    }
    let nads: Vec<String> = network.nads.iter().map(ObjectName::to_string).collect();
    line(out, 1, format_args!("attached through {}", joined(&nads)));
}

/// The numbers in force.
pub(super) fn grants(grants: &Grants) -> String {
    let mut out = String::new();
    for (node, id) in &grants.nodes {
        line(&mut out, 0, format_args!("node {node}: id {id}"));
    }
    for (name, grant) in &grants.networks {
        line(&mut out, 0, format_args!("network {name}: id {}", grant.id));
        if !grant.tunnel_keys.is_empty() {
            line(&mut out, 1, format_args!("tunnel keys {}", joined(&grant.tunnel_keys)));
        }
        if !grant.transit.is_empty() {
            let transit: Vec<&Subnet> = grant.transit.iter().collect();
            line(&mut out, 1, format_args!("transit {}", joined(&transit)));
        }
        nodes_of(&mut out, grants, name);
        for (key, grant) in grants.attachments.get(name).into_iter().flatten() {
            line(&mut out, 1, format_args!("pod {}: {}", key.pod, held(grant)));
        }
    }
    // The default network has no number to be granted.
    for name in grants.node_subnets.keys().filter(|it| !grants.networks.contains_key(it)) {
        line(&mut out, 0, format_args!("network {name}"));
        nodes_of(&mut out, grants, name);
    }
    out
}

/// The nodes' subnets of a network.
fn nodes_of(out: &mut String, grants: &Grants, network: &NetworkName) {
    for (node, subnets) in grants.node_subnets.get(network).into_iter().flatten() {
        let subnets: Vec<&Subnet> = subnets.iter().collect();
        line(out, 1, format_args!("node {node}: subnets {}", joined(&subnets)));
    }
}

fn held(grant: &AttachmentGrant) -> String {
    let addresses: Vec<String> = grant.addresses.iter().map(InterfaceAddress::to_string).collect();
    let key = grant.port_key.map(|key| format!(", port key {key}")).unwrap_or_default();
    let addresses =
        if addresses.is_empty() { "no address".to_owned() } else { addresses.join(" ") };
    format!("{addresses}, {}{key}", grant.mac)
}

/// What is not as it should be.
pub(super) fn findings(findings: &Findings) -> String {
    let mut out = String::new();
    for finding in findings {
        line(&mut out, 0, format_args!("! {finding}"));
    }
    out
}

fn joined<T: std::fmt::Display>(things: &[T]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn line(out: &mut String, depth: usize, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{}{text}", "    ".repeat(depth)).expect("texts grow without failing");
}

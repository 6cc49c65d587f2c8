//! Draws what a network has once in every zone: its switch, and a primary network's transit router.
//!
//! Invariant: a backbone mentions no pod, and of all nodes only the zone's own chassis.

use std::collections::BTreeSet;

use ovn::northbound::{LoadBalancerGroup, LogicalSwitch, LogicalSwitchPort};
use ovn::{Key, Sheet};
use udn_model::{Family, Localnet, Network, NetworkGrant, Role, Topology};

use super::rows::{Texts, balancers, marks_with_role, texts};
use super::{guard, transit};
use crate::input::DrawingInput;
use crate::missing::Missing;
use crate::names::{self, Prefix};
use crate::ready::{ReadyNetwork, ReadyPrimary};

pub(super) fn draw_backbone(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &Network,
) -> Result<(), Vec<Missing>> {
    match &network.topology {
        Topology::Layer2(Role::Primary(_)) => {
            let Some(ready) = ReadyPrimary::of(input, network) else { return Ok(()) };
            let ready = ready.map_err(|missing| vec![missing])?;
            let switch = draw_layer2_switch(sheet, &ready.base);
            guard::draw_guard(sheet, input, network);
            transit::draw_transit(sheet, input, &ready, &switch);
            // No part of its own could tell of a node that is not there.
            let own = input.node(input.zone);
            own.map(drop).ok_or_else(|| vec![Missing::Node(input.zone.clone())])
        }
        Topology::Layer2(Role::Secondary) => {
            let ready = ReadyNetwork::of(input, network).map_err(|missing| vec![missing])?;
            draw_layer2_switch(sheet, &ready);
            guard::draw_guard(sheet, input, network);
            Ok(())
        }
        Topology::Localnet(localnet) => {
            let ready = ReadyNetwork::of(input, network).map_err(|missing| vec![missing])?;
            draw_localnet(sheet, &ready, localnet);
            guard::draw_guard(sheet, input, network);
            Ok(())
        }
    }
}

fn draw_layer2_switch(sheet: &mut Sheet, ready: &ReadyNetwork<'_>) -> Key {
    let prefix = &ready.prefix;
    let groups = [names::cluster_balancers(prefix), names::switch_balancers(prefix)];
    for name in groups.iter().cloned().chain([names::router_balancers(prefix)]) {
        sheet.draw(&LoadBalancerGroup { name, ..LoadBalancerGroup::default() });
    }
    let name = names::layer2_switch(prefix);
    let mut other_config = subnet_config(ready.network);
    other_config.extend(texts([
        ("interconn-ts", &name),
        ("requested-tnl-key", &tunnel_key(ready).to_string()),
        ("mcast_snoop", "true"),
        ("mcast_querier", "false"),
        ("mcast_flood_unregistered", "true"),
    ]));
    sheet.draw(&LogicalSwitch {
        name,
        other_config,
        external_ids: marks_with_role(ready.network),
        load_balancer_group: groups.iter().map(|name| balancers(name)).collect(),
        ..LogicalSwitch::default()
    })
}

/// The key by which all zones know the switch.
fn tunnel_key(ready: &ReadyNetwork<'_>) -> u32 {
    let NetworkGrant { id, tunnel_keys, .. } = ready.numbers;
    tunnel_keys.first().copied().unwrap_or_else(|| id.preserved_key()).get()
}

fn draw_localnet(sheet: &mut Sheet, ready: &ReadyNetwork<'_>, localnet: &Localnet) {
    let prefix: &Prefix = &ready.prefix;
    let switch = sheet.draw(&LogicalSwitch {
        name: names::localnet_switch(prefix),
        other_config: subnet_config(ready.network),
        external_ids: marks_with_role(ready.network),
        ..LogicalSwitch::default()
    });
    // compat: the port shows no network; only its name does
    let port = LogicalSwitchPort {
        name: names::localnet_port(prefix),
        r#type: "localnet".to_owned(),
        addresses: BTreeSet::from(["unknown".to_owned()]),
        options: texts([("network_name", &localnet.physical_network)]),
        tag_request: localnet.vlan.map(|vlan| vlan.get().into()),
        ..LogicalSwitchPort::default()
    };
    sheet.draw_under(&port, &switch, LogicalSwitch::PORTS);
}

/// What a switch is told of the network's subnets.
fn subnet_config(network: &Network) -> Texts {
    let of = |family| network.subnets.of(family);
    let v4 = of(Family::V4).map(|subnet| ("subnet".to_owned(), subnet.to_string()));
    let v6 = of(Family::V6).map(|subnet| ("ipv6_prefix".to_owned(), subnet.base().to_string()));
    v4.into_iter().chain(v6).collect()
}

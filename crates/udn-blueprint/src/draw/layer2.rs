//! Draws layer-2 networks: one switch for all nodes, and of a primary network a transit router and
//! each node's way out.
//!
//! Invariant: a backbone mentions no pod, and of all nodes only the zone's own chassis.

use ovn::northbound::LogicalSwitch;
use ovn::{Key, Sheet};
use udn_model::{Network, NetworkGrant, Node, Primary, Role};

use super::guard::{self, Guarded};
use super::rows::{draw_balancers, marks_with_role, subnet_config, switch_balancers, texts};
use crate::input::DrawingInput;
use crate::missing::Missing;
use crate::names;
use crate::ready::{OtherNode, OwnNode, PrimaryLayer2, ReadyNetwork};

mod other_node;
mod own_node;
mod transit;

pub(super) fn draw_backbone(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    (network, role): (&Network, &Role),
) -> Result<(), Vec<Missing>> {
    match role {
        Role::Primary(primary) => {
            let ready = PrimaryLayer2::of(input, network, primary);
            let ready = ready.map_err(|missing| vec![missing])?;
            let switch = draw_switch(sheet, &ready.base);
            draw_guard(sheet, input, &ready.base, true);
            transit::draw_transit(sheet, input, &ready, &switch);
            // No part of its own could tell of a node that is not there.
            let own = input.node(input.zone);
            own.map(drop).ok_or_else(|| vec![Missing::Node(input.zone.clone())])
        }
        Role::Secondary => {
            let ready = ReadyNetwork::of(input, network).map_err(|missing| vec![missing])?;
            draw_switch(sheet, &ready);
            draw_guard(sheet, input, &ready, false);
            Ok(())
        }
    }
}

pub(super) fn draw_node(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    (network, primary): (&Network, &Primary),
    node: &Node,
) -> Result<(), Vec<Missing>> {
    // Without its numbers nothing of a network can be drawn; its backbone says so once.
    let Ok(ready) = PrimaryLayer2::of(input, network, primary) else { return Ok(()) };
    if input.is_own(&node.name) {
        let own = OwnNode::of(input, &ready, node)?;
        own_node::draw_own_node(sheet, input, &ready, &own);
    } else {
        let other = OtherNode::of(input, &ready, node)?;
        other_node::draw_other_node(sheet, &ready, &other);
    }
    Ok(())
}

fn draw_switch(sheet: &mut Sheet, ready: &ReadyNetwork<'_>) -> Key {
    let prefix = &ready.prefix;
    draw_balancers(sheet, prefix);
    let name = names::layer2_switch(prefix);
    let mut other_config = subnet_config(ready.network.subnets.iter());
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
        load_balancer_group: switch_balancers(prefix),
        ..LogicalSwitch::default()
    })
}

/// Guards the switch's pods; on a primary network there are the gateway and the host too.
fn draw_guard(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    ready: &ReadyNetwork<'_>,
    is_primary: bool,
) {
    let ReadyNetwork { network, prefix, .. } = ready;
    let switch = names::layer2_switch(prefix);
    let others = match is_primary {
        true => vec![names::switch_to_transit(prefix), names::management_port(prefix, input.zone)],
        false => Vec::new(),
    };
    guard::draw_guard(sheet, input, &Guarded { network, switch, others });
}

/// The key by which all zones know the switch.
fn tunnel_key(ready: &ReadyNetwork<'_>) -> u32 {
    let NetworkGrant { id, tunnel_keys, .. } = ready.numbers;
    tunnel_keys.first().copied().unwrap_or_else(|| id.preserved_key()).get()
}

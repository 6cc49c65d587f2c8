//! Draws localnets: a switch, and the port through which it is a network outside.
//!
//! Invariant: nothing here depends on nodes or pods.

use std::collections::BTreeSet;

use ovn::Sheet;
use ovn::northbound::{LogicalSwitch, LogicalSwitchPort};
use udn_model::{Localnet, Network};

use super::guard::{self, Guarded};
use super::rows::{marks_with_role, subnet_config, texts};
use crate::input::DrawingInput;
use crate::missing::Missing;
use crate::names;
use crate::ready::ReadyNetwork;

pub(super) fn draw_backbone(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    (network, localnet): (&Network, &Localnet),
) -> Result<(), Missing> {
    let ready = ReadyNetwork::of(input, network)?;
    let switch_name = names::localnet_switch(&ready.prefix);
    let switch = sheet.draw(&LogicalSwitch {
        name: switch_name.clone(),
        other_config: subnet_config(network.subnets.iter()),
        external_ids: marks_with_role(network),
        ..LogicalSwitch::default()
    });
    // compat: the port shows no network; only its name does
    let port = LogicalSwitchPort {
        name: names::localnet_port(&ready.prefix),
        r#type: "localnet".to_owned(),
        addresses: BTreeSet::from(["unknown".to_owned()]),
        options: texts([("network_name", &localnet.physical_network)]),
        tag_request: localnet.vlan.map(|vlan| vlan.get().into()),
        ..LogicalSwitchPort::default()
    };
    sheet.draw_under(&port, &switch, LogicalSwitch::PORTS);
    let (switch, others) = (switch_name, vec![port.name]);
    guard::draw_guard(sheet, input, &Guarded { network, switch, others });
    Ok(())
}

//! The rows that are measured: switches with ports as pods have them.
//!
//! Invariant: the same number always gives the same rows.

use std::collections::{BTreeMap, BTreeSet};

use ovn::northbound::{DATABASE, LogicalSwitch, LogicalSwitchPort};
use ovn::{Key, Owner, Rules, Sheet};
use ovsdb::cache::RowView;

/// Ports of one switch.
pub(crate) const PORTS: usize = 1_000;

/// A row belongs to the part before the first dot of its name.
pub(crate) fn rules() -> Rules {
    Rules::new(&DATABASE, |row: RowView<'_>| {
        row.text("name")?.split_once('.').map(|(part, _)| Owner::new(part))
    })
}

pub(crate) fn switch_key(switch: usize) -> Key {
    Key::named(<LogicalSwitch as ovn::drawn::Record>::TABLE, &switch_name(switch))
}

fn switch_name(switch: usize) -> String {
    format!("backbone{switch}.switch")
}

/// The sheet of a switch alone.
pub(crate) fn backbone(switch: usize) -> Sheet {
    let mut sheet = Sheet::new(Owner::new(&format!("backbone{switch}")));
    sheet.draw(&LogicalSwitch {
        name: switch_name(switch),
        other_config: BTreeMap::from([("subnet".to_owned(), "10.0.0.0/16".to_owned())]),
        ..LogicalSwitch::default()
    });
    sheet
}

/// The sheet of one pod's port.
pub(crate) fn pod(number: usize, switch: usize, chassis: &str) -> Sheet {
    let part = format!("pod{number}");
    let address = address(number);
    let mut sheet = Sheet::new(Owner::new(&part));
    let text = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let port = LogicalSwitchPort {
        name: format!("{part}.port"),
        addresses: BTreeSet::from([address.clone()]),
        port_security: BTreeSet::from([address]),
        options: BTreeMap::from([
            text("requested-chassis", chassis),
            text("iface-id-ver", "5b0fc1c6-4a5a-4f0e-9d3c-000000000000"),
            text("requested-tnl-key", &(number % 32_000 + 1).to_string()),
        ]),
        external_ids: BTreeMap::from([
            text("namespace", "tenant"),
            text("pod", "true"),
            text("k8s.ovn.org/network", "cluster_udn_red"),
            text("k8s.ovn.org/nad", "tenant/red"),
            text("k8s.ovn.org/topology", "layer2"),
        ]),
        ..LogicalSwitchPort::default()
    };
    sheet.draw_under(&port, &switch_key(switch), LogicalSwitch::PORTS);
    sheet
}

/// The sheet of a port with a name and addresses alone.
pub(crate) fn plain(number: usize, switch: usize) -> Sheet {
    let part = format!("pod{number}");
    let mut sheet = Sheet::new(Owner::new(&part));
    let port = LogicalSwitchPort {
        name: format!("{part}.port"),
        addresses: BTreeSet::from([address(number)]),
        ..LogicalSwitchPort::default()
    };
    sheet.draw_under(&port, &switch_key(switch), LogicalSwitch::PORTS);
    sheet
}

fn address(number: usize) -> String {
    let (high, low) = (number / 256 % 256, number % 256);
    format!("0a:58:0a:00:{high:02x}:{low:02x} 10.0.{high}.{low}")
}

/// The sheets of a whole database: switches, and `ports` ports spread over them.
pub(crate) fn whole(ports: usize) -> Vec<Sheet> {
    let switches = (0..ports.div_ceil(PORTS)).map(backbone);
    switches.chain((0..ports).map(|number| pod(number, number / PORTS, "node-1"))).collect()
}

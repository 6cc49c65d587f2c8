//! What rows say of pods' connections: who has which addresses, and the zones of OVN's ports.
//!
//! Reads the replica; returns what is left of ports that go.
//! Invariant: a row that cannot be read leaves nothing.

use std::collections::BTreeMap;
use std::net::IpAddr;

use ovn::drawn::Record;
use ovn::open_vswitch::{Bridge, Interface};
use ovsdb::cache::{RowView, Table};
use udn_host::connections::{PortSeen, Traces};
use udn_host::ports::{ADDRESSES, LOGICAL_PORT, NETWORK, SANDBOX};
use udn_model::{InterfaceAddress, NetworkName, NodeName};

use super::seen::find_bridge;
use super::{PodPort, Switch};

#[cfg(test)]
mod tests;

impl Switch {
    /// What is left of the connections of ports that are about to go.
    pub(crate) fn traces(&self, going: &[PodPort], integration_bridge: &str) -> Traces {
        let links = going.iter().map(|it| it.link.as_str()).collect();
        // ovn-controller names the routers of this node by it.
        let node = self.setting("hostname").map(|name| NodeName::new(&name));
        self.client.with_cache(|rows| {
            let entries: BTreeMap<String, String> = find_bridge(rows, integration_bridge)
                .and_then(|row| Bridge::EXTERNAL_IDS.read(row))
                .unwrap_or_default();
            let all = rows.table(Interface::TABLE.name).into_iter().flat_map(Table::rows);
            let ports: Vec<PortSeen> = all.filter_map(port).collect();
            Traces::of(&ports, &links, &entries, node.as_ref())
        })
    }
}

fn port(row: RowView<'_>) -> Option<PortSeen> {
    let entry = |key| row.entry("external_ids", key);
    entry(SANDBOX)?;
    let address = |text: &str| -> Option<IpAddr> {
        text.parse::<InterfaceAddress>().ok().map(|it| it.addr())
    };
    Some(PortSeen {
        link: row.text("name")?.to_owned(),
        logical_port: entry(LOGICAL_PORT)?.to_owned(),
        network: entry(NETWORK).map(NetworkName::new),
        addresses: entry(ADDRESSES)
            .into_iter()
            .flat_map(|it| it.split(','))
            .filter_map(address)
            .collect(),
    })
}

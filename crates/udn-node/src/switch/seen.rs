//! What the switch's database says of the node: settings, bridges, uplinks, links of the switch's own.
//!
//! Reads the replica; returns values.
//! Invariant: the cost does not grow with the ports of OVN's own bridge.

use ovn::drawn::Record;
use ovn::key::IDENTITY_INDEX;
use ovn::open_vswitch::{Bridge, BridgeFailMode, Interface, OpenVSwitch, Port};
use ovsdb::cache::{Change, ChangeKind, RowView, Table};
use ovsdb::{Atom, Cache};
use ovsdb_net::client::{Changes, State, Status};
use tokio::sync::watch;
use udn_host::chassis::{BridgeSeen, LinkSeen, SwitchSeen, UplinkSeen};
use udn_host::{HostPart, PortNumber};
use udn_model::MacAddress;

use super::{Switch, interface};

#[cfg(test)]
mod tests;

/// Columns of the switch's own row that say nothing about the node.
const COUNTERS: [&str; 3] = ["cur_cfg", "next_cfg", "statistics"];

/// A link of the switch's own, as its rows have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnLink {
    /// Whether the switch says that it made it, or that it could not.
    pub(crate) is_judged: bool,
    /// What it is to be.
    pub(crate) mac: Option<String>,
    pub(crate) mtu: Option<i64>,
}

impl OwnLink {
    /// Whether the kernel's link is as the rows have it.
    pub(crate) fn fits(&self, link: &LinkSeen) -> bool {
        let mac: Option<MacAddress> = self.mac.as_ref().and_then(|it| it.parse().ok());
        let is_mac = mac.is_none() || mac == link.mac;
        is_mac && self.mtu.is_none_or(|mtu| link.mtu.is_some_and(|it| i64::from(it) == mtu))
    }
}

impl Switch {
    /// What the database says of the switch, but for the ports of OVN's own bridge.
    pub(crate) fn seen(&self, integration_bridge: &str) -> SwitchSeen {
        self.client.with_cache(|rows| seen_in(rows, integration_bridge))
    }

    /// The number of a port, if the switch has given it one.
    pub(crate) fn port_number(&self, port: &str) -> Option<PortNumber> {
        self.client.with_cache(|rows| number(interface(rows, port)?))
    }

    /// A link of the switch's own, if there is a row for it.
    pub(crate) fn own_link(&self, link: &str) -> Option<OwnLink> {
        self.client.with_cache(|rows| {
            let row = interface(rows, link)?;
            // Zero is of a link that is gone; before the switch has looked, there is none.
            let index = Interface::IFINDEX.read(row).flatten();
            let error = Interface::ERROR.read(row).flatten();
            Some(OwnLink {
                is_judged: error.is_some() || index.is_some(),
                mac: Interface::MAC.read(row).flatten(),
                mtu: Interface::MTU_REQUEST.read(row).flatten(),
            })
        })
    }

    /// What changes from now on.
    pub(crate) fn changes(&self) -> Changes {
        self.client.changes()
    }

    /// How the connection to the database fares.
    pub(crate) fn status(&self) -> watch::Receiver<Status> {
        self.client.status()
    }

    /// Whether the database is there.
    pub(crate) fn is_synced(&self) -> bool {
        self.client.status().borrow().state == State::Synced
    }

    /// Whether any of these changes may concern the node itself, and not only its pods.
    pub(crate) fn concerns_host(&self, changes: &[Change], integration_bridge: &str) -> bool {
        self.client.with_cache(|rows| {
            changes.iter().any(|change| concerns_host(change, rows, integration_bridge))
        })
    }
}

pub(super) fn seen_in(rows: &Cache, integration_bridge: &str) -> SwitchSeen {
    let own = rows.table(OpenVSwitch::TABLE.name).and_then(|it| it.rows().next());
    let external_ids = own.and_then(|row| OpenVSwitch::EXTERNAL_IDS.read(row));
    let bridges = rows.table(Bridge::TABLE.name).into_iter().flat_map(Table::rows);
    let bridges = bridges.filter_map(|row| {
        let name = Bridge::NAME.read(row)?;
        let has_uplinks = name != integration_bridge;
        Some((name, bridge(rows, row, has_uplinks)))
    });
    SwitchSeen { external_ids: external_ids.unwrap_or_default(), bridges: bridges.collect() }
}

fn concerns_host(change: &Change, rows: &Cache, integration_bridge: &str) -> bool {
    let table = &*change.table.name;
    let standing = rows.table(table).and_then(|it| it.row(change.uuid));
    let only = |columns: &[&str]| match &change.kind {
        ChangeKind::Modified { undo } => {
            undo.columns().all(|(id, _)| columns.contains(&&*change.table.column(id).name))
        }
        ChangeKind::Inserted | ChangeKind::Deleted { .. } => false,
    };
    if table == OpenVSwitch::TABLE.name {
        return !only(&COUNTERS);
    }
    if table == Bridge::TABLE.name {
        let name = standing.and_then(|row| Bridge::NAME.read(row));
        // Pods come and go there all the time, and ovn-controller notes zones and numbers for each; the
        // host's own ports tell of themselves.
        return name.as_deref() != Some(integration_bridge) || !only(&["ports", "external_ids"]);
    }
    if table != Port::TABLE.name && table != Interface::TABLE.name {
        return false;
    }
    let row = match &change.kind {
        ChangeKind::Deleted { row } => {
            Some(RowView { table: &change.table, uuid: change.uuid, row })
        }
        ChangeKind::Inserted | ChangeKind::Modified { .. } => standing,
    };
    !row.is_some_and(is_of_pod)
}

/// Whether a port or an interface is a pod's.
fn is_of_pod(row: RowView<'_>) -> bool {
    let entry = |key| row.entry("external_ids", key);
    let owner = entry(udn_host::ports::OWNER).and_then(HostPart::parse);
    matches!(owner, Some(HostPart::Pod(_))) || entry("sandbox").is_some()
}

fn bridge(rows: &Cache, row: RowView<'_>, has_uplinks: bool) -> BridgeSeen {
    let secure = Some(Some("secure"));
    let fail_mode = Bridge::FAIL_MODE.read(row).map(|it| it.map(BridgeFailMode::as_str));
    let ports = Bridge::PORTS.read(row).filter(|_| has_uplinks).unwrap_or_default();
    let all = rows.table(Port::TABLE.name);
    let ports: Vec<RowView<'_>> = ports.iter().filter_map(|it| all?.row(*it)).collect();
    let own = row.text("name");
    let uplinks = ports.iter().flat_map(|it| uplinks(rows, *it));
    BridgeSeen {
        has_ports: ports.iter().any(|it| it.text("name") != own && !is_to_networks(*it)),
        datapath_type: Bridge::DATAPATH_TYPE.read(row).unwrap_or_default(),
        is_secure: fail_mode == secure,
        uplinks: uplinks.collect(),
    }
}

/// The interfaces of a port that lead out of the machine.
fn uplinks(rows: &Cache, port: RowView<'_>) -> Vec<UplinkSeen> {
    let trunks = Port::TRUNKS.read(port).unwrap_or_default();
    let trunks = trunks.into_iter().filter_map(|it| u16::try_from(it).ok());
    let trunks: std::collections::BTreeSet<u16> = trunks.collect();
    let all = rows.table(Interface::TABLE.name);
    let interfaces = Port::INTERFACES.read(port).unwrap_or_default();
    let interfaces = interfaces.iter().filter_map(|it| all?.row(*it)).filter(|it| is_wire(*it));
    let uplink = |row: RowView<'_>| {
        let mtu = Interface::MTU.read(row).flatten().and_then(|it| u32::try_from(it).ok());
        let (name, number) = (Interface::NAME.read(row)?, number(row));
        Some(UplinkSeen { name, number, mtu, trunks: trunks.clone() })
    };
    interfaces.filter_map(uplink).collect()
}

/// Whether ovn-controller made a port, to lead to the networks that are mapped to the bridge.
// compat: OVN, controller/patch.c, create_patch_port
fn is_to_networks(port: RowView<'_>) -> bool {
    port.entry("external_ids", "ovn-localnet-port").is_some()
}

/// Whether an interface is one of the machine's, and none that leads into a virtual network.
fn is_wire(row: RowView<'_>) -> bool {
    let kind = Interface::TYPE.read(row).unwrap_or_default();
    let is_of_machine = ["", "system"].contains(&kind.as_str())
        || kind.starts_with("dpdk")
        || kind.starts_with("afxdp");
    is_of_machine && row.entry("external_ids", "iface-id").is_none()
}

fn number(row: RowView<'_>) -> Option<PortNumber> {
    Interface::OFPORT.read(row).flatten().and_then(PortNumber::from_column)
}

/// The row of a bridge.
pub(super) fn find_bridge<'a>(rows: &'a Cache, name: &str) -> Option<RowView<'a>> {
    rows.table(Bridge::TABLE.name)?.find_row(IDENTITY_INDEX, &[Atom::from(name)])
}

//! What agents and OVN leave in the switch's database, and how it is taken away.
//!
//! Reads the replica; returns plain values, and commits a [`SwitchRemoval`] in one transaction.
//! Invariant: an entry is removed only if it still says what it said when that was decided.

use std::collections::{BTreeMap, BTreeSet};

use ovn::drawn::Record;
use ovn::open_vswitch::{Bridge, OpenVSwitch, Port, QoS};
use ovsdb::cache::{RowView, Table};
use ovsdb::op::{Condition, Function, Mutation, Mutator};
use ovsdb::value::Uuid;
use ovsdb::{Atom, Cache, Datum, Operation};
use udn_host::HostPart;
use udn_host::ports::{LOGICAL_PORT, OWNER, SANDBOX};

use super::seen::find_bridge;
use super::{Switch, SwitchError, interface};

const ENTRIES: &str = "external_ids";
const SETTINGS: &str = "other_config";
/// How the entries begin by which ovn-controller knows the ports that it made.
// compat: OVN, controller/patch.c and encaps.c
const CONTROLLER: &str = "ovn-";
/// The entry of a port that leads to the networks that are mapped to its bridge.
// compat: OVN, controller/patch.c, create_patch_port
const TO_NETWORKS: &str = "ovn-localnet-port";

/// What the switch's database says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SwitchRows {
    /// The switch's own `external_ids`.
    pub entries: BTreeMap<String, String>,
    /// The switch's own `other_config`.
    pub settings: BTreeMap<String, String>,
    /// Bridges with their ports.
    pub bridges: BTreeMap<String, Vec<PortRow>>,
    /// Rows by which we limit what pods receive.
    pub limits: BTreeSet<Uuid>,
}

/// A port of a bridge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortRow {
    pub name: String,
    pub kind: PortKind,
}

/// Whose a port is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PortKind {
    /// The one that every bridge has.
    Own,
    /// A pod's, which is told as people name it.
    Pod(String),
    /// The host's own into a network.
    Network,
    /// ovn-controller made it to lead to the networks that are mapped to the bridge.
    ToNetworks,
    /// ovn-controller made it for something else, such as a tunnel.
    Controller,
    /// Somebody else's.
    Other,
}

/// What is to go from the switch's database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SwitchRemoval {
    /// Entries of the switch's `external_ids` with what they say, and what takes their place.
    pub entries: BTreeMap<String, (String, Option<String>)>,
    /// Entries of the switch's `other_config` with what they say.
    pub settings: BTreeMap<String, String>,
    pub bridges: BTreeSet<String>,
    /// Single ports of bridges that stay.
    pub ports: BTreeMap<String, BTreeSet<String>>,
    pub limits: BTreeSet<Uuid>,
}

impl SwitchRemoval {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Switch {
    /// What the database says of what may be ours; it must have been synced.
    pub fn leftovers(&self) -> SwitchRows {
        self.client.with_cache(rows_of)
    }

    /// Takes away what is to go, and waits until the switch has followed.
    pub async fn take(&self, removal: &SwitchRemoval) -> Result<(), SwitchError> {
        if removal.is_empty() {
            return Ok(());
        }
        let operations = self.client.with_cache(|rows| operations(rows, removal));
        self.run(&operations).await?;
        self.nudge().await
    }
}

fn rows_of(rows: &Cache) -> SwitchRows {
    let own = rows.table(OpenVSwitch::TABLE.name).and_then(|it| it.rows().next());
    let entries = own.and_then(|row| OpenVSwitch::EXTERNAL_IDS.read(row)).unwrap_or_default();
    let settings = own.and_then(|row| OpenVSwitch::OTHER_CONFIG.read(row)).unwrap_or_default();
    let bridges = rows.table(Bridge::TABLE.name).into_iter().flat_map(Table::rows);
    let bridges = bridges.filter_map(|row| {
        let name = Bridge::NAME.read(row)?;
        let ports = ports(rows, row).filter_map(|port| port_row(rows, &name, port)).collect();
        Some((name, ports))
    });
    let limits = rows.table(QoS::TABLE.name).into_iter().flat_map(Table::rows);
    let limits = limits.filter(|row| row.entry(ENTRIES, OWNER).is_some()).map(|row| row.uuid);
    SwitchRows { entries, settings, bridges: bridges.collect(), limits: limits.collect() }
}

fn ports<'a>(rows: &'a Cache, bridge: RowView<'a>) -> impl Iterator<Item = RowView<'a>> {
    let all = rows.table(Port::TABLE.name);
    let uuids = Bridge::PORTS.read(bridge).unwrap_or_default();
    uuids.into_iter().filter_map(move |uuid| all?.row(uuid))
}

fn port_row(rows: &Cache, bridge: &str, port: RowView<'_>) -> Option<PortRow> {
    let name = port.text("name")?.to_owned();
    let interface = interface(rows, &name);
    let entry = |key| interface.and_then(|row| row.entry(ENTRIES, key));
    let external_ids = Port::EXTERNAL_IDS.read(port).unwrap_or_default();
    let owner = external_ids.get(OWNER).and_then(|it| HostPart::parse(it));
    let kind = match owner {
        _ if name == bridge => PortKind::Own,
        Some(HostPart::Pod(key)) => PortKind::Pod(key.pod.to_string()),
        Some(HostPart::Network(_)) => PortKind::Network,
        // A pod that the other project wired before the cluster was moved over.
        None if entry(SANDBOX).is_some() => {
            PortKind::Pod(entry(LOGICAL_PORT).unwrap_or_default().to_owned())
        }
        None if external_ids.contains_key(TO_NETWORKS) => PortKind::ToNetworks,
        None if external_ids.keys().any(|key| key.starts_with(CONTROLLER)) => PortKind::Controller,
        None => PortKind::Other,
    };
    Some(PortRow { name, kind })
}

fn operations(rows: &Cache, removal: &SwitchRemoval) -> Vec<Operation> {
    let Some(own) = rows.table(OpenVSwitch::TABLE.name).and_then(|it| it.rows().next()) else {
        return Vec::new();
    };
    let entries = removal.entries.iter();
    let entries = entries
        .map(|(key, (standing, rest))| entry(own.uuid, ENTRIES, (key, standing), rest.as_deref()));
    let settings = removal.settings.iter();
    let settings = settings.map(|(key, it)| entry(own.uuid, SETTINGS, (key, it), None));
    let mut operations: Vec<Operation> = entries.chain(settings).collect();
    // A port holds on to its limit until the transaction ends.
    let limited = rows.table(Port::TABLE.name).into_iter().flat_map(Table::rows);
    let limited = limited.filter(|row| {
        Port::QOS.read(*row).flatten().is_some_and(|it| removal.limits.contains(&it))
    });
    operations.extend(limited.map(|row| Operation::Update {
        table: Port::TABLE.name.into(),
        conditions: vec![Condition::row(row.uuid)],
        row: [(Port::QOS.name.into(), Datum::set(BTreeSet::<Atom>::new()))].into(),
    }));
    operations.extend(removal.limits.iter().map(|uuid| Operation::Delete {
        table: QoS::TABLE.name.into(),
        conditions: vec![Condition::row(*uuid)],
    }));
    for (name, gone) in &removal.ports {
        let Some(bridge) = find_bridge(rows, name) else { continue };
        let is_gone = |row: &RowView<'_>| row.text("name").is_some_and(|it| gone.contains(it));
        let gone: Vec<Uuid> = ports(rows, bridge).filter(is_gone).map(|row| row.uuid).collect();
        operations.push(unlink(Bridge::TABLE.name, bridge.uuid, Bridge::PORTS.name, gone));
    }
    let gone = removal.bridges.iter().filter_map(|name| find_bridge(rows, name));
    let gone: Vec<Uuid> = gone.map(|row| row.uuid).collect();
    if !gone.is_empty() {
        let (table, column) = (OpenVSwitch::TABLE.name, OpenVSwitch::BRIDGES.name);
        operations.push(unlink(table, own.uuid, column, gone));
    }
    operations
}

/// Removes an entry of a map of the switch, or puts another in its place.
fn entry(
    own: Uuid,
    column: &'static str,
    (key, standing): (&str, &str),
    rest: Option<&str>,
) -> Operation {
    let mut mutations = vec![Mutation::new(column, Mutator::Delete, Datum::set([key]))];
    let rest = rest.map(|rest| Datum::map([(key, rest)]));
    mutations.extend(rest.map(|it| Mutation::new(column, Mutator::Insert, it)));
    let standing = Datum::map([(key, standing)]);
    let conditions =
        vec![Condition::new(column, Function::Includes, standing), Condition::row(own)];
    Operation::Mutate { table: OpenVSwitch::TABLE.name.into(), conditions, mutations }
}

fn unlink(table: &'static str, parent: Uuid, column: &'static str, gone: Vec<Uuid>) -> Operation {
    let gone: BTreeSet<Atom> = gone.into_iter().map(Atom::Uuid).collect();
    Operation::Mutate {
        table: table.into(),
        conditions: vec![Condition::row(parent)],
        mutations: vec![Mutation::new(column, Mutator::Delete, Datum::set(gone))],
    }
}

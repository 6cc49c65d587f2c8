//! Ports of pods, as the switch's rows tell them, whoever made them.
//!
//! Reads the replica; returns what each row says, and takes ports away by their names.
//! Invariant: only ports of the sandbox that is asked for are taken away.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use ovn::column::Column;
use ovn::drawn::Record;
use ovn::key::IDENTITY_INDEX;
use ovn::open_vswitch::{Bridge, Interface, OpenVSwitch, Port, QoS};
use ovn::{Sheet, compare_all};
use ovsdb::cache::{Change, ChangeKind, RowView, Table};
use ovsdb::op::{Condition, Mutation, Mutator};
use ovsdb::session::Outcome;
use ovsdb::value::Uuid;
use ovsdb::{Atom, Cache, Datum, Operation};
use ovsdb_net::client::ChangesError;
use tokio::time::timeout;
use udn_host::HostPart;
use udn_host::ports::{
    INSTALLED, INTERFACE, LOGICAL_PORT_INDEX, MAC, NAD, NAMESPACE, OWNER, SANDBOX, SANDBOX_INDEX,
};
use udn_model::{AttachmentKey, MacAddress};

use super::{Switch, SwitchError, interface};

/// How often a change may be overtaken.
const ATTEMPTS: usize = 5;
/// How long the switch may take to let go of a link.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the rows of a pod's port say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodPort {
    /// The host's end of the pod's cable, which the port has its name from.
    pub link: String,
    /// `None` for a port that another program made.
    pub key: Option<AttachmentKey>,
    pub sandbox: String,
    /// The name of the link inside the pod.
    pub interface: String,
    /// The NAD through which the pod is attached; none on the default network.
    pub nad: Option<String>,
    /// The file of the pod's network namespace.
    pub namespace: Option<PathBuf>,
    pub mac: Option<MacAddress>,
    /// Whether ovn-controller has put the port's flows in place.
    pub is_installed: bool,
}

impl Switch {
    /// All ports that are of sandboxes.
    pub fn pod_ports(&self) -> Vec<PodPort> {
        self.client.with_cache(|rows| {
            let all = rows.table(Interface::TABLE.name).into_iter().flat_map(Table::rows);
            all.filter_map(|row| read(rows, row)).collect()
        })
    }

    /// The ports of one sandbox.
    pub fn ports_of(&self, sandbox: &str) -> Vec<PodPort> {
        self.client.with_cache(|rows| found(rows, SANDBOX_INDEX, sandbox))
    }

    /// The ports that OVN knows by this name; there should be one at most.
    pub fn ports_named(&self, logical_port: &str) -> Vec<PodPort> {
        self.client.with_cache(|rows| found(rows, LOGICAL_PORT_INDEX, logical_port))
    }

    /// What one port says.
    pub fn pod_port(&self, link: &str) -> Option<PodPort> {
        self.client.with_cache(|rows| read(rows, interface(rows, link)?))
    }

    /// Takes ports of pods away, with what limits them; returns how many were there.
    ///
    /// The switch has let go of them then, so that a link of the same name may come: it would not
    /// tell that from the one before. A switch that does not run is not waited for long.
    pub async fn remove_pod_ports(&self, ports: &[PodPort]) -> Result<usize, SwitchError> {
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let (operations, count) = self.client.with_cache(|rows| removal(rows, ports));
            if count == 0 {
                return Ok(count);
            }
            let outcome = self.client.transact(&operations).await;
            match outcome.map_err(|source| SwitchError::Submit { source })? {
                Outcome::Committed(_) => {
                    self.wait_applied().await?;
                    return Ok(count);
                }
                Outcome::Failed { fault, .. } => last = fault.to_string(),
                Outcome::Unknown | Outcome::NotSent => {
                    "the connection broke".clone_into(&mut last);
                    self.client.wait_synced().await.map_err(|_| SwitchError::Closed)?;
                }
            }
        }
        Err(SwitchError::Overtaken { attempts: ATTEMPTS, last })
    }

    /// Waits until the switch has done all that was asked for; returns early if it does not run.
    async fn wait_applied(&self) -> Result<(), SwitchError> {
        let mut changes = self.changes();
        let asked = self.client.with_cache(|rows| configured(rows, OpenVSwitch::NEXT_CFG));
        let wait = async {
            while self.client.with_cache(|rows| configured(rows, OpenVSwitch::CUR_CFG)) < asked {
                match changes.next().await {
                    Ok(_) | Err(ChangesError::Lagged) => {}
                    Err(ChangesError::Closed) => return Err(SwitchError::Closed),
                }
            }
            Ok(())
        };
        timeout(PATIENCE, wait).await.unwrap_or(Ok(()))
    }

    /// Waits for ovn-controller to put the flows of a port in place; whether it did.
    pub async fn has_installed(&self, link: &str, limit: Duration) -> Result<bool, SwitchError> {
        let is_installed = |row: RowView<'_>| row.entry("external_ids", INSTALLED) == Some("true");
        let wait = async {
            // Subscribed before the first look, so that nothing falls between.
            let mut changes = self.changes();
            while !self.client.with_cache(|rows| interface(rows, link).is_some_and(is_installed)) {
                match changes.next().await {
                    Ok(_) | Err(ChangesError::Lagged) => {}
                    Err(ChangesError::Closed) => return Err(SwitchError::Closed),
                }
            }
            Ok(())
        };
        timeout(limit, wait).await.map_or(Ok(false), |done| done.map(|()| true))
    }

    /// The interfaces and ports that changes are about, by name.
    pub fn links_in(&self, changes: &[Change]) -> BTreeSet<String> {
        let tables = [Interface::TABLE.name, Port::TABLE.name];
        let ours = changes.iter().filter(|change| tables.contains(&&*change.table.name));
        self.client.with_cache(|rows| ours.filter_map(|change| name_of(rows, change)).collect())
    }

    /// Whether a sheet's rows stand as drawn.
    pub fn stands(&self, sheet: &Sheet) -> bool {
        let sheets = std::slice::from_ref(sheet);
        let plan = self.client.with_cache(|rows| compare_all(sheets, rows, &self.rules));
        plan.is_ok_and(|plan| plan.is_empty())
    }

    /// What the switch says against a link.
    pub fn problem(&self, link: &str) -> Option<String> {
        self.complaint(link)
    }

    /// Waits until what is known of the switch is up to date, however long that takes.
    pub async fn wait_synced(&self) -> Result<(), SwitchError> {
        self.client.wait_synced().await.map_err(|_| SwitchError::Closed)
    }
}

fn found(rows: &Cache, index: &str, text: &str) -> Vec<PodPort> {
    let Some(table) = rows.table(Interface::TABLE.name) else { return Vec::new() };
    let all = table.find(index, &[Atom::from(text)]).iter();
    all.filter_map(|uuid| read(rows, table.row(*uuid)?)).collect()
}

pub(super) fn read(rows: &Cache, row: RowView<'_>) -> Option<PodPort> {
    let entry = |key| row.entry("external_ids", key);
    let link = row.text("name")?;
    let owner = port(rows, link).and_then(|row| row.entry("external_ids", OWNER));
    let key = match owner.and_then(HostPart::parse) {
        Some(HostPart::Pod(key)) => Some(key),
        Some(HostPart::Network(_)) | None => None,
    };
    Some(PodPort {
        link: link.to_owned(),
        key,
        sandbox: entry(SANDBOX)?.to_owned(),
        interface: entry(INTERFACE).unwrap_or_default().to_owned(),
        nad: entry(NAD).map(str::to_owned),
        namespace: entry(NAMESPACE).map(PathBuf::from),
        mac: entry(MAC).and_then(|text| text.parse().ok()),
        is_installed: entry(INSTALLED) == Some("true"),
    })
}

fn name_of(rows: &Cache, change: &Change) -> Option<String> {
    let row = match &change.kind {
        ChangeKind::Deleted { row } => RowView { table: &change.table, uuid: change.uuid, row },
        ChangeKind::Inserted | ChangeKind::Modified { .. } => {
            rows.table(&change.table.name)?.row(change.uuid)?
        }
    };
    row.text("name").map(str::to_owned)
}

fn port<'a>(rows: &'a Cache, name: &str) -> Option<RowView<'a>> {
    rows.table(Port::TABLE.name)?.find_row(IDENTITY_INDEX, &[Atom::from(name)])
}

/// What takes ports away, and how many of them are there.
fn removal(rows: &Cache, ports: &[PodPort]) -> (Vec<Operation>, usize) {
    let (mut operations, mut count) = (Vec::new(), 0);
    for wanted in ports {
        let is_same =
            |row: RowView<'_>| row.entry("external_ids", SANDBOX) == Some(wanted.sandbox.as_str());
        let row =
            port(rows, &wanted.link).filter(|_| interface(rows, &wanted.link).is_some_and(is_same));
        let Some(row) = row else { continue };
        count += 1;
        operations.extend(bridges_of(rows, row.uuid).map(|bridge| unlink(bridge, row.uuid)));
        if let Some(qos) = row.get("qos").and_then(|it| it.atoms().first()?.as_uuid()) {
            operations.extend(deletion(rows, (row.uuid, qos), &wanted.sandbox));
        }
    }
    // So the switch counts when it has followed.
    operations.push(Operation::Mutate {
        table: OpenVSwitch::TABLE.name.into(),
        conditions: Vec::new(),
        mutations: vec![Mutation::new(OpenVSwitch::NEXT_CFG.name, Mutator::Add, Atom::Integer(1))],
    });
    (operations, count)
}

/// How far the switch's configuration is, by one of its two counters.
fn configured(rows: &Cache, counter: Column<i64>) -> Option<i64> {
    counter.read(rows.table(OpenVSwitch::TABLE.name)?.rows().next()?)
}

fn bridges_of(rows: &Cache, port: Uuid) -> impl Iterator<Item = Uuid> {
    let table = rows.table(Bridge::TABLE.name);
    let found = table.map_or(&[][..], |it| it.find(Bridge::PORTS.name, &[Atom::Uuid(port)]));
    found.iter().copied()
}

fn unlink(bridge: Uuid, port: Uuid) -> Operation {
    let gone = Datum::set(BTreeSet::from([Atom::Uuid(port)]));
    Operation::Mutate {
        table: Bridge::TABLE.name.into(),
        conditions: vec![Condition::row(bridge)],
        mutations: vec![Mutation::new(Bridge::PORTS.name, Mutator::Delete, gone)],
    }
}

/// What limits a pod goes with it, if it was made for this sandbox.
fn deletion(rows: &Cache, (port, qos): (Uuid, Uuid), sandbox: &str) -> Vec<Operation> {
    let row = rows.table(QoS::TABLE.name).and_then(|table| table.row(qos));
    if row.is_none_or(|row| row.entry("external_ids", SANDBOX) != Some(sandbox)) {
        return Vec::new();
    }
    // The port goes at the end of the transaction only, and would hold on to the row until then.
    let nothing = Datum::set(BTreeSet::<Atom>::new());
    let release = Operation::Update {
        table: Port::TABLE.name.into(),
        conditions: vec![Condition::row(port)],
        row: [(Port::QOS.name.into(), nothing)].into(),
    };
    let conditions = vec![Condition::row(qos)];
    vec![release, Operation::Delete { table: QoS::TABLE.name.into(), conditions }]
}

//! Writes who the node is into the switch's database, and makes OVN's own bridge.
//!
//! Invariant: each entry is written only if what it replaces still stands, and no other is touched.

use ovn::column::Column;
use ovn::drawn::Record;
use ovn::open_vswitch::{Bridge, Interface, OpenVSwitch, Port};
use ovsdb::op::{Condition, Function, Mutation, Mutator, Values};
use ovsdb::session::Outcome;
use ovsdb::value::Uuid;
use ovsdb::{Atom, Datum, Operation};
use ovsdb_net::client::ChangesError;
use udn_host::chassis::{BridgeChange, ChassisPlan, EntryChange};

use super::seen::find_bridge;
use super::{Switch, SwitchError};

const ENTRIES: &str = "external_ids";

impl Switch {
    /// Writes what a plan asks for; returns how much that was. What somebody else changed meanwhile
    /// stays, and is heard of.
    pub(crate) async fn apply_chassis(&self, plan: &ChassisPlan) -> Result<usize, SwitchError> {
        if plan.is_empty() {
            return Ok(0);
        }
        let Some(own) = self.own_row() else {
            return Err(SwitchError::Missing { needed: "the switch's own row".to_owned() });
        };
        let entries = plan.entries.iter().map(|(key, change)| write_entry(own, key, change));
        let mut operations: Vec<Operation> = entries.collect();
        match &plan.integration_bridge {
            Some(BridgeChange::Make { name, datapath_type }) => {
                operations.extend(make_bridge(own, name, datapath_type));
            }
            Some(BridgeChange::Mend { name, datapath_type }) => {
                operations.extend(self.mend_bridge(name, datapath_type));
            }
            None => {}
        }
        let count = operations.len();
        self.run(&operations).await?;
        Ok(count)
    }

    /// Lets the switch look at everything again, as `ovs-vsctl` does after a change, and waits until it
    /// has done what its database said by then.
    pub(crate) async fn nudge(&self) -> Result<(), SwitchError> {
        let Some(own) = self.own_row() else { return Ok(()) };
        // Subscribed before asking, so that the answer cannot come in between.
        let mut changes = self.client.changes();
        let more = Mutation::new("next_cfg", Mutator::Add, Datum::from(1_i64));
        self.run(&[mutate(own, Vec::new(), vec![more])]).await?;
        let asked = self.number(OpenVSwitch::NEXT_CFG);
        let done = async {
            while self.number(OpenVSwitch::CUR_CFG) < asked {
                match changes.next().await {
                    Ok(_) | Err(ChangesError::Lagged) => {}
                    Err(ChangesError::Closed) => return Err(SwitchError::Closed),
                }
            }
            Ok(())
        };
        self.within("the switch to do what its database says", done).await?
    }

    fn number(&self, column: Column<i64>) -> Option<i64> {
        self.client
            .with_cache(|rows| column.read(rows.table(OpenVSwitch::TABLE.name)?.rows().next()?))
    }

    pub(super) async fn run(&self, operations: &[Operation]) -> Result<(), SwitchError> {
        let outcome = self.client.transact(operations).await;
        let last = match outcome.map_err(|source| SwitchError::Submit { source })? {
            Outcome::Committed(_) => return Ok(()),
            Outcome::Failed { fault, .. } => fault.to_string(),
            Outcome::Unknown | Outcome::NotSent => "the connection broke".to_owned(),
        };
        Err(SwitchError::Overtaken { attempts: 1, last })
    }

    fn own_row(&self) -> Option<Uuid> {
        self.client.with_cache(|rows| {
            rows.table(OpenVSwitch::TABLE.name)?.rows().next().map(|row| row.uuid)
        })
    }

    fn mend_bridge(&self, name: &str, datapath_type: &str) -> Option<Operation> {
        let bridge = self.client.with_cache(|rows| find_bridge(rows, name).map(|row| row.uuid))?;
        let columns = [("fail_mode", "secure"), ("datapath_type", datapath_type)];
        let row: Values = columns.map(|(name, text)| (name.into(), Datum::from(text))).into();
        let conditions = vec![Condition::row(bridge)];
        Some(Operation::Update { table: Bridge::TABLE.name.into(), conditions, row })
    }
}

/// Writes one entry, if what it replaces still stands.
fn write_entry(own: Uuid, key: &str, EntryChange { standing, wanted }: &EntryChange) -> Operation {
    let insert = Mutation::new(ENTRIES, Mutator::Insert, Datum::map([(key, wanted.as_str())]));
    match standing {
        // An insertion leaves an entry alone that is there already.
        None => mutate(own, Vec::new(), vec![insert]),
        Some(standing) => {
            let unchanged = Datum::map([(key, standing.as_str())]);
            let unchanged = Condition::new(ENTRIES, Function::Includes, unchanged);
            let remove = Mutation::new(ENTRIES, Mutator::Delete, Datum::set([key]));
            mutate(own, vec![unchanged], vec![remove, insert])
        }
    }
}

fn mutate(own: Uuid, mut conditions: Vec<Condition>, mutations: Vec<Mutation>) -> Operation {
    conditions.push(Condition::row(own));
    Operation::Mutate { table: OpenVSwitch::TABLE.name.into(), conditions, mutations }
}

/// OVN's own bridge, with the port that every bridge has.
fn make_bridge(own: Uuid, name: &str, datapath_type: &str) -> Vec<Operation> {
    let text = |text: &str| Datum::from(text);
    let reference = |label: &str| Datum::from(Atom::Named(label.into()));
    let interface = [("name", text(name)), ("type", text("internal"))];
    let port = [("name", text(name)), ("interfaces", reference("interface"))];
    let bridge = [
        ("name", text(name)),
        ("datapath_type", text(datapath_type)),
        ("fail_mode", text("secure")),
        ("ports", reference("port")),
    ];
    let list = Mutation::new("bridges", Mutator::Insert, reference("bridge"));
    vec![
        insert(Interface::TABLE.name, "interface", interface),
        insert(Port::TABLE.name, "port", port),
        insert(Bridge::TABLE.name, "bridge", bridge),
        mutate(own, Vec::new(), vec![list]),
    ]
}

fn insert<const N: usize>(
    table: &'static str,
    label: &str,
    row: [(&'static str, Datum); N],
) -> Operation {
    let row: Values = row.into_iter().map(|(column, value)| (column.into(), value)).collect();
    Operation::Insert { table: table.into(), row, uuid_name: Some(label.to_owned()), uuid: None }
}

//! The switch's database: rows of ours, and what the switch and ovn-controller say about them.
//!
//! Reads sheets; commits what differs. Whoever needs something from the switch waits for the row
//! that says it, never for an amount of time.
//! Invariant: only rows that show one of our owners are ever changed or removed.

use std::collections::BTreeSet;
use std::time::Duration;

use ovn::compare::CompareError;
use ovn::drawn::Record;
use ovn::open_vswitch::{Bridge, DATABASE, Interface, OpenVSwitch, Port, QoS, Queue};
use ovn::{Owner, Rules, Sheet};
use ovsdb::cache::{RowView, Table};
use ovsdb::session::{SessionSettings, TransactError, Wanted, WantedTable};
use ovsdb::{Atom, Cache, Retry};
use ovsdb_net::client::{ChangesError, ClientError};
use ovsdb_net::{Client, ClientSettings, Remote};
use tokio::time::timeout;
use udn_host::PortNumber;
use udn_host::ports::{INSTALLED, rules};

mod chassis;
mod commit;
mod connections;
mod leftovers;
mod pods;
mod seen;

pub use leftovers::{PortKind, PortRow, SwitchRemoval, SwitchRows};
pub use pods::PodPort;

/// How long the switch may take to do what its database says.
const LIMIT: Duration = Duration::from_secs(30);

/// Why the switch does not stand as planned.
#[derive(Debug, thiserror::Error)]
pub enum SwitchError {
    #[error("could not connect to the switch's database")]
    Connect { source: ClientError },
    #[error("the connection to the switch's database was closed")]
    Closed,
    #[error("could not compare ports with those that stand")]
    Compare { source: CompareError },
    #[error("could not submit the change of ports")]
    Submit { source: TransactError },
    #[error("the ports changed under our hands, {attempts} times in a row: {last}")]
    Overtaken { attempts: usize, last: String },
    #[error("{needed} is not there, which the planned ports need")]
    Missing { needed: String },
    #[error("{row} belongs to somebody else")]
    Taken { row: String },
    #[error("the switch could not make {link}: {reason}")]
    Refused { link: String, reason: String },
    #[error("waited {LIMIT:?} in vain for {what}")]
    TimedOut { what: String },
}

impl SwitchError {
    /// What the caller should do next.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Submit { .. }
            | Self::Overtaken { .. }
            | Self::Missing { .. }
            | Self::Refused { .. }
            | Self::TimedOut { .. } => Retry::AfterBackoff,
            Self::Connect { .. } | Self::Closed | Self::Compare { .. } | Self::Taken { .. } => {
                Retry::Never
            }
        }
    }
}

/// The switch of one node.
#[derive(Debug, Clone)]
pub struct Switch {
    client: Client,
    rules: Rules,
}

/// What a commit did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortChanges {
    /// How many rows were written or let go.
    pub changes: usize,
    /// The ports that were taken away, by name.
    pub removed: BTreeSet<String>,
}

impl Switch {
    /// Begins to follow the switch's database. Must be called inside a tokio runtime.
    pub fn connect(remotes: Vec<Remote>) -> Result<Self, SwitchError> {
        let rules = rules();
        let mut session = SessionSettings::new(DATABASE.name);
        session.indexes = rules.indexes();
        session.tables = wanted_tables();
        let client = Client::connect(ClientSettings::new(remotes, session));
        let client = client.map_err(|source| SwitchError::Connect { source })?;
        Ok(Self { client, rules })
    }

    /// Makes the parts of these sheets stand as drawn, and leaves all others as they are.
    pub async fn commit(&self, sheets: &[Sheet]) -> Result<PortChanges, SwitchError> {
        self.within("the switch's database", self.client.wait_synced())
            .await?
            .map_err(|_| SwitchError::Closed)?;
        commit::commit(&self.client, &self.rules, sheets).await
    }

    /// Makes exactly these sheets stand: parts that are not among them lose their ports.
    pub async fn commit_all(&self, sheets: &[Sheet]) -> Result<PortChanges, SwitchError> {
        self.within("the switch's database", self.client.wait_synced())
            .await?
            .map_err(|_| SwitchError::Closed)?;
        let drawn: BTreeSet<&Owner> = sheets.iter().map(|sheet| &sheet.owner).collect();
        let gone = self.owners().into_iter().filter(|owner| !drawn.contains(owner));
        let all: Vec<Sheet> = sheets.iter().cloned().chain(gone.map(Sheet::new)).collect();
        commit::commit(&self.client, &self.rules, &all).await
    }

    /// The parts that have ports now.
    pub fn owners(&self) -> BTreeSet<Owner> {
        self.client.with_cache(|rows| {
            let ports = rows.table(Port::TABLE.name).into_iter().flat_map(Table::rows);
            ports.filter_map(|row| self.rules.owner(row)).collect()
        })
    }

    /// Waits until the switch has made a link of its own, which the kernel then has too.
    pub async fn wait_link(&self, link: &str) -> Result<(), SwitchError> {
        let index = |row: RowView<'_>| Interface::IFINDEX.read(row).flatten();
        let is_made = |row: RowView<'_>| index(row).filter(|index| *index > 0).map(|_| ());
        self.wait_interface(link, "the switch to make", is_made).await
    }

    /// Waits until ovn-controller has put the flows of a port in place.
    pub async fn wait_installed(&self, link: &str) -> Result<(), SwitchError> {
        let is_wired =
            |row: RowView<'_>| (row.entry("external_ids", INSTALLED) == Some("true")).then_some(());
        self.wait_interface(link, "OVN to wire", is_wired).await
    }

    /// Waits until a port has a number on its bridge; returns it.
    pub async fn wait_port_number(&self, port: &str) -> Result<PortNumber, SwitchError> {
        let number = |row: RowView<'_>| {
            Interface::OFPORT.read(row).flatten().and_then(PortNumber::from_column)
        };
        self.wait_interface(port, "a number of", number).await
    }

    /// What the whole switch says of itself in `external_ids`, such as `ovn-bridge-mappings`.
    pub fn setting(&self, key: &str) -> Option<String> {
        self.client.with_cache(|rows| {
            let row = rows.table(OpenVSwitch::TABLE.name)?.rows().next()?;
            row.entry("external_ids", key).map(str::to_owned)
        })
    }

    /// Waits until the row of an interface gives an answer.
    async fn wait_interface<T>(
        &self,
        link: &str,
        what: &str,
        answer: impl Fn(RowView<'_>) -> Option<T>,
    ) -> Result<T, SwitchError> {
        let look = || self.client.with_cache(|rows| interface(rows, link).and_then(&answer));
        let wait = async {
            // Subscribed before the first look, so that nothing falls between.
            let mut changes = self.client.changes();
            loop {
                if let Some(found) = look() {
                    return Ok(found);
                }
                match changes.next().await {
                    Ok(_) | Err(ChangesError::Lagged) => {}
                    Err(ChangesError::Closed) => return Err(SwitchError::Closed),
                }
            }
        };
        let outcome = self.within(&format!("{what} {link}"), wait).await;
        match (outcome, self.complaint(link)) {
            (Err(SwitchError::TimedOut { .. }), Some(reason)) => {
                Err(SwitchError::Refused { link: link.to_owned(), reason })
            }
            (outcome, _) => outcome?,
        }
    }

    /// Why the switch could not make a link.
    fn complaint(&self, link: &str) -> Option<String> {
        let read = |row: RowView<'_>| Interface::ERROR.read(row).flatten();
        self.client.with_cache(|rows| interface(rows, link).and_then(read))
    }

    async fn within<T>(&self, what: &str, work: impl Future<Output = T>) -> Result<T, SwitchError> {
        let done = timeout(LIMIT, work).await;
        done.map_err(|_| SwitchError::TimedOut { what: what.to_owned() })
    }
}

/// All that is compared or waited for; counters, which change all the time, are not.
fn wanted_tables() -> Wanted {
    let tables = [
        OpenVSwitch::TABLE,
        Bridge::TABLE,
        Port::TABLE,
        Interface::TABLE,
        QoS::TABLE,
        Queue::TABLE,
    ];
    let wanted = tables.map(|table| {
        let columns = table.columns.iter().map(|column| column.name);
        WantedTable::columns(table.name, columns.filter(|name| *name != "statistics"))
    });
    Wanted::Tables(wanted.into())
}

fn interface<'a>(rows: &'a Cache, name: &str) -> Option<RowView<'a>> {
    rows.table(Interface::TABLE.name)?.find_row(ovn::key::IDENTITY_INDEX, &[Atom::from(name)])
}

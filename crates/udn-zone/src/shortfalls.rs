//! What keeps a work item from standing as it should, told to people.
//!
//! Reads a plan and what the network lacks; returns findings, and the trouble to report.
//! Invariant: whoever reads one of these sentences knows what to do.

use ovn::{Owner, Plan};
use udn_blueprint::names::Prefix;
use udn_model::{Finding, Findings, NetworkName, Reason, Subject};

use crate::progress::Trouble;
use crate::work::WorkItem;
use crate::zone::Zone;

#[cfg(test)]
mod tests;

impl Zone {
    /// What a plan could not do.
    pub fn shortfalls(&self, item: &WorkItem, plan: &Plan) -> Findings {
        let tell = |reason, message| Finding::new(self.subject(item), reason, message);
        let conflicts = plan.conflicts.iter().map(|conflict| {
            let holder = conflict.taken_by.as_ref().map_or("somebody else", Owner::as_str);
            let row = &conflict.row;
            let message =
                format!("{row} exists and belongs to {holder}; remove it, or rename the network");
            tell(Reason::RowConflict, message)
        });
        let missing = plan.missing.iter().map(|missing| {
            let (row, needs) = (&missing.row, &missing.needs);
            tell(Reason::Waiting, format!("{row} waits for {needs}, which does not exist"))
        });
        let held = plan.held.iter().map(|held| {
            tell(Reason::Waiting, format!("{} stays for now: {}", held.label, held.reason))
        });
        conflicts.chain(missing).chain(held).collect()
    }

    /// Why a network whose rows were just compared does not count as programmed.
    pub fn trouble(&self, network: &Prefix, shortfalls: &Findings) -> Option<Trouble> {
        let first = self.shortfall(network).or(shortfalls.first())?;
        Some(Trouble { reason: first.reason, message: first.message.clone() })
    }

    /// What a work item is called where people read it.
    pub fn title(&self, item: &WorkItem) -> String {
        match item {
            WorkItem::Shared | WorkItem::Southbound => item.to_string(),
            WorkItem::Network(prefix) => match self.network_of(prefix) {
                Some(network) => format!("network {network}"),
                None => format!("leftovers of {prefix}"),
            },
        }
    }

    /// Whom findings about a work item concern.
    pub fn subject(&self, item: &WorkItem) -> Subject {
        match item {
            WorkItem::Shared => Subject::Network(NetworkName::new("all networks")),
            WorkItem::Southbound => Subject::Node(self.node().clone()),
            WorkItem::Network(prefix) => match self.network_of(prefix) {
                Some(network) => Subject::Network(network.clone()),
                None => Subject::Network(NetworkName::new(prefix.as_str())),
            },
        }
    }
}

//! Divides a zone into batches that are compared and committed apart.
//!
//! Reads what a zone is drawn from and the standing rows; returns sheets and plans.
//! Invariant: the batches together hold every part of the zone and every standing owner once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ovn::compare::CompareError;
use ovn::{Owner, Plan, Rules, Sheet, compare_all};
use ovsdb::Cache;
use udn_blueprint::names::Prefix;
use udn_blueprint::{DrawingInput, draw, owners, parts_of, shared_part};
use udn_model::{Finding, Findings, NetworkName, Part, Reason, Subject};

#[cfg(test)]
mod tests;

/// What is committed together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Batch {
    /// What all networks share.
    Zone,
    Network(NetworkName),
    /// Owners of rows whose network is gone, by the network's prefix in OVN.
    Gone(Prefix),
}

impl Batch {
    /// Whether networks refer to it, so that it must stand before they are compared.
    pub fn is_shared(&self) -> bool {
        *self == Self::Zone
    }

    /// Whom findings about the batch concern.
    pub fn subject(&self) -> Subject {
        match self {
            Self::Zone => Subject::Network(NetworkName::new("all networks")),
            Self::Network(network) => Subject::Network(network.clone()),
            Self::Gone(prefix) => Subject::Network(NetworkName::new(prefix.as_str())),
        }
    }
}

impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zone => f.write_str("what networks share"),
            Self::Network(network) => write!(f, "network {network}"),
            Self::Gone(prefix) => write!(f, "leftovers of {prefix}"),
        }
    }
}

/// Owners that stand, by the prefix of their network.
pub type StandingOwners = BTreeMap<Prefix, BTreeSet<Owner>>;

/// A batch and what it takes to make it stand.
#[derive(Debug)]
pub struct Content {
    pub sheets: Vec<Sheet>,
    pub plan: Plan,
}

/// The batches of a full pass: shared rows first, then networks that left, then those that are.
pub fn batches(input: &DrawingInput<'_>, standing: &StandingOwners) -> Vec<Batch> {
    let present: BTreeSet<Prefix> = input.intent.networks.keys().map(Prefix::of).collect();
    let gone = standing.keys().filter(|prefix| !present.contains(*prefix));
    let networks = input.intent.networks.keys().cloned().map(Batch::Network);
    // Without a network that needs it, what was shared stays as it is: it belongs to none of them.
    let shared = shared_part(input).map(|_| Batch::Zone);
    shared.into_iter().chain(gone.cloned().map(Batch::Gone)).chain(networks).collect()
}

/// The sheets of a batch; owners that stand and are no longer drawn get an empty one.
pub fn sheets(batch: &Batch, input: &DrawingInput<'_>, standing: &StandingOwners) -> Vec<Sheet> {
    let (parts, prefix) = match batch {
        Batch::Zone => return vec![draw(&Part::Zone, input).value],
        Batch::Network(network) => (parts_of(input, network), Prefix::of(network)),
        Batch::Gone(prefix) => (Vec::new(), prefix.clone()),
    };
    let mut sheets: Vec<Sheet> = parts.iter().map(|part| draw(part, input).value).collect();
    let drawn: BTreeSet<Owner> = sheets.iter().map(|sheet| sheet.owner.clone()).collect();
    let left = standing.get(&prefix).into_iter().flatten();
    sheets.extend(left.filter(|owner| !drawn.contains(*owner)).cloned().map(Sheet::new));
    sheets
}

/// The plan of a batch against the standing rows.
pub fn plan(
    batch: &Batch,
    input: &DrawingInput<'_>,
    standing: &StandingOwners,
    rows: &Cache,
    rules: &Rules,
) -> Result<Content, CompareError> {
    let sheets = sheets(batch, input, standing);
    let plan = compare_all(&sheets, rows, rules)?;
    Ok(Content { sheets, plan })
}

/// What keeps parts of one network from being drawn.
pub fn lacking(input: &DrawingInput<'_>, network: &NetworkName) -> Findings {
    let parts = parts_of(input, network);
    let mut findings: Findings = parts.iter().flat_map(|part| draw(part, input).findings).collect();
    findings.sort();
    findings.dedup();
    findings
}

/// Who owns rows now.
pub fn standing_owners(rows: &Cache) -> StandingOwners {
    let mut standing = StandingOwners::new();
    for owner in owners::standing(rows) {
        if let Some(prefix) = owners::prefix(&owner) {
            standing.entry(prefix).or_default().insert(owner);
        }
    }
    standing
}

/// What a plan could not do, told to the user.
pub fn shortfalls(batch: &Batch, plan: &Plan) -> Findings {
    let conflicts = plan.conflicts.iter().map(|conflict| {
        let holder = conflict.taken_by.as_ref().map_or("somebody else", Owner::as_str);
        let message = format!(
            "{} exists and belongs to {holder}; remove it, or rename the network",
            conflict.row
        );
        Finding::new(batch.subject(), Reason::RowConflict, message)
    });
    let missing = plan.missing.iter().map(|missing| {
        let message = format!("{} waits for {}, which does not exist", missing.row, missing.needs);
        Finding::new(batch.subject(), Reason::Waiting, message)
    });
    let held = plan.held.iter().map(|held| {
        let message = format!("{} stays for now: {}", held.label, held.reason);
        Finding::new(batch.subject(), Reason::Waiting, message)
    });
    conflicts.chain(missing).chain(held).collect()
}

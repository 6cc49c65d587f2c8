//! A full pass of a zone controller: everything is read, drawn, compared and committed.
//!
//! Reads the API and the zone's databases; returns a [`ZonePass`].
//! Invariant: every network is tried, whatever became of the others.

use ovn::Plan;
use ovn::compare::CompareError;
use udn_blueprint::{DrawingInput, draw_southbound, unreachable_nodes};
use udn_cluster::translate;
use udn_ledger::accept;
use udn_model::{Finding, Findings, Grants, Intent, Reason, Receipt, Report};
use udn_wire::Kind;

use super::commit::{self, CommitError, Commitment};
use super::listing::{ListError, Listing};
use super::plan::{Batch, StandingOwners, batches, lacking, plan, shortfalls, standing_owners};
use super::{Database, ZoneController};

/// How often a batch is compared again after rows changed under it.
const ATTEMPTS: usize = 5;

/// The kinds that a zone reads; of UDNs and CUDNs it knows only what NADs tell.
const KINDS: [Kind; 5] = [Kind::Namespace, Kind::Node, Kind::Nad, Kind::Service, Kind::Pod];

/// Why a pass ended early.
#[derive(Debug, thiserror::Error)]
pub enum PassError {
    #[error("could not read what the zone is made of")]
    Observe {
        #[from]
        source: ListError,
    },
    #[error("could not tell OVN of the other nodes")]
    Chassis { source: CommitError },
    #[error("the connection to OVN was closed")]
    Closed,
}

/// What a pass saw and wrote.
#[derive(Debug, Clone)]
pub struct ZonePass {
    pub intent: Intent,
    pub grants: Grants,
    pub report: Report,
    /// What each network's commit wrote; networks that did not change are left out.
    pub written: Vec<(Batch, Receipt)>,
}

/// Sees every plan right before it is committed.
pub type Watch<'w> = &'w mut (dyn FnMut(&Batch, &Plan) + Send);

/// Makes the zone's OVN stand as the API's objects want it.
#[tracing::instrument(skip_all, fields(node = %zone.node))]
pub async fn pass(zone: &ZoneController, watch: Watch<'_>) -> Result<ZonePass, PassError> {
    let Listing { world, .. } = Listing::read(&zone.client, &KINDS).await?;
    let intent = translate::zone(&world, &zone.settings);
    let grants = accept(&intent.value, &zone.settings);
    let input = DrawingInput {
        intent: &intent.value,
        grants: &grants.value,
        settings: &zone.settings,
        zone: &zone.node,
    };
    zone.northbound.client.wait_synced().await.map_err(|_| PassError::Closed)?;
    zone.southbound.client.wait_synced().await.map_err(|_| PassError::Closed)?;
    let chassis = commit_chassis(&input, &zone.southbound).await?;
    let mut outcome = commit_batches(&input, &zone.northbound, watch).await;
    let lacking = intent.value.networks.keys().flat_map(|network| lacking(&input, network));
    outcome.findings.extend(lacking);
    outcome.findings.extend(unreachable_nodes(&input));
    let findings = [intent.findings, grants.findings, outcome.findings].concat();
    let receipt = outcome.written.iter().fold(chassis, |sum, (_, it)| sum.plus(*it));
    tracing::debug!(receipt.inserted, receipt.updated, receipt.removed, "committed");
    let report = Report { findings, receipt };
    let written = outcome.written;
    Ok(ZonePass { intent: intent.value, grants: grants.value, report, written })
}

async fn commit_chassis(
    input: &DrawingInput<'_>,
    southbound: &Database,
) -> Result<Receipt, PassError> {
    let sheet = draw_southbound(input);
    let plan = southbound
        .client
        .with_cache(|rows| ovn::compare(&sheet, rows, &southbound.rules))
        .expect("the sheet of chassis draws every row once");
    let commitment = commit::begin(&plan, southbound);
    let receipt = match commitment {
        Ok(commitment) => commitment.finish().await,
        Err(error) => Err(error),
    };
    receipt.map_err(|source| PassError::Chassis { source })
}

/// What came of committing a zone.
#[derive(Debug, Default)]
pub struct Outcome {
    pub findings: Findings,
    /// What each batch wrote; those that did not change are left out.
    pub written: Vec<(Batch, Receipt)>,
}

/// Commits all batches side by side, and those that were overtaken once more.
pub async fn commit_batches(
    input: &DrawingInput<'_>,
    northbound: &Database,
    watch: Watch<'_>,
) -> Outcome {
    let standing = northbound.client.with_cache(standing_owners);
    let mut outcome = Outcome::default();
    let (shared, own): (Vec<Batch>, Vec<Batch>) =
        batches(input, &standing).into_iter().partition(Batch::is_shared);
    // Networks refer to what they share, so that must stand before they are compared.
    for mut todo in [shared, own] {
        for attempt in 1..=ATTEMPTS {
            let under_way = begin_each(todo, input, &standing, northbound, &mut outcome, watch);
            todo = finish_each(under_way, &mut outcome, attempt).await;
            if todo.is_empty() {
                break;
            }
        }
    }
    outcome
}

/// A batch whose plan was sent.
struct UnderWay {
    batch: Batch,
    shortfalls: Findings,
    commitment: Result<Commitment, CommitError>,
}

/// Compares the batches one after the other and sends their plans without waiting for answers.
fn begin_each(
    todo: Vec<Batch>,
    input: &DrawingInput<'_>,
    standing: &StandingOwners,
    northbound: &Database,
    outcome: &mut Outcome,
    watch: Watch<'_>,
) -> Vec<UnderWay> {
    let mut under_way = Vec::with_capacity(todo.len());
    for batch in todo {
        let content = northbound
            .client
            .with_cache(|rows| plan(&batch, input, standing, rows, &northbound.rules));
        match content {
            Ok(content) => {
                watch(&batch, &content.plan);
                let shortfalls = shortfalls(&batch, &content.plan);
                let commitment = commit::begin(&content.plan, northbound);
                under_way.push(UnderWay { batch, shortfalls, commitment });
            }
            Err(error) => outcome.findings.push(not_drawn(&batch, &error)),
        }
    }
    under_way
}

/// Waits for all answers; returns the batches that have to be compared again.
async fn finish_each(
    under_way: Vec<UnderWay>,
    outcome: &mut Outcome,
    attempt: usize,
) -> Vec<Batch> {
    let mut overtaken = Vec::new();
    for UnderWay { batch, shortfalls, commitment } in under_way {
        let finished = match commitment {
            Ok(commitment) => commitment.finish().await,
            Err(error) => Err(error),
        };
        match finished {
            Ok(receipt) => {
                outcome.findings.extend(shortfalls);
                if !receipt.is_empty() {
                    outcome.written.push((batch, receipt));
                }
            }
            Err(error) if error.is_overtaken() && attempt < ATTEMPTS => overtaken.push(batch),
            Err(error) => outcome.findings.push(not_committed(&batch, &error)),
        }
    }
    overtaken
}

fn not_drawn(batch: &Batch, error: &CompareError) -> Finding {
    let message = format!("its rows cannot be compared: {error}; this is a mistake of ours");
    Finding::new(batch.subject(), Reason::RowConflict, message)
}

fn not_committed(batch: &Batch, error: &CommitError) -> Finding {
    Finding::new(batch.subject(), Reason::Waiting, format!("{error}; it is tried again"))
}

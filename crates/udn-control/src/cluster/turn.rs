//! One turn of the cluster office.
//!
//! Invariant: what the turn returns as granted is durable.

use udn_cluster::{Problem, translate};
use udn_model::{Findings, Grants, Intent};

use super::ClusterOffice;
use crate::registry::{Registry, RegistryError};

/// What a turn saw, granted and wrote.
#[derive(Debug, Clone)]
pub struct ClusterTurn {
    pub intent: Intent,
    pub grants: Grants,
    /// How many objects were published.
    pub published: usize,
    pub findings: Findings,
    pub problems: Vec<Problem>,
}

/// Reads the world, settles it, and publishes what is new.
pub async fn turn<R: Registry>(
    office: &mut ClusterOffice<R>,
) -> Result<ClusterTurn, RegistryError> {
    let observed = office.registry.observe().await?;
    let intent = translate::cluster(&observed.world, &office.settings);
    let grants = office.settle(&intent.value);
    let publications = office.publications(&observed.world, &intent.value, &grants.value);
    office.registry.publish(&publications).await?;
    let findings = [intent.findings, grants.findings].concat();
    tracing::debug!(published = publications.len(), findings = findings.len(), "settled");
    Ok(ClusterTurn {
        intent: intent.value,
        grants: grants.value,
        published: publications.len(),
        findings,
        problems: observed.problems,
    })
}

//! One turn of the cluster controller.
//!
//! Invariant: what the reconcile returns as granted is durable.

use udn_cluster::{Problem, translate};
use udn_model::{Findings, Grants, Intent};

use super::ClusterController;
use crate::registry::{Registry, RegistryError};

/// What a reconcile saw, granted and wrote.
#[derive(Debug, Clone)]
pub struct ClusterPass {
    pub intent: Intent,
    pub grants: Grants,
    /// How many objects were published.
    pub published: usize,
    pub findings: Findings,
    pub problems: Vec<Problem>,
}

/// Reads the world, settles it, and publishes what is new.
pub async fn turn<R: Registry>(
    controller: &mut ClusterController<R>,
) -> Result<ClusterPass, RegistryError> {
    let observed = controller.registry.observe().await?;
    let intent = translate::cluster(&observed.world, &controller.settings);
    let grants = controller.settle(&intent.value);
    let publications = controller.publications(&observed.world, &intent.value, &grants.value);
    controller.registry.publish(&publications).await?;
    let findings = [intent.findings, grants.findings].concat();
    tracing::debug!(published = publications.len(), findings = findings.len(), "settled");
    Ok(ClusterPass {
        intent: intent.value,
        grants: grants.value,
        published: publications.len(),
        findings,
        problems: observed.problems,
    })
}

//! Who our programs are to the API server: the ServiceAccounts of `deploy/rbac`.
//!
//! Reads nothing; writes kubeconfigs with tokens.
//! Invariant: an agent's token names its node, as one that was made for a pod there does, or policies
//! would let it change nothing.

use std::path::Path;

use udn_lab::kubernetes::Place;
use udn_lab::real_cluster::{RealCluster, RealNode};
use udn_lab::run::{RunError, run};

use super::error::KubernetesError;

pub(super) const CONTROLLER: &str = "udn-controller";
pub(super) const AGENT: &str = "udn-node";

const NAMESPACE: &str = "udn-system";

/// Longer than a sandbox is looked at.
const LIFETIME: &str = "--duration=48h";

/// Writes a kubeconfig for an account; for that of a node, one that works there.
pub(super) fn write(
    cluster: &RealCluster,
    account: &str,
    node: Option<&RealNode>,
    path: &Path,
) -> Result<(), KubernetesError> {
    let refused = |source| KubernetesError::Account { account: account.to_owned(), source };
    let token = token(cluster, account, node).map_err(refused)?;
    let place = if node.is_some() { Place::Node } else { Place::Outside };
    Ok(cluster.write_kubeconfig(token.trim(), place, path)?)
}

fn token(
    cluster: &RealCluster,
    account: &str,
    node: Option<&RealNode>,
) -> Result<String, RunError> {
    let mut command = cluster.kubectl();
    command.args(["create", "token", account, "-n", NAMESPACE, LIFETIME]);
    if let Some(node) = node {
        let uid = ["get", "node", node.name(), "-o", "jsonpath={.metadata.uid}"];
        let uid = run(cluster.kubectl().args(uid))?;
        command.args(["--bound-object-kind=Node", "--bound-object-name", node.name()]);
        command.args(["--bound-object-uid", uid.trim()]);
    }
    run(&mut command)
}

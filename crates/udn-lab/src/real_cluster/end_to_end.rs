//! Kubernetes' own end-to-end suite as a judge of a running cluster.
//!
//! Reads which specs to run; returns a command that runs them from outside of the nodes.
//! Invariant: the suite meets the cluster as it is; only its images are brought to the nodes.

use std::path::Path;
use std::process::Command;

use crate::end_to_end::{EndToEnd, REPOSITORY};
use crate::real_cluster::ground::write;
use crate::real_cluster::{RealCluster, RealClusterError};

/// The registries of images that the suite is to look for elsewhere.
const REGISTRIES: &[&str] = &["gcRegistry", "promoterE2eRegistry"];

/// A command that runs the specs whose name matches the regular expression `focus`.
pub(super) fn command(cluster: &RealCluster, focus: &str) -> Result<Command, RealClusterError> {
    let suite = EndToEnd::find()?;
    for image in suite.images() {
        cluster.import_image(&image)?;
    }
    let registries: Vec<String> =
        REGISTRIES.iter().map(|registry| format!("{registry}: {REPOSITORY}\n")).collect();
    let path = cluster.control_plane().folder().join("e2e-registries.yaml");
    write(&path, &registries.concat())?;
    Ok(complete(suite.suite(), cluster.kubeconfig(), &path, focus))
}

fn complete(mut command: Command, kubeconfig: &Path, registries: &Path, focus: &str) -> Command {
    command.env("KUBE_TEST_REPO_LIST", registries);
    command.arg("--kubeconfig").arg(kubeconfig).arg("--provider=skeleton");
    command.args(["--ginkgo.no-color", "--ginkgo.v"]).arg(format!("--ginkgo.focus={focus}"));
    command
}

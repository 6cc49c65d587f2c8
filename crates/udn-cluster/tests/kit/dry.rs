//! Dry runs for tests.

use udn_cluster::World;
use udn_cluster::dry_run::{DryRun, Scope, dry_run};
use udn_model::ClusterSettings;

/// What the controller makes of a world.
pub(crate) fn run(world: &World, settings: &ClusterSettings) -> DryRun {
    let run = dry_run(world.clone(), settings, Scope::Manifests);
    assert!(run.is_quiet, "it does not come to rest");
    run
}

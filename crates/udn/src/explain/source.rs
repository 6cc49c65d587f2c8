//! Where objects come from: manifests, or a cluster that runs.
//!
//! Reads files or lists; returns what the cluster controller makes of the objects, and the objects
//! that zones read.
//! Invariant: of a cluster everything is listed once, and nothing is watched or written.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use udn_cluster::dry_run::{DryRun, Scope, dry_run};
use udn_cluster::{Reading, World};
use udn_control::zone::Listing;
use udn_model::ClusterSettings;
use udn_wire::Kind;

use crate::args::ExplainRequest;
use crate::connect::connect;
use crate::validate::{Unusable, gather};
use crate::{output, settings};

/// What is explained.
pub(super) struct Source {
    pub(super) settings: ClusterSettings,
    /// What the cluster controller makes of the objects.
    pub(super) cluster: DryRun,
    /// The objects that zones read, where they are others than those of the dry run.
    standing: Option<World>,
    /// How error messages call it.
    pub(super) name: &'static str,
    /// Everything could be read.
    pub(super) is_whole: bool,
}

impl Source {
    pub(super) fn read(request: &ExplainRequest) -> Result<Self> {
        match (&request.manifests, &request.kubeconfig) {
            (Some(manifests), _) => Self::of_manifests(manifests, request),
            (None, kubeconfig) => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                let kubeconfig = kubeconfig.as_ref().and_then(Option::as_deref);
                runtime.block_on(Self::of_cluster(kubeconfig, request))
            }
        }
    }

    /// The objects that a zone reads: in manifests nobody has granted anything yet, so that the
    /// cluster controller goes first; in a cluster they are those that stand.
    pub(super) fn world(&self) -> &World {
        self.standing.as_ref().unwrap_or(&self.cluster.world)
    }

    fn of_manifests(manifests: &Path, request: &ExplainRequest) -> Result<Self> {
        let settings = settings::settings(&request.settings, None);
        let settings = settings::with_options(settings, &request.networks);
        settings::check(&settings)?;
        let Reading { mut world, problems, skipped } = read(manifests)?;
        for problem in &problems {
            output::complain(format_args!("error: {problem}"));
        }
        for skipped in &skipped {
            output::complain(format_args!("note: {skipped}"));
        }
        for assumption in udn_sandbox::assume_nodes(&mut world) {
            output::complain(format_args!("note: {assumption}"));
        }
        let cluster = dry_run(world, &settings, Scope::Manifests);
        let is_whole = problems.is_empty();
        Ok(Self { settings, cluster, standing: None, name: "the manifests have", is_whole })
    }

    async fn of_cluster(kubeconfig: Option<&Path>, request: &ExplainRequest) -> Result<Self> {
        let client = connect(kubeconfig).await?;
        let settings = settings::of_cluster(&client, &request.settings, &request.networks).await;
        settings::check(&settings)?;
        let listing = Listing::read(&client, &Kind::ALL).await;
        let world = listing.context("the cluster does not show what is to be explained")?.world;
        let cluster = dry_run(world.clone(), &settings, Scope::Cluster);
        let (standing, name) = (Some(world), "the cluster has");
        Ok(Self { settings, cluster, standing, name, is_whole: true })
    }

    /// Zones draw only what was written; says so where something is left to write.
    pub(super) fn tell_of_unwritten(&self) {
        let (count, is_cluster) = (self.cluster.writes.len(), self.standing.is_some());
        if is_cluster && count > 0 {
            output::complain(format_args!(
                "note: zones draw what the cluster controller has written, and {count} writes are \
                 left to it; --stage grants shows them"
            ));
        }
    }
}

/// The manifests of a file or a folder.
fn read(path: &Path) -> Result<Reading> {
    let mut texts = Vec::new();
    let unusable = |it: Unusable| anyhow!("{}: {}", it.file, it.message);
    for source in gather(&[path.to_owned()]).map_err(unusable)? {
        texts.push((source.name(), source.read().map_err(unusable)?));
    }
    Ok(World::read(texts.iter().map(|(name, text)| (name.as_str(), text.as_bytes()))))
}

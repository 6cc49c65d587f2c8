//! The stages of applying manifests, and who hears of them.
//!
//! Invariant: a stage that failed is begun and never done.

use std::time::{Duration, Instant};

/// What a sandbox is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Apply,
    Lab,
    Settle,
    Provider,
    Unplug,
    Commit,
    Hosts,
    Report,
    Matrix,
}

impl Stage {
    /// What people read while it lasts.
    pub fn title(self) -> &'static str {
        match self {
            Self::Apply => "read manifests, apply them to the API server",
            Self::Lab => "start nodes with OVN",
            Self::Settle => "let the cluster controller grant numbers, publish them",
            Self::Provider => "wire nodes to the provider's network",
            Self::Unplug => "unplug pods and networks that left",
            Self::Commit => "draw and commit OVN rows on every node",
            Self::Hosts => "build hosts and pods, wait until ports are up",
            Self::Report => "report from every node, until networks are ready",
            Self::Matrix => "ping",
        }
    }
}

/// Hears what a sandbox does.
pub trait Watch {
    fn begun(&mut self, stage: Stage);
    fn done(&mut self, stage: Stage, took: Duration);
}

/// Does the work of a stage, with somebody watching.
pub(crate) async fn timed<T, E>(
    stage: Stage,
    watch: &mut dyn Watch,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    watch.begun(stage);
    let start = Instant::now();
    let outcome = work.await?;
    watch.done(stage, start.elapsed());
    Ok(outcome)
}

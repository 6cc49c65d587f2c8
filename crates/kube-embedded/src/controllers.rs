//! The controllers: what those of a cluster do that clients rely on.
//!
//! Learns from every write what there may be to do, and does it through the same writes.
//! Invariant: a work item that is done twice, or after its cause is gone, changes nothing.

mod definitions;
mod events;
mod namespaces;
mod owners;
mod policies;
mod queue;
mod volumes;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

pub(crate) use queue::{WorkItem, WorkQueue};

use crate::core::Core;
use crate::refusal::Refusal;

/// How often old events are thrown away.
const SWEEP: Duration = Duration::from_secs(60);

/// Works off the queue until the server ends.
pub(crate) async fn run(core: Arc<Core>) {
    let mut sweep = interval(SWEEP);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            item = core.queue.next() => {
                // One that lost against another write is done anew; what keeps failing is dropped.
                if let Err(why) = reconcile(&core, &item).await {
                    tracing::debug!(%why, ?item, "could not reconcile a work item");
                }
                core.queue.finish();
            }
            _ = sweep.tick() => events::sweep(&core).await,
        }
    }
}

async fn reconcile(core: &Arc<Core>, item: &WorkItem) -> Result<(), Refusal> {
    match item {
        WorkItem::Owned(key) => owners::check(core, key).await,
        WorkItem::Ending(key) => {
            volumes::release(core, key).await?;
            owners::end(core, key).await
        }
        WorkItem::OwnerGone(uid) => {
            core.store.dependents(uid).into_iter().for_each(|key| {
                core.queue.add(WorkItem::Owned(key));
            });
            Ok(())
        }
        WorkItem::Owner { reference, namespace } => {
            if let Some(key) = owners::key(core, reference, namespace) {
                owners::end(core, &key).await?;
            }
            Ok(())
        }
        WorkItem::Policy(name) => policies::reconcile(core, name).await,
        WorkItem::Namespace(name) => namespaces::reconcile(core, name).await,
        WorkItem::Definition(name) => definitions::reconcile(core, name).await,
    }
}

/// Makes the objects that every cluster has.
pub(crate) async fn bootstrap(core: &Arc<Core>) -> Result<(), Refusal> {
    for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
        namespaces::make(core, name).await?;
    }
    namespaces::make_priorities(core).await?;
    namespaces::make_roles(core).await
}

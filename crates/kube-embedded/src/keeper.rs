//! Keeps house: what a cluster's controllers do that clients rely on.
//!
//! Learns from every write what there may be to do, and does it through the same writes.
//! Invariant: a chore that is done twice, or after its cause is gone, changes nothing.

mod chores;
mod definitions;
mod events;
mod namespaces;
mod owners;
mod policies;
mod volumes;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

pub(crate) use chores::{Chore, Chores};

use crate::core::Core;
use crate::refusal::Refusal;

/// How often old events are thrown away.
const SWEEP: Duration = Duration::from_secs(60);

/// Does chores until the server ends.
pub(crate) async fn keep(core: Arc<Core>) {
    let mut sweep = interval(SWEEP);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            chore = core.chores.next() => {
                // One that lost against another write is done anew; what keeps failing is dropped.
                if let Err(why) = perform(&core, &chore).await {
                    tracing::debug!(%why, ?chore, "could not do a chore");
                }
                core.chores.finish();
            }
            _ = sweep.tick() => events::sweep(&core).await,
        }
    }
}

async fn perform(core: &Arc<Core>, chore: &Chore) -> Result<(), Refusal> {
    match chore {
        Chore::Owned(key) => owners::check(core, key).await,
        Chore::Ending(key) => {
            volumes::release(core, key).await?;
            owners::end(core, key).await
        }
        Chore::OwnerGone(uid) => {
            core.store.dependents(uid).into_iter().for_each(|key| {
                core.chores.add(Chore::Owned(key));
            });
            Ok(())
        }
        Chore::Owner { reference, namespace } => {
            if let Some(key) = owners::key(core, reference, namespace) {
                owners::end(core, &key).await?;
            }
            Ok(())
        }
        Chore::Policy(name) => policies::tend(core, name).await,
        Chore::Namespace(name) => namespaces::tend(core, name).await,
        Chore::Definition(name) => definitions::tend(core, name).await,
    }
}

/// Makes the objects that every cluster has.
pub(crate) async fn furnish(core: &Arc<Core>) -> Result<(), Refusal> {
    for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
        namespaces::make(core, name).await?;
    }
    namespaces::make_priorities(core).await?;
    namespaces::make_roles(core).await
}

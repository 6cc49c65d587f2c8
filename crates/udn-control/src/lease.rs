//! Leads, or waits until nobody else does: one program of many works at a time.
//!
//! Keeps a `Lease` of Kubernetes; [`decide`] says when to write it.
//! Invariant: [`Leadership::lost`] has come true before another candidate can lead.

use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, Client};
use tokio::select;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use crate::cluster::Stop;
use decide::Step;
use post::Post;

pub mod decide;
mod post;

pub use decide::Timing;

/// Which lease, and for whom.
#[derive(Debug, Clone)]
pub struct LeaseSettings {
    pub namespace: String,
    pub name: String,
    /// Who we are; no other candidate may have the same name, or failover is told wrongly.
    pub identity: String,
    pub timing: Timing,
}

/// The right to lead. Dropped without a release, others wait until the lease is over.
#[derive(Debug)]
pub struct Leadership {
    version: u64,
    lost: watch::Receiver<bool>,
    release: Option<oneshot::Sender<()>>,
    keeper: JoinHandle<()>,
}

/// Waits until we lead; nothing if we are told to stop before.
pub async fn lead(client: Client, settings: LeaseSettings, mut stop: Stop) -> Option<Leadership> {
    let leases: Api<Lease> = Api::namespaced(client, &settings.namespace);
    let mut post = Post::new(leases, &settings);
    while !post.is_leading() {
        match post.step() {
            Step::Wait(until) => select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return None,
                () = post.wait(until) => {}
            },
            // Never cut short: a write that nobody waits for could still make us the holder.
            step => post.act(step).await,
        }
    }
    Some(Leadership::keep(post))
}

impl Leadership {
    fn keep(post: Post) -> Self {
        let version = post.version();
        let (tell, lost) = watch::channel(false);
        let (release, released) = oneshot::channel();
        let keeper = tokio::spawn(keep(post, released, tell));
        Self { version, lost, release: Some(release), keeper }
    }

    /// The version of the write that made us leader: what was written before is older.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Comes when we lead no more; then nothing may be written.
    pub fn lost(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut lost = self.lost.clone();
        async move {
            // A task that is gone keeps nothing, so both outcomes are the same.
            let _ = lost.wait_for(|lost| *lost).await;
        }
    }

    /// Gives the lease back, so that the next one leads at once.
    pub async fn release(mut self) {
        if let Some(release) = self.release.take() {
            let _ = release.send(());
        }
        let _ = (&mut self.keeper).await;
    }
}

impl Drop for Leadership {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

/// Renews until the lease is lost or given back.
async fn keep(mut post: Post, mut released: oneshot::Receiver<()>, lost: watch::Sender<bool>) {
    loop {
        match post.step() {
            Step::Wait(until) => select! {
                biased;
                Ok(()) = &mut released => return post.give_back().await,
                () = post.wait(until) => {}
            },
            Step::Lost => {
                tracing::error!("lost the lease");
                lost.send_replace(true);
                return;
            }
            step => post.act(step).await,
        }
    }
}

//! Pods whose ports on the default network are locked, as they come, change and go.
//!
//! Reads facts of pods that are wired, and what the zone controller says of them later; returns once the kernel
//! keeps the host's programs from them.
//! Invariant: an address is locked before its port is plugged in, and until it is unplugged; what a pod opens
//! later follows what the zone controller says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tracing::warn;
use udn_host::isolation::LockedPod;
use udn_host::survey::{PodPlace, pod_facts};
use udn_model::AttachmentKey;

use super::pods::{KnownAttachment, PodView, Pods};
use super::wiring::{Plug, WireError, WiredPod, Wiring};

/// The links whose pods are followed.
#[derive(Debug, Clone, Default)]
pub(super) struct Locks {
    followed: Arc<Mutex<BTreeMap<String, AbortHandle>>>,
    /// Whether the switch's rows have told what an earlier server has wired.
    is_learned: Arc<watch::Sender<bool>>,
}

impl Locks {
    /// It is known what an earlier server has wired.
    pub(super) fn learned(&self) {
        self.is_learned.send_replace(true);
    }

    fn followed(&self) -> MutexGuard<'_, BTreeMap<String, AbortHandle>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: Pods> Wiring<P> {
    /// Locks the addresses that are to be locked, before it returns.
    pub(super) async fn lock(&self, plugs: &[Plug]) -> Result<(), WireError> {
        for Plug { facts, .. } in plugs.iter().filter(|it| it.facts.key.is_on_default_network()) {
            self.host.isolation().note(&facts.link, LockedPod::of(facts));
        }
        self.host.isolation().settle().await.map_err(|source| WireError::Lock { source })
    }

    /// Opens what was locked on behalf of links that are gone.
    pub(super) async fn unlock(&self, links: &[&str]) {
        for link in links {
            self.host.isolation().note(link, None);
        }
        if let Err(error) = self.host.isolation().settle().await {
            warn!(%error, ?links, "addresses stay locked longer than their pods");
        }
    }

    /// Locks what an earlier server has wired, and what the zone controller says of it from now on; it must have
    /// listed everything.
    pub(crate) async fn lock_learned(&self) {
        // Before that it would seem that nothing is to be locked. The sender is held here.
        let _ = self.locks.is_learned.subscribe().wait_for(|it| *it).await;
        let wired = self.wired();
        let wired = wired.iter().filter(|pod| pod.key.is_on_default_network());
        for pod in wired.clone() {
            let Ok(view) = self.pods.next(&pod.key.pod, None).await else { return };
            self.note_lock(pod, &view);
        }
        self.host.isolation().know_all();
        if let Err(error) = self.host.isolation().settle().await {
            warn!(%error, "could not look yet which addresses of pods are to be locked");
        }
        wired.for_each(|pod| self.follow_lock(pod));
    }

    /// Follows what the zone controller says of a pod that is wired.
    pub(super) fn follow_lock(&self, pod: &WiredPod) {
        if !pod.key.is_on_default_network() {
            return;
        }
        let (wiring, followed) = (self.clone(), pod.clone());
        let task = tokio::spawn(async move { wiring.keep_locked(&followed).await });
        let former = self.locks.followed().insert(pod.link.clone(), task.abort_handle());
        former.inspect(AbortHandle::abort);
    }

    /// Does so no longer.
    pub(super) fn leave_lock(&self, link: &str) {
        self.locks.followed().remove(link).inspect(AbortHandle::abort);
    }

    async fn keep_locked(&self, pod: &WiredPod) {
        let mut known = None;
        while let Ok(view) = self.pods.next(&pod.key.pod, known).await {
            known = Some(view.revision);
            if !self.note_lock(pod, &view) {
                continue;
            }
            if let Err(error) = self.host.isolation().settle().await {
                warn!(%error, pod = %pod.key, "the kernel does not know yet what a pod opens");
            }
        }
    }

    /// Notes what a view says of a pod's lock; whether that is news. A pod of which nothing is known stays as
    /// it is.
    fn note_lock(&self, pod: &WiredPod, view: &PodView) -> bool {
        let Some(locked) = self.lock_of(pod, view) else { return false };
        self.remembers(&pod.link) && self.host.isolation().note(&pod.link, locked)
    }

    /// What a pod is locked by, if the view tells.
    fn lock_of(&self, pod: &WiredPod, view: &PodView) -> Option<Option<LockedPod>> {
        let WiredPod { key, namespace, sandbox, .. } = pod;
        let known = view.pod.as_ref()?;
        let KnownAttachment { attachment, network } = attachment_of(key, &known.attachments)?;
        let place = PodPlace { namespace: namespace.clone(), sandbox: sandbox.clone() };
        let settings = &self.settings.cluster;
        let facts = pod_facts(settings, (attachment, network), &known.metadata, &place)?;
        Some(LockedPod::of(&facts))
    }
}

fn attachment_of<'a>(
    key: &AttachmentKey,
    attachments: &'a [KnownAttachment],
) -> Option<&'a KnownAttachment> {
    attachments.iter().find(|it| it.attachment.key == *key)
}

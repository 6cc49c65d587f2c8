//! Keeps wired pods wired: learns them from the switch's rows, and puts right what was disturbed.
//!
//! Invariant: a pod is looked at when something about it has changed, and at no other time; what is
//! taken away by a request is never put back.

use std::collections::BTreeSet;
use std::path::Path;

use ovsdb_net::client::{Changes, ChangesError};
use tracing::{info, warn};
use udn_host::survey::{PodPlace, pod_facts};
use udn_model::MacAddress;

use super::connect::Connected;
use super::{Plug, WiredPod, Wiring, by_sandbox};
use crate::cni::pods::{KnownAttachment, Pods};
use crate::kernel::{Kernel, KernelError, Reach};
use crate::switch::PodPort;

impl<P: Pods> Wiring<P> {
    /// Takes in what an earlier server has wired, and takes away what lost its namespace meanwhile.
    pub(crate) async fn learn(&self) {
        let ports = self.host.switch().pod_ports();
        for port in &ports {
            if let (Some(_), Some(mac)) = (&port.key, port.mac) {
                self.guards.note(mac, &port.link);
            }
        }
        {
            let mut memory = self.memory();
            ports.into_iter().for_each(|port| memory.learn(port));
            self.metrics.wired(memory.len());
        }
        self.locks.learned();
        self.sweep().await;
        self.restore_guards().await;
    }

    /// Takes away the ports of pods whose namespaces are gone: their sandboxes ended while nobody
    /// was here to be told.
    pub(crate) async fn sweep(&self) {
        for (sandbox, pods) in by_sandbox(self.wired()) {
            let is_gone = pods.iter().all(|pod| is_gone(&pod.namespace));
            if !is_gone {
                continue;
            }
            let _turn = self.turns.take(&sandbox).await;
            self.drop_gone(&sandbox).await;
        }
    }

    /// Takes away what is left of a sandbox, whose turn it is; whether that went well.
    async fn drop_gone(&self, sandbox: &str) -> bool {
        let ports = self.host.switch().ports_of(sandbox);
        // What is learned of is ours; other programs care for their own.
        let ours: Vec<PodPort> = ports.into_iter().filter(|it| it.key.is_some()).collect();
        let dropped = self.disconnect(&ours).await;
        match &dropped {
            Ok(ports) => info!(sandbox, ports, "took away a pod whose namespace is gone"),
            Err(error) => warn!(%error, sandbox, "could not take away a pod that is gone"),
        }
        dropped.is_ok()
    }

    /// Puts every wired pod as it was wired; returns how many of them failed.
    pub async fn rewire_all(&self) -> usize {
        self.sweep().await;
        // A switch that began anew has forgotten its guards, and has its ports already.
        self.restore_guards().await;
        let mut failed = 0;
        for pod in self.wired() {
            failed += usize::from(!self.rewire(&pod.link).await);
        }
        failed
    }

    /// Whether a wired pod needs one of these guards.
    pub(crate) fn guards_any(&self, macs: &BTreeSet<MacAddress>) -> bool {
        self.guards.holds_any(macs)
    }

    /// Guards all pods that are wired, whatever the bridge guards now.
    pub(crate) async fn restore_guards(&self) {
        match self.guards.restore().await {
            Ok(0) => {}
            Ok(changes) => info!(changes, "put the guards of pods right"),
            Err(error) => {
                warn!(%error, "could not look at the guards of pods; trying again");
                self.guards.restore_later();
            }
        }
    }

    /// Puts a pod as it was wired, if it still is; whether that is so now.
    pub async fn rewire(&self, link: &str) -> bool {
        let Some(WiredPod { sandbox, .. }) = self.memory().pod(link).cloned() else { return true };
        let _turn = self.turns.take(&sandbox).await;
        // Whoever had the turn before may have taken the pod away.
        let Some(pod) = self.memory().pod(link).cloned() else { return true };
        if is_gone(&pod.namespace) {
            return self.drop_gone(&sandbox).await;
        }
        let known = self.memory().plug(link).cloned();
        let plug = match known {
            Some(plug) => Some(plug),
            None => self.plug_of(&pod).await,
        };
        // A pod of which nobody knows anything is about to go.
        let Some(plug) = plug else { return true };
        let plugs = std::slice::from_ref(&plug);
        let connected = async {
            let inside = self.enter(&pod.namespace).await?;
            self.connect(plugs, (inside, Reach::Host), std::future::ready(())).await
        };
        match connected.await {
            Ok(Connected { laid, .. }) => {
                self.metrics.repaired();
                self.remember(plugs);
                info!(pod = %pod.key, link, changes = laid[0].changes, "put a pod right");
                true
            }
            Err(error) => {
                warn!(pod = %pod.key, link, error = &error as &dyn std::error::Error,
                    "could not put a pod right");
                false
            }
        }
    }

    /// What an earlier server has wired, as it would be wired now.
    async fn plug_of(&self, pod: &WiredPod) -> Option<Plug> {
        let view = self.pods.next(&pod.key.pod, None).await.ok()?;
        let known = view.pod?;
        let is_it = |it: &&KnownAttachment| it.attachment.key == pod.key;
        let KnownAttachment { attachment, network } = known.attachments.iter().find(is_it)?;
        let place = PodPlace { namespace: pod.namespace.clone(), sandbox: pod.sandbox.clone() };
        let settings = &self.settings.cluster;
        let mut facts = pod_facts(settings, (attachment, network), &known.metadata, &place)?;
        // The names stay those of the rows, whatever was asked for since.
        facts.link.clone_from(&pod.link);
        facts.interface.clone_from(&pod.interface);
        Some(self.plug(facts))
    }

    /// Follows the switch's rows, and puts right whom somebody disturbs; ends with the connection.
    pub(crate) async fn follow(self, mut changes: Changes) {
        let mut status = self.host.switch().status();
        status.mark_unchanged();
        loop {
            let links = tokio::select! {
                changes = changes.next() => match changes {
                    Ok(changes) => self.host.switch().links_in(&changes),
                    Err(ChangesError::Lagged) => self.links(),
                    Err(ChangesError::Closed) => return,
                },
                Ok(()) = status.changed() => {
                    // Requests that came while the database was away could not be done.
                    if self.host.switch().is_synced() {
                        self.sweep().await;
                    }
                    continue;
                }
            };
            for link in self.disturbed(links) {
                let wiring = self.clone();
                // It may have to wait for its turn, and others need not wait for that.
                tokio::spawn(async move { wiring.rewire(&link).await });
            }
        }
    }

    fn links(&self) -> BTreeSet<String> {
        self.wired().into_iter().map(|pod| pod.link).collect()
    }

    /// Which of these links are wired, and not as they were wired.
    fn disturbed(&self, links: BTreeSet<String>) -> Vec<String> {
        let is_disturbed = |link: &String| {
            let plug = {
                let memory = self.memory();
                if !memory.has(link) {
                    return false;
                }
                memory.plug(link).cloned()
            };
            match plug {
                Some(plug) => !self.host.switch().stands(&plug.plan.ports),
                None => self.host.switch().pod_port(link).is_none(),
            }
        };
        links.into_iter().filter(is_disturbed).collect()
    }
}

/// Whether nothing is at the path of a namespace, or something else than a namespace.
fn is_gone(path: &Path) -> bool {
    match Kernel::look(path) {
        Ok(()) => false,
        Err(KernelError::Enter { source, .. }) => source.kind() == std::io::ErrorKind::NotFound,
        Err(error) => matches!(error, KernelError::NotANamespace { .. }),
    }
}

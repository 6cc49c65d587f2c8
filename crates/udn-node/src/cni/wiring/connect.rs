//! Connects the links of one sandbox: what has to come one after the other does, all else beside it.
//!
//! Reads plugs; returns what was laid, and how long somebody else took for the rest.
//! Invariant: a port is only told to the switch when its cable is there, and whatever was begun has ended
//! when a failure is told: nothing comes after it was undone.

use std::path::Path;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use udn_host::PodFacts;

use super::{Plug, WireError, Wiring};
use crate::cni::metrics::Step;
use crate::cni::pods::Pods;
use crate::kernel::{Kernel, KernelError, Laid, Reach};
use crate::openflow::OpenflowError;
use crate::switch::{PodPort, SwitchError};

/// Links that are connected.
#[derive(Debug)]
pub(in crate::cni) struct Connected<T> {
    pub(in crate::cni) laid: Vec<Laid>,
    /// What was waited for came to.
    pub(in crate::cni) outcome: T,
    /// How long that took.
    pub(in crate::cni) waited: Duration,
}

impl<P: Pods> Wiring<P> {
    /// Enters a pod's namespace.
    pub(in crate::cni) async fn enter(&self, namespace: &Path) -> Result<Kernel, KernelError> {
        self.timed(Step::Enter, self.host.kernel().enter_pod(namespace)).await
    }

    /// Connects links of one sandbox, whose turn it is, and waits for something that others do once the
    /// switch knows of the ports; meanwhile the rest is done.
    ///
    /// After a failure some of it may stand: [`Wiring::undo`] takes it away.
    pub(in crate::cni) async fn connect<T>(
        &self,
        plugs: &[Plug],
        (inside, reach): (Kernel, Reach),
        wait: impl Future<Output = T>,
    ) -> Result<Connected<T>, WireError> {
        self.drop_rivals(plugs).await?;
        let beside = match reach {
            // Nothing of a pod that begins can send before its ADD has an answer.
            Reach::Whole => plugs,
            Reach::Host => {
                self.guard(plugs).await?;
                &[]
            }
        };
        let failed = Notify::new();
        let guard = async { self.guard(beside).await.inspect_err(|_| failed.notify_one()) };
        let (guarded, wired) =
            tokio::join!(guard, self.wire(plugs, (inside, reach), (wait, &failed)));
        guarded?;
        Ok(wired?.expect("nothing but a failure ends the wait early"))
    }

    /// Lays cables, and plugs them in while the pod's ends are made as planned; `None` if something
    /// beside it failed.
    async fn wire<T>(
        &self,
        plugs: &[Plug],
        (inside, reach): (Kernel, Reach),
        (wait, failed): (impl Future<Output = T>, &Notify),
    ) -> Result<Option<Connected<T>>, WireError> {
        let links = plugs.iter().map(|plug| plug.plan.link.clone()).collect();
        let lay = self.host.kernel().lay(links, &inside, reach);
        // Nobody reaches a pod that has no port yet.
        let (laid, locked) = tokio::join!(self.timed(Step::Lay, lay), self.lock(plugs));
        let laid = laid?;
        locked?;
        self.unplug_lost(plugs, &laid).await?;
        let is_loose = |laid: &Laid| laid.is_new || reach == Reach::Whole;
        let loose = plugs.iter().zip(&laid).filter(|(_, laid)| is_loose(laid));
        let loose = loose.map(|(plug, _)| plug).collect();
        let settle = async {
            let settled = self.timed(Step::Settle, self.settle(loose, inside)).await;
            settled.inspect_err(|_| failed.notify_one())
        };
        let plug = async {
            self.timed(Step::Plug, self.commit(plugs)).await?;
            let began = Instant::now();
            let outcome = tokio::select! {
                outcome = wait => Some(outcome),
                // Nobody needs it any more.
                () = failed.notified() => None,
            };
            Ok::<_, WireError>((outcome, began.elapsed()))
        };
        let (settled, plugged) = tokio::join!(settle, plug);
        settled?;
        let (outcome, waited) = plugged?;
        Ok(outcome.map(|outcome| Connected { laid, outcome, waited }))
    }

    /// Unplugs links that were made anew: the switch would hold on to those that are gone.
    async fn unplug_lost(&self, plugs: &[Plug], laid: &[Laid]) -> Result<(), SwitchError> {
        let new = plugs.iter().zip(laid).filter(|(_, laid)| laid.is_new);
        let switch = self.host.switch();
        let lost: Vec<PodPort> =
            new.filter_map(|(plug, _)| switch.pod_port(&plug.facts.link)).collect();
        switch.remove_pod_ports(&lost).await.map(drop)
    }

    async fn guard(&self, plugs: &[Plug]) -> Result<(), OpenflowError> {
        let guarded = plugs.iter().map(|plug| &plug.facts).filter(|facts| facts.is_guarded);
        let guarded: Vec<&PodFacts> = guarded.collect();
        if guarded.is_empty() {
            return Ok(());
        }
        guarded.iter().for_each(|facts| self.guards.note(facts.mac, &facts.link));
        self.timed(Step::Guard, self.guards.hold()).await
    }

    async fn commit(&self, plugs: &[Plug]) -> Result<(), SwitchError> {
        let sheets: Vec<_> = plugs.iter().map(|plug| plug.plan.ports.clone()).collect();
        let ports = self.host.switch().commit(&sheets).await?;
        for link in &ports.removed {
            self.forget([link.as_str()].into_iter());
            self.unlink(link).await;
        }
        Ok(())
    }

    /// Makes the pod's ends as planned; its namespace is left then.
    async fn settle(&self, plugs: Vec<&Plug>, inside: Kernel) -> Result<(), KernelError> {
        for plug in plugs {
            inside.settle(&plug.plan.link, self.host.ethtool()).await?;
        }
        Ok(())
    }

    /// Counts how long a step takes.
    async fn timed<T>(&self, step: Step, work: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let done = work.await;
        self.metrics.stepped(step, began.elapsed());
        done
    }
}

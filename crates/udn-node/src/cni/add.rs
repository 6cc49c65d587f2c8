//! ADD: waits until everything is known of the pod, and wires it while OVN does its part.
//!
//! Reads the request; returns the result that the runtime is told.
//! Invariant: a request that fails leaves nothing of what it made, and what was wired before stays.

use std::fmt::Write;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};
use udn_cni::{CniError, CniResult, Code, PodInterface};
use udn_host::PodFacts;
use udn_host::survey::PodPlace;

use super::answer;
use super::metrics::Wait;
use super::pods::{PodView, Pods};
use super::service::{Service, explain, stopping};
use super::turns::Turn;
use super::wanted::{Judgement, Scene, judge, pod_of};
use super::wiring::Plug;
use crate::kernel::{Kernel, Laid, Reach};

/// What an ADD waits for, as far as it is known.
#[derive(Debug, Default)]
struct Lack {
    what: String,
    findings: Vec<String>,
}

impl<P: Pods> Service<P> {
    pub(super) async fn add(
        &self,
        request: &PodInterface,
        until: Instant,
    ) -> Result<CniResult, CniError> {
        let sandbox = request.attachment.container_id.as_str();
        let turn = self.wiring.turns.take(sandbox).await;
        Kernel::look(&request.netns).map_err(|error| explain(&pod_of(request), &error.into()))?;
        let began = Instant::now();
        let (facts, inside, waited) = self.begin(request, &turn, until).await?;
        let plugs: Vec<Plug> = facts.into_iter().map(|it| self.wiring.plug(it)).collect();
        let made = self.wire(request, (&plugs, inside), &turn, until).await?;
        let share = began.elapsed().saturating_sub(waited + made.waited);
        self.metrics().waited(Wait::Pod, waited);
        self.metrics().waited(Wait::Flows, made.waited);
        self.metrics().added(share);
        let waited = waited + made.waited;
        info!(pod = %pod_of(request), sandbox, ?share, ?waited, "wired a pod");
        let links = plugs.iter().zip(&made.laid).map(|(plug, laid)| (&plug.facts, laid.mac));
        Ok(answer::result(&links.collect::<Vec<_>>()))
    }

    /// Waits until everything is known of the pod, and enters it meanwhile; tells how long the others
    /// took.
    async fn begin(
        &self,
        request: &PodInterface,
        turn: &Turn,
        until: Instant,
    ) -> Result<(Vec<PodFacts>, Kernel, Duration), CniError> {
        let began = Instant::now();
        let known = async {
            tokio::select! {
                known = self.known(request, until) => Ok((known?, began.elapsed())),
                error = self.interruption(request, turn) => Err(error),
            }
        };
        let enter = async || {
            let entered = self.wiring.enter(&request.netns).await;
            entered.map_err(|error| explain(&pod_of(request), &error.into()))
        };
        let place = self.early.try_acquire();
        let enter_early = async { if place.is_ok() { enter().await.map(Some) } else { Ok(None) } };
        let ((facts, waited), inside) = tokio::try_join!(known, enter_early)?;
        let inside = match inside {
            Some(inside) => inside,
            None => enter().await?,
        };
        Ok((facts, inside, waited))
    }

    /// Wires the links, and takes them away again if that fails.
    async fn wire(
        &self,
        request: &PodInterface,
        (plugs, inside): (&[Plug], Kernel),
        turn: &Turn,
        until: Instant,
    ) -> Result<Made, CniError> {
        let wiring = &self.wiring;
        let is_new = |plug: &&Plug| !wiring.remembers(&plug.facts.link);
        let new: Vec<Plug> = plugs.iter().filter(is_new).cloned().collect();
        let made = self.try_wire(request, (plugs, inside), turn, until).await;
        match &made {
            Ok(_) => wiring.remember(plugs),
            Err(error) => {
                warn!(pod = %pod_of(request), %error, "took back what was made of a pod");
                wiring.undo(&new).await;
            }
        }
        made
    }

    async fn try_wire(
        &self,
        request: &PodInterface,
        (plugs, inside): (&[Plug], Kernel),
        turn: &Turn,
        until: Instant,
    ) -> Result<Made, CniError> {
        let installed = async {
            tokio::select! {
                installed = self.installed(plugs, until) => installed,
                error = self.interruption(request, turn) => Err(error),
            }
        };
        let connected = self.wiring.connect(plugs, (inside, Reach::Whole), installed).await;
        let connected = connected.map_err(|error| explain(&pod_of(request), &error))?;
        connected.outcome?;
        Ok(Made { laid: connected.laid, waited: connected.waited })
    }

    /// Waits until everything is known that the request needs.
    async fn known(
        &self,
        request: &PodInterface,
        until: Instant,
    ) -> Result<Vec<PodFacts>, CniError> {
        let mut lack = Lack::default();
        let wait = self.wait_for_pod(request, &mut lack);
        match tokio::time::timeout_at(until, wait).await {
            Ok(outcome) => outcome,
            Err(_) => Err(in_vain(request, self.limit(), &lack)),
        }
    }

    async fn wait_for_pod(
        &self,
        request: &PodInterface,
        lack: &mut Lack,
    ) -> Result<Vec<PodFacts>, CniError> {
        let pod = pod_of(request);
        let place = PodPlace {
            namespace: request.netns.clone(),
            sandbox: request.attachment.container_id.as_str().to_owned(),
        };
        let mut revision = None;
        loop {
            let view = self.wiring.pods.next(&pod, revision).await.map_err(|_| stopping())?;
            let mappings = self.wiring.host.switch().setting("ovn-bridge-mappings");
            let scene = Scene {
                settings: &self.wiring.settings.cluster,
                mappings: mappings.as_deref().unwrap_or_default(),
                place: &place,
            };
            match judge(request, view.pod.as_ref(), scene) {
                Judgement::Ready(facts) => return Ok(facts),
                Judgement::Refused(error) => return Err(error),
                Judgement::Waits(what) => *lack = Lack { what, findings: waits(&view) },
            }
            revision = Some(view.revision);
        }
    }

    /// Waits until the flows of all links are in place.
    async fn installed(&self, plugs: &[Plug], until: Instant) -> Result<(), CniError> {
        for Plug { facts, .. } in plugs {
            let switch = self.wiring.host.switch();
            let left = until.saturating_duration_since(Instant::now());
            let is_installed = switch.has_installed(&facts.link, left).await;
            let pod = &facts.key.pod;
            if is_installed.map_err(|source| explain(pod, &source.into()))? {
                continue;
            }
            let mut message = format!(
                "pod {pod} on {}: waited {} s for OVN to wire its port {} (ovn-installed); see \
                 whether ovn-northd, ovn-controller and ovs-vswitchd run on this node",
                facts.network,
                self.limit().as_secs(),
                facts.logical_port,
            );
            if let Some(problem) = switch.problem(&facts.link) {
                // Writing to a text never fails.
                let _ = write!(message, "; the switch says: {problem}");
            }
            return Err(CniError::new(Code::TryAgainLater, message));
        }
        Ok(())
    }

    /// Waits for a reason to give up.
    async fn interruption(&self, request: &PodInterface, turn: &Turn) -> CniError {
        let mut stop = self.stop.clone();
        tokio::select! {
            () = turn.is_leaving(request.attachment.interface.as_str()) => {
                let pod = pod_of(request);
                let message = format!("pod {pod}: its runtime took the interface back meanwhile");
                CniError::new(Code::TryAgainLater, message)
            }
            _ = stop.wait_for(|it| *it) => stopping(),
        }
    }
}

/// What was made, and how long others took for it.
struct Made {
    laid: Vec<Laid>,
    waited: Duration,
}

fn waits(view: &PodView) -> Vec<String> {
    view.pod.as_ref().map(|pod| pod.waits.clone()).unwrap_or_default()
}

fn in_vain(request: &PodInterface, limit: Duration, lack: &Lack) -> CniError {
    let (pod, interface) = (pod_of(request), &request.attachment.interface);
    let network = request.conf.net_attach_def.as_ref();
    let on = network.map_or_else(String::new, |nad| format!(" on NAD {nad}"));
    let message =
        format!("pod {pod}{on}: waited {} s for {} ({interface})", limit.as_secs(), lack.what);
    CniError::new(Code::TryAgainLater, message).with_details(lack.findings.join("\n"))
}

//! CHECK: whether a pod's links, addresses, routes and ports are as its ADD left them.
//!
//! Invariant: nothing is changed; what differs is told by name.

use udn_cni::{CniError, CniResult, Code, PodInterface};
use udn_host::facts::Guest;
use udn_host::survey::PodPlace;

use super::pods::Pods;
use super::service::{Service, explain, stopping};
use super::wanted::{Judgement, Scene, judge, pod_of};
use super::wiring::{Plug, WireError};

impl<P: Pods> Service<P> {
    pub(super) async fn check(
        &self,
        request: &PodInterface,
        previous: &CniResult,
    ) -> Result<(), CniError> {
        let (pod, wiring) = (pod_of(request), &self.wiring);
        let sandbox = request.attachment.container_id.as_str();
        let _turn = wiring.turns.take(sandbox).await;
        let view = wiring.pods.next(&pod, None).await.map_err(|_| stopping())?;
        let place = PodPlace { namespace: request.netns.clone(), sandbox: sandbox.to_owned() };
        let mappings = wiring.host.switch().setting("ovn-bridge-mappings");
        let scene = Scene {
            settings: &wiring.settings.cluster,
            mappings: mappings.as_deref().unwrap_or_default(),
            place: &place,
        };
        let facts = match judge(request, view.pod.as_ref(), scene) {
            Judgement::Ready(facts) => facts,
            Judgement::Refused(error) => return Err(error),
            Judgement::Waits(what) => return Err(differs(request, &[format!("it lacks {what}")])),
        };
        let plugs: Vec<Plug> = facts.into_iter().map(|it| wiring.plug(it)).collect();
        let mut all = forgotten(&plugs, previous);
        all.extend(self.differences(&plugs).await.map_err(|error| explain(&pod, &error))?);
        if all.is_empty() { Ok(()) } else { Err(differs(request, &all)) }
    }

    async fn differences(&self, plugs: &[Plug]) -> Result<Vec<String>, WireError> {
        let host = &self.wiring.host;
        let mut all = Vec::new();
        let Some(first) = plugs.first() else { return Ok(all) };
        let inside = host.kernel().enter_pod(&first.facts.namespace).await?;
        for Plug { facts, plan } in plugs {
            // What a machine makes of the pod's link is nobody's mistake.
            if facts.guest == Guest::None {
                all.extend(inside.differences(&plan.link).await?);
            }
            let link = &facts.link;
            if !host.kernel().is_up(link).await? {
                all.push(format!("the host's link {link} is down or gone"));
            }
            match host.switch().pod_port(link) {
                None => all.push(format!("the switch has no port {link}")),
                Some(_) if !host.switch().stands(&plan.ports) => {
                    all.push(format!("the switch's port {link} is not as it was made"));
                }
                Some(port) if !port.is_installed => {
                    all.push(format!("OVN has no flows for port {}", facts.logical_port));
                }
                Some(_) => {}
            }
        }
        Ok(all)
    }
}

/// The links of the pod that the result of its ADD does not have.
fn forgotten(plugs: &[Plug], previous: &CniResult) -> Vec<String> {
    let told =
        |name: &str| previous.interfaces.iter().any(|it| it.sandbox.is_some() && it.name == name);
    let missing = plugs.iter().filter(|plug| !told(&plug.facts.interface));
    missing.map(|plug| format!("prevResult has no {}", plug.facts.interface)).collect()
}

fn differs(request: &PodInterface, all: &[String]) -> CniError {
    let message = format!("pod {} is not as it was wired: {}", pod_of(request), all.join("; "));
    CniError::new(Code::TryAgainLater, message)
}

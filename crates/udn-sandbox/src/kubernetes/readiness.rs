//! How far a cluster has come with what was applied: networks, workloads and pods.
//!
//! Reads the API; returns how much of it is Ready, and what is waited for. Judging is pure.
//! Invariant: a workload whose controller has not looked at it yet counts as not ready.

use std::fmt;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::core::v1::{Event, Pod};
use kube::api::{Api, ListParams};
use kube::{Client, ResourceExt};
use serde::de::DeserializeOwned;
use udn_control::zone::Listing;
use udn_wire::Kind;
use udn_wire::api::{ConditionStatus, NetworkStatus};

use super::error::KubernetesError;

#[cfg(test)]
mod tests;

/// How much of something is ready.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Share {
    pub ready: usize,
    pub wanted: usize,
}

/// How far the cluster has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readiness {
    pub networks: Share,
    pub pods: Share,
    /// What is not ready, with what is said of it.
    pub waiting: Vec<String>,
}

/// What is there of a kind of objects that make pods.
struct Workload {
    name: String,
    /// How many pods are wanted and ready; none before its controller has looked at it.
    pods: Option<Share>,
}

impl Readiness {
    /// Whether there is nothing left to wait for.
    pub fn is_whole(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Asks the cluster.
    pub(super) async fn read(client: &Client) -> Result<Self, KubernetesError> {
        let kinds = [Kind::UserDefinedNetwork, Kind::ClusterUserDefinedNetwork];
        let mut readiness = Self::default();
        readiness.add_networks(&Listing::read(client, &kinds).await?);
        let mut workloads = Vec::new();
        workloads.extend(all::<Deployment>(client).await?.iter().map(of_deployment));
        workloads.extend(all::<StatefulSet>(client).await?.iter().map(of_stateful_set));
        workloads.extend(all::<DaemonSet>(client).await?.iter().map(of_daemon_set));
        readiness.add_workloads(&workloads);
        readiness.add_pods(&all::<Pod>(client).await?);
        Ok(readiness)
    }

    fn add_networks(&mut self, listing: &Listing) {
        let world = &listing.world;
        let narrow = world.networks.iter().map(|(name, it)| (format!("UDN {name}"), &it.status));
        let wide = world.cluster_networks.iter();
        let wide = wide.map(|(name, it)| (format!("CUDN {name}"), &it.status));
        for (name, status) in narrow.chain(wide) {
            let trouble = trouble_of_network(status);
            self.networks.count(trouble.is_none());
            self.waiting.extend(trouble.map(|it| format!("{name}: {it}")));
        }
    }

    fn add_workloads(&mut self, workloads: &[Workload]) {
        for Workload { name, pods } in workloads {
            match pods {
                None => self.waiting.push(format!("{name}: its controller has not seen it yet")),
                Some(share) => {
                    self.pods.ready += share.ready;
                    self.pods.wanted += share.wanted;
                    if share.ready < share.wanted {
                        self.waiting.push(format!("{name}: {share} pods Ready"));
                    }
                }
            }
        }
    }

    /// Pods that nobody makes anew count for themselves; of others it is told what they wait for.
    fn add_pods(&mut self, pods: &[Pod]) {
        for pod in pods.iter().filter(|it| !has_ended(it)) {
            let trouble = trouble_of_pod(pod);
            if pod.owner_references().is_empty() {
                self.pods.count(trouble.is_none());
            }
            let name = || format!("Pod {}/{}", pod.namespace().unwrap_or_default(), pod.name_any());
            self.waiting.extend(trouble.map(|it| format!("{}: {it}", name())));
        }
    }
}

impl Share {
    fn count(&mut self, is_ready: bool) {
        self.wanted += 1;
        self.ready += usize::from(is_ready);
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.ready, self.wanted)
    }
}

impl fmt::Display for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} networks, {} pods", self.networks, self.pods)
    }
}

/// What the cluster complained of last, about pods that are not ready; the newest for each.
pub(super) async fn complaints(client: &Client) -> Result<Vec<String>, KubernetesError> {
    let pods = all::<Pod>(client).await?;
    let mut events = all::<Event>(client).await?;
    events.retain(|it| it.type_.as_deref() == Some("Warning"));
    events.sort_by(|one, other| one.last_timestamp.cmp(&other.last_timestamp));
    let troubled = pods.iter().filter(|it| !has_ended(it) && trouble_of_pod(it).is_some());
    let told = troubled.filter_map(|pod| {
        let is_about = |it: &&Event| it.involved_object.uid == pod.metadata.uid;
        let newest = events.iter().rev().find(is_about)?;
        let (name, reason) = (pod.name_any(), newest.reason.as_deref().unwrap_or_default());
        Some(format!("{name}: {reason}: {}", newest.message.as_deref().unwrap_or_default()))
    });
    Ok(told.collect())
}

async fn all<K>(client: &Client) -> Result<Vec<K>, KubernetesError>
where
    K: kube::Resource<DynamicType = ()> + Clone + DeserializeOwned + fmt::Debug,
{
    let listed = Api::<K>::all(client.clone()).list(&ListParams::default()).await;
    let listed = listed.map_err(|source| KubernetesError::Ask { source: Box::new(source) })?;
    Ok(listed.items)
}

fn trouble_of_network(status: &NetworkStatus) -> Option<String> {
    let mut conditions = status.conditions.iter().flatten();
    match conditions.find(|it| it.condition_type == "Ready") {
        None => Some("nobody has looked at it yet".to_owned()),
        Some(ready) if ready.status == ConditionStatus::True => None,
        Some(ready) => Some(ready.message.clone()),
    }
}

fn has_ended(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|it| it.phase.as_deref());
    matches!(phase, Some("Succeeded" | "Failed")) || pod.metadata.deletion_timestamp.is_some()
}

fn trouble_of_pod(pod: &Pod) -> Option<String> {
    let Some(status) = &pod.status else { return Some("Pending".to_owned()) };
    let conditions = || status.conditions.iter().flatten();
    if conditions().any(|it| it.type_ == "Ready" && it.status == "True") {
        return None;
    }
    let unscheduled = conditions().find(|it| it.type_ == "PodScheduled" && it.status != "True");
    if let Some(message) = unscheduled.and_then(|it| it.message.clone()) {
        return Some(message);
    }
    let containers = status.container_statuses.iter().flatten();
    let mut waiting =
        containers.filter_map(|it| it.state.as_ref()?.waiting.as_ref()?.reason.clone());
    let reason = waiting.next_back().or_else(|| status.phase.clone());
    Some(reason.unwrap_or_else(|| "Pending".to_owned()))
}

/// Pods that are wanted and ready, if this is told of the newest state of a workload.
fn share(of: [Option<i64>; 2], ready: Option<i32>, wanted: Option<i32>) -> Option<Share> {
    let [seen, newest] = of;
    let count = |it: Option<i32>| usize::try_from(it.unwrap_or_default()).unwrap_or_default();
    (seen >= newest).then(|| Share { ready: count(ready), wanted: count(wanted) })
}

fn named(kind: &str, object: &impl ResourceExt) -> String {
    format!("{kind} {}/{}", object.namespace().unwrap_or_default(), object.name_any())
}

fn of_deployment(it: &Deployment) -> Workload {
    let status = it.status.clone().unwrap_or_default();
    let wanted = it.spec.as_ref().and_then(|it| it.replicas);
    let of = [status.observed_generation, it.metadata.generation];
    Workload { name: named("Deployment", it), pods: share(of, status.ready_replicas, wanted) }
}

fn of_stateful_set(it: &StatefulSet) -> Workload {
    let status = it.status.clone().unwrap_or_default();
    let wanted = it.spec.as_ref().and_then(|it| it.replicas);
    let of = [status.observed_generation, it.metadata.generation];
    Workload { name: named("StatefulSet", it), pods: share(of, status.ready_replicas, wanted) }
}

fn of_daemon_set(it: &DaemonSet) -> Workload {
    let status = it.status.clone().unwrap_or_default();
    let of = [status.observed_generation, it.metadata.generation];
    let wanted = Some(status.desired_number_scheduled);
    Workload { name: named("DaemonSet", it), pods: share(of, Some(status.number_ready), wanted) }
}

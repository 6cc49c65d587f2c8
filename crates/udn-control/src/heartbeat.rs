//! The heartbeat of a node agent: a Lease of its own that it renews while it works.
//!
//! Writes to an API server until it is told to stop, then lets the lease go. While a loop of the agent is
//! stuck ([`Watchdog`]), nothing is renewed, so that the cluster hears of it.
//! Invariant: a lease that somebody else wrote since is never let go; one request is under way at a
//! time.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::{Client, Error};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use udn_model::NodeName;

#[cfg(test)]
mod tests;
mod watchdog;

pub use watchdog::{Watchdog, Work};

/// Where the leases are, unless settings say otherwise: where kubelets have theirs.
///
/// Not `kube-system`: a role cannot be limited to names that it does not know, and whoever may write
/// leases there may take the scheduler's.
pub const NAMESPACE: &str = "kube-node-lease";

/// What tells these leases from others.
pub const LABEL: &str = "k8s.ovn.org/node-agent";

/// What the name of a lease begins with; the node's name follows.
const PREFIX: &str = "udn-node.";

/// The reason where there is no answer.
const SILENCE: &str = "the server does not answer";

/// Whose heartbeat it is.
#[derive(Debug, Clone)]
pub struct HeartbeatSettings {
    pub node: NodeName,
    /// Where the lease is.
    pub namespace: String,
    pub timing: HeartbeatTiming,
    /// Whether the agent moves.
    pub watchdog: Watchdog,
}

/// How often it beats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeartbeatTiming {
    /// After so long without a renewal the agent counts as silent; whole seconds on the wire.
    pub duration: Duration,
    /// At most so long passes between two renewals.
    pub renew: Duration,
    /// No request takes longer.
    pub request: Duration,
    /// After a renewal that failed, the next one comes so much later.
    pub pause: Duration,
}

impl HeartbeatSettings {
    pub fn new(node: NodeName) -> Self {
        let (timing, watchdog) = Default::default();
        Self { node, namespace: NAMESPACE.to_owned(), timing, watchdog }
    }
}

impl Default for HeartbeatTiming {
    fn default() -> Self {
        Self {
            duration: Duration::from_secs(40),
            renew: Duration::from_secs(10),
            request: Duration::from_secs(3),
            pause: Duration::from_secs(1),
        }
    }
}

/// The lease of a node's agent.
pub fn lease_name(node: &NodeName) -> String {
    format!("{PREFIX}{node}")
}

/// Whose agent's lease it is.
pub(crate) fn node_of(lease: &str) -> Option<NodeName> {
    lease.strip_prefix(PREFIX).map(NodeName::new)
}

/// Renews until it is told to stop, or nobody is left who could; then lets the lease go.
pub async fn run(client: Client, settings: HeartbeatSettings, mut stop: watch::Receiver<bool>) {
    let mut heartbeat = Heartbeat::new(&client, settings);
    while !*stop.borrow() {
        let rest = heartbeat.beat().await;
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            // waits: until the next renewal is due
            () = sleep(rest) => {}
        }
    }
    heartbeat.let_go().await;
}

/// One agent's lease, as far as this program wrote it.
struct Heartbeat {
    leases: Api<Lease>,
    nodes: Api<Node>,
    settings: HeartbeatSettings,
    begun: Timestamp,
    /// The version of the last renewal; none while there is none.
    version: Option<String>,
    renewals: u64,
    /// Why the last renewal failed, so that it is told once.
    complaint: Option<String>,
}

impl Heartbeat {
    fn new(client: &Client, settings: HeartbeatSettings) -> Self {
        Self {
            leases: Api::namespaced(client.clone(), &settings.namespace),
            nodes: Api::all(client.clone()),
            settings,
            begun: Timestamp::now(),
            version: None,
            renewals: 0,
            complaint: None,
        }
    }

    /// Renews once; returns when the next renewal is due.
    async fn beat(&mut self) -> Duration {
        let HeartbeatTiming { request, pause, .. } = self.settings.timing;
        if let Some(complaint) = self.settings.watchdog.complaint(Instant::now()) {
            self.tell(Some(complaint));
            return pause;
        }
        let failure = match timeout(request, self.renew()).await {
            Ok(Ok(lease)) => {
                self.version = lease.metadata.resource_version;
                None
            }
            Ok(Err(error)) => Some(reason(&error)),
            Err(_) => Some(SILENCE.to_owned()),
        };
        self.tell(failure);
        if self.complaint.is_some() { pause } else { self.next() }
    }

    async fn renew(&self) -> kube::Result<Lease> {
        let name = lease_name(&self.settings.node);
        let patch = self.renewed();
        match self.leases.patch(&name, &PatchParams::default(), &Patch::Merge(&patch)).await {
            Err(Error::Api(status)) if status.code == 404 => self.create(patch).await,
            answer => answer,
        }
    }

    /// Makes the lease; it goes when the node goes.
    async fn create(&self, mut lease: Value) -> kube::Result<Lease> {
        let node = self.nodes.get(self.settings.node.as_str()).await?;
        lease["metadata"]["name"] = lease_name(&self.settings.node).into();
        lease["metadata"]["ownerReferences"] = json!([{ "apiVersion": "v1", "kind": "Node",
            "name": node.metadata.name, "uid": node.metadata.uid }]);
        let lease = serde_json::from_value(lease).expect("it has the fields of a Lease");
        self.leases.create(&PostParams::default(), &lease).await
    }

    /// What every renewal says, so that it mends what somebody else changed.
    fn renewed(&self) -> Value {
        let HeartbeatSettings { node, timing, .. } = &self.settings;
        json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": { "labels": { LABEL: "" } },
            "spec": {
                "holderIdentity": node.as_str(),
                "leaseDurationSeconds": whole_seconds(timing.duration),
                "acquireTime": MicroTime(self.begun),
                "renewTime": MicroTime(Timestamp::now()),
            },
        })
    }

    /// Says that the agent stops, unless somebody wrote the lease since: another agent of the node.
    async fn let_go(&self) {
        let Some(version) = &self.version else { return };
        let name = lease_name(&self.settings.node);
        let patch = Patch::Merge(json!({
            "metadata": { "resourceVersion": version },
            "spec": { "holderIdentity": "", "renewTime": MicroTime(Timestamp::now()) },
        }));
        let options = PatchParams::default();
        let request = self.leases.patch(&name, &options, &patch);
        let reason = match timeout(self.settings.timing.request, request).await {
            Ok(Ok(_)) => return tracing::info!(lease = name, "let the lease go"),
            Ok(Err(error)) => reason(&error),
            Err(_) => SILENCE.to_owned(),
        };
        tracing::warn!(lease = name, reason, "could not let the lease go");
    }

    /// A little less than is allowed, each time another, so that agents that began together do not
    /// stay together.
    fn next(&mut self) -> Duration {
        self.renewals = self.renewals.wrapping_add(1);
        let mut hasher = DefaultHasher::new();
        (self.settings.node.as_str(), self.renewals).hash(&mut hasher);
        let parts = 900 + u32::try_from(hasher.finish() % 101).unwrap_or(0);
        self.settings.timing.renew * parts / 1000
    }

    fn tell(&mut self, failure: Option<String>) {
        if self.complaint == failure {
            return;
        }
        let lease = lease_name(&self.settings.node);
        match &failure {
            Some(reason) => {
                tracing::warn!(lease, reason, "could not renew the lease; trying again");
            }
            None => tracing::info!(lease, "renews the lease again"),
        }
        self.complaint = failure;
    }
}

fn whole_seconds(duration: Duration) -> i32 {
    i32::try_from(duration.as_secs().max(1)).unwrap_or(i32::MAX)
}

/// Why a request failed, in the server's words where it has some.
fn reason(error: &Error) -> String {
    match error {
        Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}

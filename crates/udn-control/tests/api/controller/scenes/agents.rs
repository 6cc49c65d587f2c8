//! Agents of nodes that stop, crash and come back, in the status of networks.
//!
//! Invariant: every scene names its objects after itself, and leaves no lease behind.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use udn_control::heartbeat::{self, HeartbeatSettings, HeartbeatTiming, lease_name};
use udn_model::NodeName;
use udn_wire::Kind;

use super::{CUDN, clear, is, says, start_controller, start_watched_controller};
use crate::kit::objects::{cudn, localnet, namespace, node, report};
use crate::kit::server::Site;

/// One that is told after a second, so that no test waits for it.
const HASTY: HeartbeatTiming = HeartbeatTiming {
    duration: Duration::from_secs(1),
    renew: Duration::from_millis(200),
    request: Duration::from_secs(3),
    pause: Duration::from_millis(50),
};

/// The agent of a node, as far as it is heard.
struct Agent {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl Agent {
    fn start(site: &Site, node: &str, timing: HeartbeatTiming) -> Self {
        let (stop, stopped) = watch::channel(false);
        let settings = HeartbeatSettings { timing, ..HeartbeatSettings::new(NodeName::new(node)) };
        let task = tokio::spawn(heartbeat::run(site.client.clone(), settings, stopped));
        Self { task, stop }
    }

    async fn stop(self) {
        self.stop.send(true).expect("the agent runs");
        self.task.await.expect("the agent stops");
    }

    async fn crash(self) {
        self.task.abort();
        assert!(self.task.await.is_err_and(|it| it.is_cancelled()), "it ended by itself");
    }
}

fn leases(site: &Site) -> Api<Lease> {
    Api::namespaced(site.client.clone(), heartbeat::NAMESPACE)
}

/// The times that one renewal after the other wrote.
async fn renewal(site: &Site, node: &str) -> Option<Value> {
    let lease = leases(site).get_opt(&lease_name(&NodeName::new(node))).await;
    let spec = lease.expect("the server answers")?.spec?;
    Some(json!([spec.holder_identity, spec.renew_time]))
}

async fn version(site: &Site, node: &str) -> u64 {
    let lease = leases(site).get(&lease_name(&NodeName::new(node))).await.expect("it is there");
    let version = lease.metadata.resource_version.expect("the server gives one");
    version.parse().expect("versions are numbers")
}

/// A network on two nodes that have both programmed it, as a test of this name has it.
async fn two_nodes(site: &Site, name: &str) -> [String; 2] {
    site.create(namespace(name, &[("team", name)])).await;
    site.create(cudn(name, name, localnet("tenant", 9, &["192.168.9.0/24"]))).await;
    let has = json!({ "programmedUpTo": "999999999",
        "physicalNetworks": [{ "name": "tenant", "bridge": "br-1", "mtu": 1500 }] });
    let nodes = [1, 2].map(|number| format!("{name}-{number}"));
    for node_name in &nodes {
        site.create(node(node_name)).await;
        site.create(report(node_name, has.clone())).await;
    }
    site.until_it((CUDN, "", name), "ready", |it| is(it, "Ready", "True")).await;
    nodes
}

/// Takes the nodes away, and waits until their leases have gone with them.
async fn clear_nodes(site: &Site, name: &str, nodes: [String; 2]) {
    for node in &nodes {
        site.delete(Kind::Report, "", node).await;
        site.delete(Kind::Node, "", node).await;
    }
    clear(site, &[(CUDN, "", name)], &[name]).await;
    for node in &nodes {
        site.until("its lease to be gone", async || renewal(site, node).await.is_none()).await;
    }
}

/// A network is ready only while the agents of all its nodes are heard, and says whose are not.
// proves: X-01 half: the status; that pods run on is for the rig with kubelets
pub(crate) async fn that_stop_or_crash_are_named(site: &Site) {
    let mut controller = start_controller(site);
    let [one, other] = two_nodes(site, "silent").await;
    let place = (CUDN, "", "silent");
    let steady = Agent::start(site, &one, HeartbeatTiming::default());
    let agent = Agent::start(site, &other, HeartbeatTiming::default());
    site.until("a lease", async || renewal(site, &other).await.is_some()).await;
    let start = site.version().await;
    agent.stop().await;
    let told = site
        .until_it(place, "told", |it| {
            says(it, "Ready", "silent-2 (AgentNotResponding: its agent was")
        })
        .await;
    assert!(is(&told, "Ready", "False") && told["status"]["nodes"]["ready"] == 1, "{told:#}");
    site.until_told((Kind::Node, "", &other), &["AgentNotResponding", "start udn node"]).await;
    let agent = Agent::start(site, &other, HASTY);
    site.until_it(place, "ready again", |it| is(it, "Ready", "True")).await;
    site.until_told((Kind::Node, "", &other), &["AgentResponding"]).await;
    agent.crash().await;
    let overdue = |it: &Value| says(it, "Ready", "silent-2 (AgentNotResponding: its agent has not");
    site.until_it(place, "overdue", overdue).await;
    controller.until_idle(&site.client).await;
    let before = site.version().await;
    controller.stop().await;
    let mut controller = start_controller(site);
    controller.until_idle(&site.client).await;
    let agent = Agent::start(site, &other, HeartbeatTiming::default());
    site.until_it(place, "ready once more", |it| is(it, "Ready", "True")).await;
    let states = site.history(CUDN, before).await;
    assert_eq!(states.len(), 1, "it says the same until the agent is heard: {states:#?}");
    let blamed = site.history(CUDN, start).await;
    assert!(!blamed.iter().any(|(_, it)| says(it, "Ready", "silent-1 (")), "{blamed:#?}");
    steady.crash().await;
    agent.crash().await;
    clear_nodes(site, "silent", [one, other]).await;
    controller.stop().await;
}

/// A lease that is not an agent's, or lost its label, says nothing; the agent mends it.
pub(crate) async fn leases_are_mended(site: &Site) {
    let controller = start_controller(site);
    let nodes = two_nodes(site, "mended").await;
    let place = (CUDN, "", "mended");
    let timing = HeartbeatTiming { renew: Duration::from_millis(200), ..<_>::default() };
    let agent = Agent::start(site, &nodes[0], timing);
    site.until("a lease", async || renewal(site, &nodes[0]).await.is_some()).await;
    let name = lease_name(&NodeName::new(&nodes[0]));
    let spoilt = json!({ "metadata": { "labels": { heartbeat::LABEL: null } },
        "spec": { "holderIdentity": "somebody" } });
    let api = leases(site);
    api.patch(&name, &PatchParams::default(), &Patch::Merge(spoilt)).await.expect("it is there");
    site.until("the label and the holder", async || {
        let lease = api.get(&name).await.expect("it is there");
        let labels = lease.metadata.labels.unwrap_or_default();
        let holder = lease.spec.and_then(|it| it.holder_identity);
        labels.contains_key(heartbeat::LABEL) && holder.as_deref() == Some(&nodes[0])
    })
    .await;
    api.delete(&name, &DeleteParams::default()).await.expect("it is there");
    site.until("another lease", async || renewal(site, &nodes[0]).await.is_some()).await;
    site.until_it(place, "ready", |it| is(it, "Ready", "True")).await;
    agent.crash().await;
    clear_nodes(site, "mended", nodes).await;
    controller.stop().await;
}

/// Renewals lead to no reconcile.
pub(crate) async fn that_work_cost_nothing(site: &Site) {
    let (mut controller, decisions) = start_watched_controller(site, |_| false);
    let nodes = two_nodes(site, "frugal").await;
    let timing = HeartbeatTiming { renew: Duration::from_millis(1), ..<_>::default() };
    let agent = Agent::start(site, &nodes[0], timing);
    site.until("a lease", async || renewal(site, &nodes[0]).await.is_some()).await;
    controller.until_idle(&site.client).await;
    let (before, start) = (decisions.counts(), site.version().await);
    // Each renewal is a version, and hardly anybody else writes.
    site.until("renewals", async || version(site, &nodes[0]).await > start + 300).await;
    assert_eq!(decisions.counts(), before);
    agent.crash().await;
    clear_nodes(site, "frugal", nodes).await;
    controller.stop().await;
}

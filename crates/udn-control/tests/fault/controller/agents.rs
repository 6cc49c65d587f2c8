//! Agents of nodes that come and go, and a server that is away, in the status of a network.
//!
//! Invariant: the heartbeats are those of the product, with the times that it has in production.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube_embedded::{Fault, FaultPlan, PerMille, Planned};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use udn_control::cluster::ControllerSettings;
use udn_control::heartbeat::{self, HeartbeatSettings};
use udn_model::{ClusterSettings, NodeName};
use udn_wire::Kind;

use crate::kit::objects::{cudn, localnet, namespace, node, report};
use crate::kit::running_controller::RunningController;
use crate::kit::server::Site;

const LAN: (Kind, &str, &str) = (Kind::ClusterUserDefinedNetwork, "", "lan");

/// The agent of a node, as far as it is heard.
struct Agent {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl Agent {
    fn start(site: &Site, node: &str) -> Self {
        let (stop, stopped) = watch::channel(false);
        let settings = HeartbeatSettings::new(NodeName::new(node));
        let task = tokio::spawn(heartbeat::run(site.client.clone(), settings, stopped));
        Self { task, stop }
    }

    async fn stop(self) {
        self.stop.send(true).expect("the agent runs");
        self.task.await.expect("the agent stops");
    }

    fn crash(self) {
        self.task.abort();
    }
}

/// A cluster of two nodes with agents, a network that both have programmed, and a controller.
struct Scene {
    site: Site,
    controller: RunningController,
    agents: Vec<Agent>,
    /// The version from which on the network was ready.
    start: u64,
}

fn start_controller(site: &Site) -> RunningController {
    RunningController::start(&site.client, ControllerSettings::new(ClusterSettings::default()))
}

async fn pass(seconds: u64) {
    // waits: the clock of the test is paused and goes on only when nobody has anything to do
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

impl Scene {
    async fn new() -> Self {
        let site = Site::embedded().await;
        site.create(namespace("lan", &[("team", "lan")])).await;
        site.create(cudn("lan", "lan", localnet("tenant", 7, &["192.168.7.0/24"]))).await;
        let has = json!({ "programmedUpTo": "999999999",
            "physicalNetworks": [{ "name": "tenant", "bridge": "br-1", "mtu": 1500 }] });
        for name in ["n1", "n2"] {
            site.create(node(name)).await;
            site.create(report(name, has.clone())).await;
        }
        let agents = ["n1", "n2"].map(|name| Agent::start(&site, name)).into();
        let controller = start_controller(&site);
        pass(60).await;
        let mut scene = Self { site, controller, agents, start: 0 };
        scene.check("True", "all 2 nodes").await;
        scene.start = scene.site.version().await;
        scene
    }

    /// The agent of n2, which the test makes an end of.
    fn second_agent(&mut self) -> Agent {
        self.agents.pop().expect("it was not asked for before")
    }

    /// What the network says, in time that does not pass.
    async fn check(&self, status: &str, words: &str) {
        let network = self.site.read(LAN.0, LAN.1, LAN.2).await.expect("it is there");
        let (found, message) = ready(&network);
        assert_eq!(found, status, "{message}");
        assert!(message.contains(words), "{message}");
    }

    /// What `Ready` has been since the beginning, each status once in a row.
    async fn history(&self) -> Vec<String> {
        let states = self.site.history(LAN.0, self.start).await;
        let mut all: Vec<String> = states.iter().map(|(_, it)| ready(it).0).collect();
        all.dedup();
        all
    }

    async fn lease(&self, node: &str) -> Option<Lease> {
        let leases: Api<Lease> = Api::namespaced(self.site.client.clone(), heartbeat::NAMESPACE);
        let name = heartbeat::lease_name(&NodeName::new(node));
        leases.get_opt(&name).await.expect("the server answers")
    }
}

fn ready(network: &Value) -> (String, String) {
    let all = network["status"]["conditions"].as_array();
    let ready = all.into_iter().flatten().find(|it| it["type"] == "Ready");
    let text = |field: &str| ready.and_then(|it| it[field].as_str()).unwrap_or_default().to_owned();
    (text("status"), text("message"))
}

/// An agent crashes, then another controller leads, then the agent is back.
pub(crate) async fn crash() {
    let mut scene = Scene::new().await;
    scene.second_agent().crash();
    pass(25).await;
    scene.check("True", "all 2 nodes").await;
    pass(20).await;
    scene.check("False", "n2 (AgentNotResponding: its agent has not been heard for 40 s;").await;
    scene.controller.stop().await;
    scene.controller = start_controller(&scene.site);
    pass(300).await;
    scene.check("False", "n2 (AgentNotResponding").await;
    assert_eq!(scene.history().await, ["False"], "a controller that begins does not guess");
    let again = Agent::start(&scene.site, "n2");
    pass(1).await;
    scene.check("True", "all 2 nodes").await;
    again.stop().await;
    pass(1).await;
    scene.check("False", "n2 (AgentNotResponding: its agent was stopped;").await;
    assert_eq!(scene.history().await, ["False", "True", "False"]);
    let told = scene.site.notes(Kind::Node, "", "n2").await;
    let count = |word: &str| told.iter().filter(|it| it.starts_with(word)).count();
    assert!(count("AgentNotResponding: ") >= 2 && count("AgentResponding: ") == 1, "{told:#?}");
}

/// The server refuses everybody for minutes, then answers again.
pub(crate) async fn server_away() {
    let scene = Scene::new().await;
    for seconds in [20, 45, 600] {
        let away = FaultPlan { refuse: PerMille(1000), ..FaultPlan::default() };
        scene.site.server().faults().set(Some(away));
        scene.site.server().compact("leases");
        pass(seconds).await;
        scene.site.server().faults().set(None);
        pass(120).await;
        scene.check("True", "all 2 nodes").await;
    }
    assert_eq!(scene.history().await, [""; 0], "nobody is silent because the server was");
}

/// A node goes with its agent and its lease; a lease is deleted and made again.
pub(crate) async fn leases_deleted() {
    let mut scene = Scene::new().await;
    let lease = scene.lease("n1").await.expect("an agent has one");
    let owner = lease.metadata.owner_references.unwrap_or_default().remove(0);
    assert_eq!((owner.kind.as_str(), owner.name.as_str()), ("Node", "n1"));
    let other = scene.second_agent();
    let leases: Api<Lease> = Api::namespaced(scene.site.client.clone(), heartbeat::NAMESPACE);
    let name = heartbeat::lease_name(&NodeName::new("n2"));
    leases.delete(&name, &<_>::default()).await.expect("it is there");
    pass(15).await;
    let states = scene.site.history(LAN.0, scene.start).await;
    let told: Vec<_> = states.iter().map(|(_, it)| ready(it)).collect();
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(told[0].1.contains("n2 (AgentNotResponding: its agent's lease was deleted"));
    assert_eq!(told[1].0, "True", "the agent has made it again");
    other.crash();
    scene.site.delete(Kind::Node, "", "n2").await;
    pass(60).await;
    assert!(leases.get_opt(&name).await.expect("the server answers").is_none(), "it is left over");
    scene.check("True", "the only node").await;
}

/// A list shows the moment at which an agent was stopped that works again.
pub(crate) async fn stale_list() {
    let mut scene = Scene::new().await;
    scene.second_agent().stop().await;
    pass(1).await;
    // Many moments at which it is stopped, so that one of them is met for certain.
    for _ in 0..50 {
        scene.site.version().await;
    }
    let _again = Agent::start(&scene.site, "n2");
    pass(1).await;
    scene.start = scene.site.version().await;
    let faults = scene.site.server().faults();
    let (verb, resource) = ("list".to_owned(), "leases".to_owned());
    faults.plan(Planned { verb, resource, after: 0, fault: Fault::Stale(30) });
    faults.set(Some(FaultPlan { watch_cut: PerMille(1000), ..FaultPlan::default() }));
    pass(15).await;
    assert_eq!(faults.pending(), 0, "there was a list");
    faults.set(None);
    pass(60).await;
    assert_eq!(scene.history().await, [""; 0], "it works");
}

/// Faults of all sorts for half an hour by a seed: agents that work are never silent afterwards, and
/// one that was stopped meanwhile is.
pub(crate) async fn faults(seed: u64) {
    let mut scene = Scene::new().await;
    let other = scene.second_agent();
    let some = PerMille(100);
    scene.site.server().faults().set(Some(FaultPlan {
        seed,
        delay: some,
        event_delay: some,
        longest_delay: Duration::from_millis(400),
        refuse: some,
        conflict: some,
        cut_before: some,
        cut_after: some,
        twice: some,
        stale: some,
        stalest: 30,
        watch_cut: some,
        event_twice: some,
        event_lost: some,
    }));
    pass(900).await;
    other.stop().await;
    pass(900).await;
    scene.site.server().faults().set(None);
    pass(400).await;
    println!("seed {seed}");
    scene.check("False", "1 of 2 nodes are ready; not ready: n2 (AgentNotResponding").await;
    let _again = Agent::start(&scene.site, "n2");
    pass(30).await;
    scene.check("True", "all 2 nodes").await;
}

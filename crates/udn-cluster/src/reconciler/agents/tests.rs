//! Who is touched when an agent comes or goes, and what people are told.

use serde_json::json;
use udn_model::{ClusterSettings, NodeName};
use udn_wire::object::AnyObject;
use udn_wire::{Kind, Target};

use super::super::{Change, Reconciler};
use crate::agents::{AgentNews, AgentState, Silence};
use crate::dry_run::{Scope, dry_run, reconciler_of};
use crate::work_item::WorkItem;
use crate::world::World;

const WORLD: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, uid: u-n1}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, uid: u-n2}}
---
{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: flat, namespace: a, uid: u},
  spec: {topology: Layer2, layer2: {role: Secondary, subnets: [10.0.0.0/16]}}}
---
{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: wide, namespace: a, uid: v},
  spec: {topology: Layer2, layer2: {role: Secondary, subnets: [10.1.0.0/16]}}}
";

const HEARD: AgentState = AgentState::Heard;
const LET_GO: AgentState = AgentState::Silent(Silence::LetGo);
const OVERDUE: AgentState = AgentState::Silent(Silence::Overdue { seconds: 40 });
const DELETED: AgentState = AgentState::Silent(Silence::Deleted);

const NETWORKS: [&str; 2] = ["UserDefinedNetwork a/flat", "UserDefinedNetwork a/wide"];

fn settled() -> World {
    let reading = World::read([("test", WORLD.as_bytes())]);
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    dry_run(reading.world, &ClusterSettings::default(), Scope::Manifests).world
}

fn reconciler() -> Reconciler {
    reconciler_of(&settled(), &ClusterSettings::default())
}

fn observe(reconciler: &mut Reconciler, node: &str, state: AgentState) -> Vec<String> {
    let news = AgentNews::from([(NodeName::new(node), state)]);
    reconciler.observe_agents(news).iter().map(ToString::to_string).collect()
}

/// What people are told of a node by its next reconcile.
fn told(reconciler: &mut Reconciler, node: &str) -> Vec<String> {
    let item = WorkItem::Node(NodeName::new(node));
    let attempt = reconciler.decide(reconciler.view(&item));
    let news = reconciler.conclude(attempt).news;
    let line = |it: &crate::write::Event| format!("{} {} {}", it.kind.as_str(), it.reason, it.uid);
    news.iter().map(line).collect()
}

fn state_of(reconciler: &Reconciler, node: &str) -> Option<AgentState> {
    reconciler.cache.cluster_nodes().agents.get(&NodeName::new(node)).copied()
}

fn remove(reconciler: &mut Reconciler, node: &str) {
    let target = Target::node(&NodeName::new(node));
    reconciler.observe(Change::Removed { target, version: 9_000 });
}

#[test]
fn every_network_and_the_node_hear_of_silence_and_of_its_end() {
    let mut reconciler = reconciler();
    let all: Vec<_> = NETWORKS.into_iter().chain(["node n2"]).collect();
    assert_eq!(observe(&mut reconciler, "n2", HEARD), [""; 0]);
    for state in [OVERDUE, LET_GO, HEARD] {
        assert_eq!(observe(&mut reconciler, "n2", state), all, "{state:?}");
        assert_eq!(observe(&mut reconciler, "n2", state), [""; 0], "{state:?}");
    }
}

#[test]
fn the_first_sign_of_life_concerns_only_networks_that_say_otherwise() {
    let mut world = settled();
    let wide = world.networks.values_mut().nth(1).expect("there are two");
    let problems = json!({"total": 2, "ready": 1, "notReady": 1, "problems": [
        {"node": "n2", "reason": "AgentNotResponding", "message": "as it was"}]});
    wide.status.nodes = serde_json::from_value(problems).expect("our own type");
    let mut reconciler = reconciler_of(&world, &ClusterSettings::default());
    assert_eq!(observe(&mut reconciler, "n1", HEARD), [""; 0]);
    assert_eq!(observe(&mut reconciler, "n2", HEARD), [NETWORKS[1]]);
}

#[test]
fn each_silence_is_told_once_and_so_is_its_end() {
    let mut reconciler = reconciler();
    observe(&mut reconciler, "n2", HEARD);
    assert_eq!(told(&mut reconciler, "n2"), [""; 0], "that it works is nothing to tell");
    for _ in 0..2 {
        observe(&mut reconciler, "n2", OVERDUE);
        assert_eq!(told(&mut reconciler, "n2"), ["Warning AgentNotResponding u-n2"]);
        assert_eq!(told(&mut reconciler, "n2"), [""; 0]);
        observe(&mut reconciler, "n2", LET_GO);
        assert_eq!(told(&mut reconciler, "n2"), [""; 0], "it is silent as before");
        observe(&mut reconciler, "n2", HEARD);
        assert_eq!(told(&mut reconciler, "n1"), [""; 0]);
        assert_eq!(told(&mut reconciler, "n2"), ["Normal AgentResponding u-n2"]);
    }
}

#[test]
fn what_is_heard_before_all_was_listed_counts_afterwards() {
    let mut reconciler = Reconciler::new(ClusterSettings::default());
    assert_eq!(observe(&mut reconciler, "n2", LET_GO), [""; 0]);
    let world = settled();
    for kind in super::super::KINDS {
        let objects = world.of_kind(kind);
        reconciler.observe(Change::Listed { kind, objects, version: 8_000 });
    }
    assert_eq!(state_of(&reconciler, "n2"), Some(LET_GO));
    assert_eq!(told(&mut reconciler, "n2"), ["Warning AgentNotResponding u-n2"]);
}

#[test]
fn a_deleted_lease_means_silence_while_its_node_stands() {
    let mut reconciler = reconciler();
    observe(&mut reconciler, "n2", HEARD);
    observe(&mut reconciler, "n2", DELETED);
    assert_eq!(state_of(&reconciler, "n2"), Some(DELETED));
    remove(&mut reconciler, "n2");
    assert_eq!(state_of(&reconciler, "n2"), None, "a new node of this name begins anew");
}

#[test]
fn of_a_node_that_went_before_its_lease_nothing_is_left() {
    let mut reconciler = reconciler();
    observe(&mut reconciler, "n2", OVERDUE);
    remove(&mut reconciler, "n2");
    assert_eq!(observe(&mut reconciler, "n2", DELETED), [""; 0]);
    assert_eq!(state_of(&reconciler, "n2"), None);
    assert!(reconciler.untold.is_empty());
}

#[test]
fn a_node_that_comes_back_under_a_lease_that_stayed_is_known() {
    let mut reconciler = reconciler();
    observe(&mut reconciler, "n2", OVERDUE);
    remove(&mut reconciler, "n2");
    let node = json!({"metadata": {"name": "n2", "uid": "new", "resourceVersion": "9001"}});
    let node = AnyObject::decode(Kind::Node, &node.to_string()).expect("it is a node");
    reconciler.observe(Change::Put(Box::new(node)));
    assert_eq!(state_of(&reconciler, "n2"), Some(OVERDUE));
}

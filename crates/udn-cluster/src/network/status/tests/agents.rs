//! Agents that do not respond, in the status of networks.

use serde_json::json;
use udn_model::NodeName;

use super::{LABELLED, LATER, LOCALNET, Scene, THEN, UDN, condition, cudn, udn};
use crate::agents::{AgentState, Silence};
use crate::work_item::WorkItem;

const OVERDUE: AgentState = AgentState::Silent(Silence::Overdue { seconds: 40 });
const LET_GO: AgentState = AgentState::Silent(Silence::LetGo);

/// Two nodes that have programmed the network.
fn scene() -> Scene {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    scene.node("n1", json!({"programmedUpTo": "100"}));
    scene.node("n2", json!({"programmedUpTo": "100"}));
    scene
}

fn agent(scene: &mut Scene, node: &str, state: AgentState) {
    scene.agents.insert(NodeName::new(node), state);
}

/// The status and the message of `Ready`.
fn ready(scene: &mut Scene, item: &WorkItem) -> (String, String) {
    let told = scene.told(item, LATER);
    let ready = condition(&told, "Ready").unwrap();
    (ready.status.to_string(), ready.message.clone())
}

#[track_caller]
fn check(scene: &mut Scene, status: &str, message: &str) {
    assert_eq!(ready(scene, &udn()), (status.to_owned(), message.to_owned()));
}

const ALL: &str = "all 2 nodes have programmed the network";
const SILENT: &str = "1 of 2 nodes are ready; not ready: n2 (AgentNotResponding: its agent has not \
                      been heard for 40 s; its pods keep running, but no change reaches them; see \
                      that udn node runs there and reaches the API server)";

#[test]
fn a_node_whose_agent_is_silent_is_not_ready_whatever_its_report_says() {
    let mut scene = scene();
    check(&mut scene, "True", ALL);
    agent(&mut scene, "n1", AgentState::Heard);
    agent(&mut scene, "n2", OVERDUE);
    check(&mut scene, "False", SILENT);
    agent(&mut scene, "n2", AgentState::Heard);
    check(&mut scene, "True", ALL);
    agent(&mut scene, "n2", LET_GO);
    let told = ready(&mut scene, &udn()).1;
    assert!(told.contains("n2 (AgentNotResponding: its agent was stopped;"), "{told}");
    assert!(told.contains("start udn node there"), "{told}");
}

#[test]
fn a_new_controller_leaves_what_stands_until_it_knows() {
    let mut scene = scene();
    agent(&mut scene, "n2", OVERDUE);
    check(&mut scene, "False", SILENT);
    scene.agents.clear();
    check(&mut scene, "False", SILENT);
    agent(&mut scene, "n2", AgentState::Heard);
    check(&mut scene, "True", ALL);
    scene.agents.clear();
    check(&mut scene, "True", ALL);
}

#[test]
fn a_node_that_is_gone_is_not_missed() {
    let mut scene = scene();
    agent(&mut scene, "n2", OVERDUE);
    check(&mut scene, "False", SILENT);
    scene.nodes.remove(&NodeName::new("n2"));
    check(&mut scene, "True", "the only node has programmed the network");
}

#[test]
fn what_a_silent_agent_said_of_its_node_is_not_repeated() {
    let mut scene = Scene::of(&[LABELLED, LOCALNET]);
    scene.node("n1", json!({"physicalNetworks": [{"name": "other", "bridge": "b"}]}));
    assert!(ready(&mut scene, &cudn("lan")).1.contains("PhysicalNetworkMissing"));
    agent(&mut scene, "n1", LET_GO);
    let told = ready(&mut scene, &cudn("lan")).1;
    assert!(told.contains("AgentNotResponding") && !told.contains("PhysicalNetworkMissing"));
}

#[test]
fn networks_have_no_event_of_their_own_for_it() {
    let mut scene = scene();
    scene.told(&udn(), THEN);
    agent(&mut scene, "n2", OVERDUE);
    assert_eq!(scene.tell(&udn(), LATER).events, []);
    scene.told(&udn(), LATER);
    agent(&mut scene, "n2", AgentState::Heard);
    assert_eq!(scene.tell(&udn(), LATER).events, []);
}

//! Events about networks.

use serde_json::json;

use super::{LABELLED, LATER, LOCALNET, Scene, THEN, UDN, attached_pod, cudn, udn};
use crate::work_item::WorkItem;

/// What is sent now, and then written.
fn events(scene: &mut Scene, item: &WorkItem) -> Vec<String> {
    let status_update = scene.tell(item, LATER);
    scene.told(item, LATER);
    let text =
        |it: &crate::write::Event| format!("{} {}: {}", it.kind.as_str(), it.reason, it.message);
    status_update.events.iter().map(text).collect()
}

#[test]
fn a_network_that_is_well_from_the_start_is_not_told() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    scene.node("n1", json!({}));
    assert_eq!(events(&mut scene, &udn()), Vec::<String>::new());
    scene.node("n1", json!({"programmedUpTo": "100"}));
    assert_eq!(events(&mut scene, &udn()), Vec::<String>::new());
}

#[test]
fn what_fails_is_told_once_and_again_when_it_is_over() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    scene.told(&udn(), THEN);
    scene.failures = vec!["no".to_owned()];
    assert_eq!(events(&mut scene, &udn()), ["Warning SyncError: no"]);
    assert_eq!(events(&mut scene, &udn()), Vec::<String>::new());
    scene.failures = vec!["never".to_owned()];
    assert_eq!(events(&mut scene, &udn()), ["Warning SyncError: never"]);
    scene.failures.clear();
    let over = "Normal NetworkAttachmentDefinitionCreated: NetworkAttachmentDefinition has been \
                created";
    assert_eq!(events(&mut scene, &udn()), [over]);
}

#[test]
fn the_event_names_the_object() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    scene.failures.push("ö".repeat(2000));
    let events = scene.tell(&udn(), LATER).events;
    assert_eq!((events[0].about.name.as_str(), events[0].uid.as_str()), ("red", "u"));
    assert!(events[0].message.len() <= 1024 && events[0].message.ends_with("ö…"));
}

#[test]
fn degraded_comes_and_goes() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    scene.told(&udn(), THEN);
    scene.settings.service_subnets.push(udn_model::Subnet::parse("10.1.0.0/24").unwrap());
    let told = events(&mut scene, &udn());
    assert!(told.len() == 1 && told[0].starts_with("Warning SubnetOverlap: "), "{told:?}");
    scene.settings.service_subnets.pop();
    assert_eq!(
        events(&mut scene, &udn()),
        ["Normal Recovered: no longer degraded: SubnetOverlap is over"]
    );
}

#[test]
fn nodes_are_told_of_by_the_kind_of_trouble() {
    let mut scene = Scene::of(&[LABELLED, LOCALNET]);
    let good = json!({"programmedUpTo": "100", "physicalNetworks": [{"name": "tenant",
        "bridge": "b"}]});
    for node in ["n1", "n2", "n3"] {
        scene.silent_node(node);
    }
    assert_eq!(events(&mut scene, &cudn("lan")), Vec::<String>::new());
    // The report stands for a moment without its status.
    scene.node("n1", json!({}));
    assert_eq!(events(&mut scene, &cudn("lan")), Vec::<String>::new());
    scene.node("n1", json!({"physicalNetworks": []}));
    let told = events(&mut scene, &cudn("lan"));
    let want =
        "Warning NodesNotReady: 0 of 3 nodes are ready; not ready: n1 (PhysicalNetworkMissing";
    assert!(told.len() == 1 && told[0].starts_with(want), "{told:?}");
    scene.node("n2", json!({"physicalNetworks": []}));
    assert_eq!(events(&mut scene, &cudn("lan")), Vec::<String>::new());
    scene.node(
        "n3",
        json!({"programmedUpTo": "100", "physicalNetworks": [{"name": "tenant",
        "bridge": "b", "mtu": 600}]}),
    );
    assert_eq!(events(&mut scene, &cudn("lan")).len(), 1);
    for node in ["n1", "n2", "n3"] {
        scene.node(node, good.clone());
    }
    assert_eq!(
        events(&mut scene, &cudn("lan")),
        ["Normal NodesReady: all 3 nodes have programmed the network"]
    );
}

#[test]
fn deletion_is_told_only_where_something_is_in_the_way() {
    let pod = attached_pod("a/p", "a/red", "Running");
    for (texts, want) in [(vec![LABELLED, UDN], 0), (vec![LABELLED, UDN, &pod], 1)] {
        let mut scene = Scene::of(&texts);
        scene.told(&udn(), THEN);
        let metadata = &mut scene.world.networks.values_mut().next().unwrap().metadata;
        metadata.deletion_timestamp = Some(LATER.to_owned());
        let told = events(&mut scene, &udn());
        assert_eq!(told.len(), want, "{told:?}");
    }
}

//! `Ready` and what each node says.

use serde_json::{Value, json};
use udn_wire::api::NodeReadiness;

use super::{LABELLED, LATER, LOCALNET, Scene, THEN, UDN, condition, cudn, udn};
use crate::work_item::WorkItem;

/// What the status says of one node with this report: nothing if it is ready.
fn ask(scene: &mut Scene, item: &WorkItem, report: Value) -> Option<(String, String)> {
    scene.nodes.clear();
    scene.node("n1", report);
    let told = scene.told(item, THEN);
    let nodes = told.nodes.clone().unwrap();
    let is_ready = condition(&told, "Ready").unwrap().reason == "NodesReady";
    assert_eq!(
        (nodes.total, nodes.ready, nodes.not_ready),
        (1, is_ready.into(), (!is_ready).into())
    );
    let problem = nodes.problems.and_then(|it| it.into_iter().next());
    assert_eq!(is_ready, problem.is_none());
    problem.map(|it| (it.reason, it.message.unwrap_or_default()))
}

#[track_caller]
fn check_node(scene: &mut Scene, item: &WorkItem, report: Value, want: Option<(&str, &str)>) {
    let found = ask(scene, item, report);
    assert_eq!(found.as_ref().map(|(reason, message)| (&**reason, &**message)), want);
}

#[test]
fn a_node_confirms_what_its_report_covers() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    let late = Some(("NotProgrammedYet", "has not programmed the newest state yet"));
    let mut check = |report, want| check_node(&mut scene, &udn(), report, want);
    check(json!({"programmedUpTo": "100"}), None);
    check(json!({"programmedUpTo": "1000"}), None);
    check(json!({"programmedUpTo": "99"}), late);
    check(json!({"physicalNetworks": []}), late);
    check(json!({"programmedUpTo": "soon"}), late);
    check(json!({"programmedUpTo": "-5"}), late);
}

#[test]
fn a_report_without_its_status_is_not_given_yet() {
    let message = "has given no NodeNetworkReport; see that the node's agent runs";
    for (texts, item) in [([LABELLED, UDN], udn()), ([LABELLED, LOCALNET], cudn("lan"))] {
        check_node(&mut Scene::of(&texts), &item, json!({}), Some(("NoReport", message)));
    }
}

#[test]
fn what_a_node_could_not_program_it_says_itself() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    let mut check = |list: Value, count: Option<i32>, want| {
        let report = json!({"programmedUpTo": "100", "notProgrammed": list,
            "notProgrammedCount": count});
        check_node(&mut scene, &udn(), report, want);
    };
    let own = json!([{"network": "a_red", "reason": "RowConflict", "message": "rows of others"}]);
    check(own, Some(1), Some(("RowConflict", "rows of others")));
    check(json!([{"network": "a_red", "reason": ""}]), None, Some(("NotProgrammed", "")));
    let other = json!([{"network": "a_pink", "reason": "RowConflict"}]);
    check(other.clone(), Some(1), None);
    let unknown = Some((
        "ReportIncomplete",
        "lists only a part of the networks that are not programmed; see its log",
    ));
    check(other, Some(2), unknown);
    check(json!([{"network": "b_blue", "reason": "RowConflict"}]), Some(2), None);
    check(json!([]), Some(1), unknown);
}

#[test]
fn a_localnet_says_what_it_lacks_on_a_node() {
    let mut scene = Scene::of(&[LABELLED, LOCALNET]);
    let mut check = |networks: Value, want| {
        let report = json!({"programmedUpTo": "100", "physicalNetworks": networks});
        check_node(&mut scene, &cudn("lan"), report, want);
    };
    check(json!([{"name": "tenant", "bridge": "br1"}]), None);
    check(
        json!([{"name": "tenant", "bridge": "br1", "mtu": 1500,
        "vlans": [{"first": 1, "last": 7}]}]),
        None,
    );
    check(
        json!([{"name": "storage", "bridge": "br2"}, {"name": "physnet", "bridge": "br-ex"}]),
        Some((
            "PhysicalNetworkMissing",
            "has bridge mappings for physnet, storage, but not for physical network tenant; add it \
             to ovn-bridge-mappings there",
        )),
    );
    check(
        json!([]),
        Some((
            "PhysicalNetworkMissing",
            "has no bridge mappings, so none for physical network tenant; add it to \
             ovn-bridge-mappings there",
        )),
    );
    check(
        json!([{"name": "tenant", "bridge": "br1", "mtu": 1499}]),
        Some((
            "MtuTooSmall",
            "bridge br1 carries packets of 1499 bytes at most, the network's have 1500; raise the \
             MTU of its uplink, or make the network anew with a smaller one",
        )),
    );
    check(
        json!([{"name": "tenant", "bridge": "br1", "vlans": [{"first": 1, "last": 6},
            {"first": 8, "last": 8}]}]),
        Some((
            "VlanNotAllowed",
            "the uplink of bridge br1 does not let VLAN 7 through, of all VLANs only: 1-6, 8; allow \
             it there",
        )),
    );
    check(
        json!([{"name": "tenant", "bridge": "br1", "mtu": 900, "vlans": []}]),
        Some((
            "MtuTooSmall",
            "bridge br1 carries packets of 900 bytes at most, the network's have 1500; raise the MTU \
             of its uplink, or make the network anew with a smaller one; the uplink of bridge br1 \
             does not let VLAN 7 through, of all VLANs only: none; allow it there",
        )),
    );
}

#[test]
fn a_localnet_says_why_a_node_cannot_use_its_mapping() {
    let mut scene = Scene::of(&[LABELLED, LOCALNET]);
    let mut check = |unusable: Value, want| {
        let report = json!({"programmedUpTo": "100", "physicalNetworks": [],
            "unusablePhysicalNetworks": unusable});
        check_node(&mut scene, &cudn("lan"), report, want);
    };
    check(
        json!([{"name": "tenant", "reason": "BridgeMissing", "message": "make bridge br1"}]),
        Some(("PhysicalNetworkUnusable", "make bridge br1")),
    );
    // What a node says differently is heard of, though nothing else of it changes.
    check(
        json!([{"name": "tenant", "reason": "BridgeWithoutPorts"}]),
        Some((
            "PhysicalNetworkUnusable",
            "cannot use physical network tenant: BridgeWithoutPorts; see the node's bridges",
        )),
    );
    check(
        json!([{"name": "storage", "reason": "BridgeMissing"}]),
        Some((
            "PhysicalNetworkMissing",
            "has no bridge mappings, so none for physical network tenant; add it to \
             ovn-bridge-mappings there",
        )),
    );
}

#[test]
fn an_untagged_localnet_asks_for_no_vlan() {
    let untagged = LOCALNET.replace("vlan: {mode: Access, access: {id: 7}},", "mtu: 9000,");
    let mut scene = Scene::of(&[LABELLED, &untagged]);
    let report = |mtu: i32| {
        json!({"programmedUpTo": "100", "physicalNetworks": [
        {"name": "tenant", "bridge": "br1", "mtu": mtu, "vlans": []}]})
    };
    check_node(&mut scene, &cudn("lan"), report(9000), None);
    assert_eq!(ask(&mut scene, &cudn("lan"), report(8999)).unwrap().0, "MtuTooSmall");
}

#[test]
fn a_localnet_is_judged_before_it_is_programmed_or_anywhere() {
    for selector in ["{}", "{matchLabels: {team: nobody}}"] {
        let text =
            LOCALNET.replace("namespaceSelector: {}", &format!("namespaceSelector: {selector}"));
        let mut scene = Scene::of(&[LABELLED, &text]);
        scene.node("n1", json!({"physicalNetworks": [{"name": "tenant", "bridge": "b"}]}));
        scene.node("n2", json!({"physicalNetworks": [{"name": "other", "bridge": "b"}]}));
        let told = scene.told(&cudn("lan"), THEN);
        let NodeReadiness { total, ready, problems, .. } = told.nodes.unwrap();
        assert_eq!((total, ready), (2, 0));
        let reasons = problems.iter().flatten().map(|it| (it.node.as_str(), it.reason.as_str()));
        let reasons: Vec<_> = reasons.collect();
        assert!(reasons.contains(&("n2", "PhysicalNetworkMissing")), "{reasons:?}");
        assert!(!reasons.contains(&("n1", "PhysicalNetworkMissing")), "{reasons:?}");
    }
}

fn ready(scene: &mut Scene) -> (String, String, String) {
    let told = scene.told(&udn(), LATER);
    let ready = condition(&told, "Ready").unwrap();
    (ready.status.to_string(), ready.reason.clone(), ready.message.clone())
}

#[test]
fn ready_is_for_all_nodes() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    let want = |status: &str, reason: &str, message: &str| {
        (status.to_owned(), reason.to_owned(), message.to_owned())
    };
    let message = "there is no node that could have the network";
    assert_eq!(ready(&mut scene), want("Unknown", "NoNodes", message));
    scene.node("n1", json!({"programmedUpTo": "100"}));
    let message = "the only node has programmed the network";
    assert_eq!(ready(&mut scene), want("True", "NodesReady", message));
    scene.node("n2", json!({"programmedUpTo": "101"}));
    scene.silent_node("n3");
    scene.node(
        "n4",
        json!({"programmedUpTo": "100",
        "notProgrammed": [{"network": "a_red", "reason": "Odd"}], "notProgrammedCount": 1}),
    );
    let message = "2 of 4 nodes are ready; not ready: n3 (NoReport: has given no NodeNetworkReport; \
                   see that the node's agent runs), n4 (Odd)";
    assert_eq!(ready(&mut scene), want("False", "NodesNotReady", message));
    scene.node("n3", json!({"programmedUpTo": "100"}));
    scene.node("n4", json!({"programmedUpTo": "100"}));
    let message = "all 4 nodes have programmed the network";
    assert_eq!(ready(&mut scene), want("True", "NodesReady", message));
    let nad = scene.world.nads.values_mut().next().unwrap();
    nad.metadata.resource_version = "102".to_owned();
    assert_eq!(ready(&mut scene).1, "NodesNotReady");
}

#[test]
fn the_newest_of_all_nads_counts() {
    let b = super::namespace("b", "");
    let mut scene = Scene::of(&[LABELLED, &b, LOCALNET]);
    let nad = scene.world.nads.values_mut().next().unwrap();
    nad.metadata.resource_version = "300".to_owned();
    let report = |version: &str| {
        json!({"programmedUpTo": version, "physicalNetworks": [
        {"name": "tenant", "bridge": "br1"}]})
    };
    assert_eq!(ask(&mut scene, &cudn("lan"), report("299")).unwrap().0, "NotProgrammedYet");
    check_node(&mut scene, &cudn("lan"), report("300"), None);
}

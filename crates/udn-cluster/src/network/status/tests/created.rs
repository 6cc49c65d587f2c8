//! `NetworkCreated`: good and bad paths of both kinds.

use super::{
    LABELLED, LATER, Scene, THEN, UDN, attached_pod, check, condition, cudn, namespace, tenant, udn,
};
use crate::write::Act;

const ALLOCATED: &str = "NetworkAllocationSucceeded True NetworkAllocationSucceeded: Network \
                         allocation succeeded for all synced nodes.";
const NO_NODES: &str = "Ready Unknown NoNodes: there is no node that could have the network";
const NOT_CREATED: &str = "Ready False NetworkNotCreated: the network is not created; see condition \
                           NetworkCreated";
const LABEL: &str = "k8s.ovn.org/primary-user-defined-network: ''";

#[test]
fn a_udn_that_is_there() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    let created = "NetworkCreated True NetworkAttachmentDefinitionCreated: \
                   NetworkAttachmentDefinition has been created";
    let told = check(&mut scene, &udn(), &[created, ALLOCATED, NO_NODES]);
    for condition in told.conditions.iter().flatten() {
        assert_eq!(condition.observed_generation, Some(3));
        assert_eq!(condition.last_transition_time, THEN);
    }
}

#[test]
fn the_write_is_for_this_very_object() {
    let status_update = Scene::of(&[LABELLED, UDN]).tell(&udn(), THEN);
    let write = status_update.write.unwrap();
    assert_eq!((write.target.namespace.as_str(), write.target.name.as_str()), ("a", "red"));
    let Act::ApplyStatus(object) = write.act else { panic!() };
    let status = object["status"].clone();
    let want = serde_json::json!({"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork",
        "metadata": {"name": "red", "namespace": "a", "uid": "u"}, "status": status});
    assert_eq!(object, want);
    assert_eq!(status_update.events, []);
}

#[test]
fn an_object_that_is_gone_is_told_nothing() {
    assert_eq!(Scene::of(&[LABELLED]).tell(&udn(), THEN), super::StatusUpdate::default());
}

#[test]
fn a_udn_without_the_label_on_its_namespace() {
    let bare = namespace("a", "");
    let mut scene = Scene::of(&[&bare, UDN]);
    let created = "NetworkCreated False SyncError: a primary network needs namespaces with the \
                   label k8s.ovn.org/primary-user-defined-network, which can be given only when a \
                   namespace is made; without it: a";
    check(&mut scene, &udn(), &[created, NOT_CREATED]);
}

#[test]
fn a_udn_with_a_bad_spec_in_both_families() {
    let bad = UDN.replace("10.1.0.0/16", "10.1.0.0/16, 'fd01::/48', 'fd02::/64'");
    let mut scene = Scene::of(&[LABELLED, &bad]);
    let told = scene.told(&udn(), THEN);
    let created = condition(&told, "NetworkCreated").unwrap();
    assert_eq!(created.reason, "SyncError");
    assert!(created.message.contains("subnets"), "{}", created.message);
    assert_eq!(condition(&told, "NetworkAllocationSucceeded"), None);
    assert_eq!(condition(&told, "Degraded"), None);
    assert_eq!((told.network_id, told.tunnel_keys, told.transit_subnets), (None, None, None));
}

#[test]
fn a_cudn_lists_its_namespaces_in_order() {
    let (b, tenant) = (namespace("b", LABEL), tenant("blue", "10.1.0.0/16, 'fd10::/64'"));
    let mut scene = Scene::of(&[&b, LABELLED, &tenant]);
    let created = "NetworkCreated True NetworkAttachmentDefinitionCreated: \
                   NetworkAttachmentDefinition has been created in following namespaces: [a, b]";
    check(&mut scene, &cudn("blue"), &[created, ALLOCATED, NO_NODES]);
}

#[test]
fn a_cudn_in_part_says_what_happened_where() {
    let (b, c, d) = (namespace("b", LABEL), namespace("c", ""), namespace("d", LABEL));
    let tenant = tenant("red", "10.1.0.0/16");
    let rival = UDN.replace("name: red, namespace: a", "name: first, namespace: d");
    let foreign = "{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: \
                   {name: red, namespace: b}, spec: {config: '{\"type\":\"bridge\"}'}}";
    let mut scene = Scene::of(&[LABELLED, &b, &c, &d, &rival]);
    let more = Scene::bare(&[&tenant, foreign]).world;
    scene.world.cluster_networks = more.cluster_networks;
    scene.world.nads.extend(more.nads);
    scene.write();
    let created = "NetworkCreated False NetworkAttachmentDefinitionSyncError: \
                   NetworkAttachmentDefinition has been created in following namespaces: [a]; a \
                   primary network needs namespaces with the label \
                   k8s.ovn.org/primary-user-defined-network, which can be given only when a \
                   namespace is made; without it: c; namespace d has its primary network through \
                   NAD d/first; NAD d/red would be a second one, so delete one of the two; NAD b/red \
                   exists and was not made for this network; delete or rename it";
    check(&mut scene, &cudn("red"), &[created, ALLOCATED, NOT_CREATED]);
}

#[test]
fn a_cudn_for_nobody_is_created_nowhere() {
    let nobody = tenant("blue", "10.1.0.0/16").replace("{}", "{matchLabels: {team: x}}");
    let mut scene = Scene::of(&[LABELLED, &nobody]);
    let want = [
        "NetworkCreated True NetworkAttachmentDefinitionCreated: NetworkAttachmentDefinition has \
         been created in following namespaces: []",
        "Ready False NetworkNotAllocated: the network is in no namespace, so it has no numbers",
        "Degraded True NothingSelected: namespaceSelector matches no namespace, so that nobody gets \
         the network; correct it or label a namespace",
    ];
    check(&mut scene, &cudn("blue"), &want);
}

#[test]
fn a_write_that_failed_is_told_with_what_was_made() {
    let (b, tenant) = (namespace("b", LABEL), tenant("blue", "'fd10::/64'"));
    let mut scene = Scene::of(&[LABELLED, &b, &tenant]);
    scene.world.nads.pop_last();
    scene.failures.push("NAD b/blue: the server refused it".to_owned());
    let created = "NetworkCreated False NetworkAttachmentDefinitionSyncError: \
                   NetworkAttachmentDefinition has been created in following namespaces: [a]; NAD \
                   b/blue: the server refused it";
    check(&mut scene, &cudn("blue"), &[created, ALLOCATED, NOT_CREATED]);
    scene.failures.clear();
    let told = scene.told(&cudn("blue"), LATER);
    let created = condition(&told, "NetworkCreated").unwrap();
    let want = "NetworkAttachmentDefinition has been created in following namespaces: [a]; not \
                there yet, and tried again: NetworkAttachmentDefinition b/blue";
    assert_eq!(created.message, want);
    assert_eq!(created.last_transition_time, THEN);
}

#[test]
fn a_nad_that_somebody_deletes_is_told_until_it_is_back() {
    let b = namespace("b", LABEL);
    let user = attached_pod("b/p", "b/blue", "Running");
    let mut scene = Scene::of(&[LABELLED, &b, &tenant("blue", "10.1.0.0/16"), &user]);
    let nad = scene.world.nads.values_mut().next_back().unwrap();
    nad.metadata.deletion_timestamp = Some(THEN.to_owned());
    let created = "NetworkCreated False NetworkAttachmentDefinitionDeleted: \
                   NetworkAttachmentDefinition are being deleted: [b/blue]; network in use by the \
                   following pods: [b/p]";
    check(&mut scene, &cudn("blue"), &[created, ALLOCATED, NOT_CREATED]);
}

#[test]
fn times_change_with_the_status_alone() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    scene.told(&udn(), THEN);
    scene.failures.push("first".to_owned());
    let bad = scene.told(&udn(), LATER);
    let times = |status: &udn_wire::api::NetworkStatus| {
        let all = status.conditions.iter().flatten();
        all.map(|it| it.last_transition_time.clone()).collect::<Vec<_>>()
    };
    assert_eq!(times(&bad), [LATER, THEN, LATER]);
    scene.failures = vec!["second".to_owned()];
    let still = scene.told(&udn(), "2026-11-16T09:00:00Z");
    assert_eq!(condition(&still, "NetworkCreated").unwrap().message, "second");
    assert_eq!(times(&still), [LATER, THEN, LATER]);
}

#[test]
fn a_new_generation_is_observed() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    scene.told(&udn(), THEN);
    scene.world.networks.values_mut().next().unwrap().metadata.generation = 4;
    let told = scene.told(&udn(), LATER);
    let created = condition(&told, "NetworkCreated").unwrap();
    assert_eq!(
        (created.observed_generation, created.last_transition_time.as_str()),
        (Some(4), THEN)
    );
}

#[test]
fn conditions_of_others_are_neither_sent_nor_compared() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    scene.told(&udn(), THEN);
    let others = condition(scene.standing(&udn()), "Ready").unwrap().clone();
    let others = udn_wire::api::Condition { condition_type: "TransportAccepted".into(), ..others };
    let standing = scene.standing(&udn()).conditions.as_mut().unwrap();
    standing.insert(0, others);
    standing.reverse();
    assert_eq!(scene.tell(&udn(), LATER), super::StatusUpdate::default());
    scene.failures.push("no".to_owned());
    let write = scene.tell(&udn(), LATER).write.unwrap();
    let Act::ApplyStatus(object) = write.act else { panic!() };
    let sent = object["status"]["conditions"].as_array().unwrap();
    let types: Vec<&str> = sent.iter().map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["NetworkCreated", "NetworkAllocationSucceeded", "Ready"]);
}

#[test]
fn a_network_of_the_same_name_that_somebody_wrote_is_not_taken_for_ours() {
    let written = "{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: \
                   {name: hand, namespace: b}, spec: {config: '{\"type\":\"ovn-k8s-cni-overlay\",\
                   \"name\":\"a_red\",\"topology\":\"layer2\",\"netAttachDefName\":\"b/hand\"}'}}";
    let b = namespace("b", "");
    let mut scene = Scene::of(&[LABELLED, &b, written]);
    scene.world.networks = Scene::bare(&[UDN]).world.networks;
    let created = "NetworkCreated False SyncError: network a_red would have the same name in OVN as \
                   network a_red of NetworkAttachmentDefinition b/hand; choose another name";
    let told = check(&mut scene, &udn(), &[created, NOT_CREATED]);
    assert_eq!(told.network_id, None);
}

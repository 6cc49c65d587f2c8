//! Networks that are being deleted.

use udn_wire::spec_text::SpecText;

use super::{LABELLED, Scene, THEN, UDN, attached_pod, check, cudn, lines, namespace, tenant, udn};

const ALLOCATED: &str = "NetworkAllocationSucceeded True NetworkAllocationSucceeded: Network \
                         allocation succeeded for all synced nodes.";
const GOING: &str = "Ready False NetworkNotCreated: the network is being deleted";
const LABEL: &str = "k8s.ovn.org/primary-user-defined-network: ''";

fn leave(scene: &mut Scene) {
    let networks = scene.world.networks.values_mut().map(|it| &mut it.metadata);
    let wide = scene.world.cluster_networks.values_mut().map(|it| &mut it.metadata);
    networks.chain(wide).for_each(|it| it.deletion_timestamp = Some(THEN.to_owned()));
}

#[test]
fn a_udn_that_goes() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    leave(&mut scene);
    let created = "NetworkCreated False NetworkAttachmentDefinitionDeleted: \
                   NetworkAttachmentDefinition is being deleted";
    let told = check(&mut scene, &udn(), &[created, ALLOCATED, GOING]);
    assert_eq!(told.nodes, None);
    scene.world.nads.clear();
    check(&mut scene, &udn(), &[created, GOING]);
}

#[test]
fn pods_that_are_in_the_way_are_named() {
    let pods = [
        attached_pod("a/running", "a/red", "Running"),
        attached_pod("a/pending", "a/red/1", "Pending"),
        attached_pod("a/over", "a/red", "Succeeded"),
        attached_pod("a/elsewhere", "a/redder", "Running"),
    ];
    let texts: Vec<&str> = [LABELLED, UDN].into_iter().chain(pods.iter().map(|it| &**it)).collect();
    let mut scene = Scene::of(&texts);
    leave(&mut scene);
    let created = "NetworkCreated False NetworkAttachmentDefinitionDeleted: \
                   NetworkAttachmentDefinition is being deleted; network in use by the following \
                   pods: [a/pending a/running]";
    check(&mut scene, &udn(), &[created, ALLOCATED, GOING]);
}

#[test]
fn a_cudn_that_goes_lists_its_nads() {
    let b = namespace("b", LABEL);
    let pod = attached_pod("b/p", "b/blue", "Running");
    let mut scene = Scene::of(&[LABELLED, &b, &tenant("blue", "10.1.0.0/16, 'fd10::/64'"), &pod]);
    leave(&mut scene);
    scene.failures.push("NAD a/blue: the server is gone, tried again".to_owned());
    let created = "NetworkCreated False NetworkAttachmentDefinitionDeleted: \
                   NetworkAttachmentDefinition are being deleted: [a/blue b/blue]; network in use \
                   by the following pods: [b/p]; NAD a/blue: the server is gone, tried again";
    check(&mut scene, &cudn("blue"), &[created, ALLOCATED, GOING]);
}

#[test]
fn a_udn_goes_with_its_namespace() {
    let mut scene = Scene::of(&[LABELLED, UDN, &attached_pod("a/p", "a/red", "Running")]);
    scene.world.namespaces.get_mut("a").unwrap().metadata.deletion_timestamp =
        Some(THEN.to_owned());
    let told = scene.told(&udn(), THEN);
    let want = "NetworkCreated False NetworkAttachmentDefinitionDeleted: \
                NetworkAttachmentDefinition is being deleted; network in use by the following pods: \
                [a/p]";
    assert_eq!(lines(&told).lines().next(), Some(want));
}

#[test]
fn a_namespace_that_was_left_is_told_with_its_pods() {
    let b = namespace("b", &format!("team: x, {LABEL}"));
    let pods = [attached_pod("b/p", "b/blue", "Running"), attached_pod("b/q", "b/blue", "Running")];
    let mut scene = Scene::of(&[LABELLED, &b, &tenant("blue", "10.1.0.0/16"), &pods[0], &pods[1]]);
    let cudn = scene.world.cluster_networks.get_mut("blue").unwrap();
    let mut spec = cudn.spec.value();
    spec["namespaceSelector"] =
        serde_json::json!({"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]});
    cudn.spec = SpecText::from(&spec);
    let want = [
        "NetworkCreated True NetworkAttachmentDefinitionCreated: NetworkAttachmentDefinition has \
         been created in following namespaces: [a, b]",
        ALLOCATED,
        "Ready Unknown NoNodes: there is no node that could have the network",
        "Degraded True Waiting: NAD b/blue is no longer wanted, but pod b/q still uses it; delete \
         the pod; network in use by the following pods: [b/p b/q]",
    ];
    check(&mut scene, &super::cudn("blue"), &want);
    let left = scene.world.nads.values_mut().next_back().unwrap();
    left.metadata.deletion_timestamp = Some(THEN.to_owned());
    let told = scene.told(&super::cudn("blue"), THEN);
    assert_eq!(lines(&told).lines().next().unwrap(), want[0].replace(", b]", "]"));
}

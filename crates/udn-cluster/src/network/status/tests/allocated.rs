//! `NetworkAllocationSucceeded` and the numbers.

use udn_wire::api::NetworkStatus;
use udn_wire::spec_text::SpecText;

use super::{
    LABELLED, LATER, LOCALNET, Scene, THEN, UDN, check, condition, cudn, lines, tenant, udn,
};

type Numbers = (Option<i32>, Option<Vec<i32>>, Option<Vec<String>>);

fn numbers(status: &NetworkStatus) -> Numbers {
    (status.network_id, status.tunnel_keys.clone(), status.transit_subnets.clone())
}

fn check_numbers(texts: &[&str], item: &super::WorkItem, keys: &[i32], transit: &[&str]) {
    let told = Scene::of(texts).told(item, THEN);
    let some = |list: Vec<_>| Some(list).filter(|it: &Vec<i32>| !it.is_empty());
    let transit: Vec<String> = transit.iter().map(|it| (*it).to_owned()).collect();
    let transit = Some(transit).filter(|it| !it.is_empty());
    assert_eq!(numbers(&told), (Some(1), some(keys.to_vec()), transit));
}

#[test]
fn numbers_are_told_as_granted() {
    let keys = [16_711_684, 16_715_779];
    check_numbers(&[LABELLED, UDN], &udn(), &keys, &["100.88.0.0/16"]);
    let six = UDN.replace("10.1.0.0/16", "'fd10::/64'");
    check_numbers(&[LABELLED, &six], &udn(), &keys, &["fd97::/64"]);
    let both = tenant("blue", "'fd10::/64', 10.1.0.0/16");
    check_numbers(&[LABELLED, &both], &cudn("blue"), &keys, &["fd97::/64", "100.88.0.0/16"]);
    check_numbers(&[LABELLED, LOCALNET], &cudn("lan"), &[], &[]);
}

#[test]
fn a_pool_with_nothing_left_is_told_with_its_limit() {
    let mut scene = Scene::bare(&[LABELLED, UDN, &tenant("blue", "10.2.0.0/16")]);
    let first = Scene::of(&[LABELLED, UDN]);
    scene.world.nads = first.world.nads;
    scene.settings.pools.last_network = 1;
    let other = super::namespace("b", "k8s.ovn.org/primary-user-defined-network: ''");
    let other = Scene::bare(&[&other]).world.namespaces;
    scene.world.namespaces.extend(other);
    let message = "all 1 network ids that --max-networks allows are in use; delete networks that are \
                   not needed, or raise it, to at most 4095";
    let told = scene.told(&cudn("blue"), THEN);
    let allocated = condition(&told, "NetworkAllocationSucceeded").unwrap();
    assert_eq!((allocated.reason.as_str(), allocated.message.as_str()), ("PoolExhausted", message));
    assert!(lines(&told).contains("NetworkCreated False NetworkAttachmentDefinitionSyncError: "));
    let created = condition(&told, "NetworkCreated").unwrap();
    assert!(created.message.ends_with(message), "{}", created.message);
    assert_eq!(numbers(&told), (None, None, None));
}

#[test]
fn numbers_that_are_not_on_every_nad_are_no_success() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    let nad = scene.world.nads.values_mut().next().unwrap();
    nad.metadata.annotations.remove("k8s.ovn.org/tunnel-keys");
    let want = [
        "NetworkCreated True NetworkAttachmentDefinitionCreated: NetworkAttachmentDefinition has \
         been created",
        "NetworkAllocationSucceeded False NumbersNotWritten: the network's numbers are not written \
         yet, and tried again, on NADs: a/red",
        "Ready False NetworkNotAllocated: the network has no numbers; see condition \
         NetworkAllocationSucceeded",
    ];
    check(&mut scene, &udn(), &want);
}

#[test]
fn a_number_that_another_holds_is_told() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    let told = scene.told(&udn(), THEN);
    let taken = udn_model::Finding::new(
        udn_model::Subject::Network(udn().network().unwrap()),
        udn_model::Reason::AlreadyTaken,
        "network id 1 is held by b_blue",
    );
    scene.more.push(taken);
    let now = scene.told(&udn(), LATER);
    let allocated = condition(&now, "NetworkAllocationSucceeded").unwrap();
    assert_eq!(allocated.reason, "AlreadyTaken");
    assert_eq!(
        condition(&now, "NetworkCreated").unwrap().reason,
        "NetworkAttachmentDefinitionCreated"
    );
    assert_eq!(numbers(&now), numbers(&told));
}

#[test]
fn numbers_stay_told_while_the_network_is_nowhere() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    let told = scene.told(&udn(), THEN);
    let udn_object = scene.world.networks.values_mut().next().unwrap();
    let mut spec = udn_object.spec.value();
    spec["layer2"]["subnets"] = serde_json::json!(["nonsense"]);
    udn_object.spec = SpecText::from(&spec);
    let bad = scene.told(&udn(), LATER);
    assert_eq!(condition(&bad, "NetworkCreated").unwrap().reason, "SyncError");
    assert!(condition(&bad, "NetworkAllocationSucceeded").is_some());
    assert_eq!(numbers(&bad), numbers(&told));
    scene.world.nads.clear();
    let gone = scene.told(&udn(), LATER);
    assert_eq!(numbers(&gone), numbers(&told));
    assert_eq!(condition(&gone, "NetworkAllocationSucceeded"), None);
}

#[test]
fn annotations_that_were_mended_in_this_reconcile_are_not_told() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    scene.more.push(udn_model::Finding::new(
        udn_model::Subject::Nad(udn_model::ObjectName::new("a", "red")),
        udn_model::Reason::InvalidAnnotation,
        "\"x\" is not a number",
    ));
    let told = scene.told(&udn(), THEN);
    assert_eq!(condition(&told, "Degraded"), None);
}

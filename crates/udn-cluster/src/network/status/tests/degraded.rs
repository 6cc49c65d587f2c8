//! `Degraded`: findings that leave a network standing.

use udn_model::{Finding, Manifest, Reason, Subject};

use super::{LABELLED, LATER, LOCALNET, Scene, THEN, UDN, condition, cudn, udn};

#[test]
fn a_shared_vlan_is_told_to_who_came_later() {
    let other = LOCALNET.replace("name: lan, uid: c", "name: later, uid: d");
    let mut scene = Scene::of(&[LABELLED, LOCALNET, &other]);
    assert_eq!(condition(&scene.told(&cudn("lan"), THEN), "Degraded"), None);
    let told = scene.told(&cudn("later"), THEN);
    let degraded = condition(&told, "Degraded").unwrap();
    assert_eq!(degraded.reason, "VlanShared");
    let want = "carries VLAN 7 of physical network tenant, as ClusterUserDefinedNetwork lan does, so \
                that their pods are on one network; change one of them unless that is meant";
    assert_eq!(degraded.message, want);
    assert_eq!(condition(&told, "NetworkCreated").unwrap().status.to_string(), "True");
}

#[test]
fn errors_come_before_warnings_and_all_are_told() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    let of = |reason, message: &str| {
        Finding::new(
            Subject::Manifest(Manifest::Udn(udn_model::ObjectName::new("a", "red"))),
            reason,
            message,
        )
    };
    scene.more.push(of(Reason::NodeOverlap, "a node is in it"));
    scene.more.push(of(Reason::NoAddressLeft, "it is full"));
    scene.more.push(Finding::new(
        Subject::Manifest(Manifest::Udn(udn_model::ObjectName::new("b", "red"))),
        Reason::NodeOverlap,
        "of another",
    ));
    let told = scene.told(&udn(), THEN);
    let degraded = condition(&told, "Degraded").unwrap();
    assert_eq!(
        (degraded.reason.as_str(), degraded.message.as_str()),
        ("NoAddressLeft", "it is full; a node is in it")
    );
}

#[test]
fn a_living_network_that_no_longer_fits_stands_and_says_so() {
    let mut scene = Scene::of(&[LABELLED, UDN]);
    scene.told(&udn(), THEN);
    scene.settings.service_subnets.push(udn_model::Subnet::parse("10.1.0.0/24").unwrap());
    let told = scene.told(&udn(), LATER);
    assert_eq!(condition(&told, "Degraded").unwrap().reason, "SubnetOverlap");
    assert_eq!(condition(&told, "NetworkCreated").unwrap().status.to_string(), "True");
    scene.settings.service_subnets.pop();
    assert_eq!(condition(&scene.told(&udn(), LATER), "Degraded"), None);
}

//! NADs that compete for a name or a namespace, and pieces that cannot be read.

use super::*;

const SHARED: &str = "what networks share, whole";

#[test]
fn who_competes_for_a_namespace_is_read_together() {
    // The later one waits for the namespace, and gets it when the first goes.
    let second = nad("a/green", Some(9), primary("green", TWO_FAMILIES));
    let mut zone = check([put(second)], &[]);
    let refusal = "NetworkAttachmentDefinition a/green: PrimaryConflict: metadata.namespace: \
                   namespace a has its primary network through NAD a/red; NAD a/green would be a \
                   second one, so delete one of the two";
    assert_eq!(told(&zone), [refusal]);
    zone.hear(removed(Kind::Nad, "a/red"));
    assert_eq!(lines(&renew(&mut zone)), [SHARED, "network green, whole", "network red, whole"]);
    assert_eq!(told(&zone), [""; 0]);
}

#[test]
fn who_competes_for_a_name_in_ovn_is_read_together() {
    let dash = nad("c/dash", Some(9), secondary("x-y", TWO_FAMILIES));
    let dot = nad("c/dot", Some(8), secondary("x.y", TWO_FAMILIES));
    let mut zone = check([put(dash)], &[SHARED, "network x.y, whole"]);
    zone.hear(put(dot));
    assert_eq!(lines(&renew(&mut zone)), [SHARED, "network x.y, whole"]);
    let holder = zone.names.get(&udn_blueprint::names::Prefix::of(&NetworkName::new("x-y")));
    assert_eq!(holder, Some(&NetworkName::new("x.y")));
    zone.hear(removed(Kind::Nad, "c/dot"));
    assert_eq!(lines(&renew(&mut zone)), [SHARED, "network x.y, whole"]);
    let holder = zone.names.get(&udn_blueprint::names::Prefix::of(&NetworkName::new("x-y")));
    assert_eq!(holder, Some(&NetworkName::new("x-y")));
}

#[test]
fn rivals_are_read_once_and_others_apart() {
    let mut zone = zone_of(&cluster());
    zone.hear(put(nad("a/red", Some(1), primary("red", "10.77.0.0/16"))));
    zone.hear(put(nad("d/red", Some(1), primary("red", "10.77.0.0/16"))));
    zone.hear(put(nad("c/flat", Some(3), secondary("flat", "10.77.0.0/16"))));
    let red = Piece::Networks(ObjectName::new("a", "red"));
    assert_eq!(lines(&zone.renew(&red)), [SHARED, "network red, whole"]);
    let flat = Piece::Networks(ObjectName::new("c", "flat"));
    assert_eq!(zone.next_dirty(), Some(flat.clone()));
    assert_eq!(lines(&zone.renew(&flat)), [SHARED, "network flat, whole"]);
    assert!(!matches!(zone.next_dirty(), Some(Piece::Networks(_))));
}

#[test]
fn a_finding_outlives_the_rivalry_in_which_it_was_made() {
    // NAD b/red was of network red, and then of none that can be: its own finding must stay when
    // the others are read again without it.
    let mut zone = check([put(nad("b/red", Some(1), secondary("red", TWO_FAMILIES)))], &[]);
    zone.hear(put(nad("b/red", Some(1), json!({"name": "alone", "topology": "hypercube"}))));
    renew(&mut zone);
    let before = told(&zone);
    assert_eq!(before.len(), 1, "{before:?}");
    assert!(before[0].starts_with("NetworkAttachmentDefinition b/red: "), "{before:?}");
    zone.hear(put(nad("a/red", Some(1), primary("red", TWO_FAMILIES)).annotated("who", "cares")));
    renew(&mut zone);
    assert_eq!(told(&zone), before);
}

#[test]
fn a_finding_about_a_network_goes_with_its_cause() {
    // All NADs of x.y lack the label, so its finding names the network; NAD a/more, which has the
    // name in OVN, is read once with NAD a/early beside it and once without.
    let dot = nad("c/main", None, primary("x.y", TWO_FAMILIES));
    let dash = nad("a/more", None, primary("x-y", TWO_FAMILIES));
    let early = nad("a/early", None, primary("early", TWO_FAMILIES));
    let mut zone = check([put(dot), put(dash), put(early)], &[]);
    zone.hear(removed(Kind::Nad, "a/early"));
    renew(&mut zone);
    let conflict = "network x.y: NameConflict: spec.config: network x.y would have the same name in \
                    OVN as network x-y of NetworkAttachmentDefinition a/more; choose another name";
    assert!(told(&zone).contains(&conflict.to_owned()), "{:?}", told(&zone));
    zone.hear(Change::Removed { target: target(Kind::Nad, "a/more"), version: 102 });
    renew(&mut zone);
    assert!(!told(&zone).contains(&conflict.to_owned()), "{:?}", told(&zone));
}

#[test]
fn the_numbers_of_a_network_bring_back_what_its_pods_carry() {
    let bare = nad("a/red", None, primary("red", TWO_FAMILIES));
    let mut zone = check([put(bare)], &[SHARED, "network red, whole"]);
    assert!(!zone.grants().attachments.contains_key(&NetworkName::new("red")));
    zone.hear(put(nad("a/red", Some(1), primary("red", TWO_FAMILIES)).at_version(102)));
    assert_eq!(lines(&renew(&mut zone)), [SHARED, "network red, whole"]);
    assert_eq!(zone.grants().attachments[&NetworkName::new("red")].len(), 2);
}

#[test]
fn a_pod_is_told_which_half_of_a_name_is_wrong() {
    let p3 = pod("c/q3", "n1", "d/none");
    let mut zone = check([put(p3)], &[]);
    let nowhere = "pod c/q3: NamespaceNotFound: metadata.annotations[k8s.v1.cni.cncf.io/networks]: \
                   NAD d/none does not exist, nor does namespace d; create them or correct the name";
    assert_eq!(told(&zone), [nowhere]);
    zone.hear(put(namespace("d", false)));
    renew(&mut zone);
    let missing = "pod c/q3: DefinitionNotFound: metadata.annotations[k8s.v1.cni.cncf.io/networks]: \
                   NAD d/none does not exist; create it or correct the name";
    assert_eq!(told(&zone), [missing]);
    zone.hear(removed(Kind::Namespace, "d"));
    zone.hear(Change::Removed { target: target(Kind::Namespace, "d"), version: 102 });
    renew(&mut zone);
    assert_eq!(told(&zone), [nowhere]);
}

fn stumbled(piece: &Piece) -> Finding {
    let subject = Subject::Network(NetworkName::new("all networks"));
    Finding::new(subject, Reason::RowConflict, format!("stumbled over {piece:?}"))
}

#[test]
fn a_piece_that_is_given_up_keeps_its_former_state_and_no_other_from_being_read() {
    let mut zone = zone_of(&cluster());
    zone.hear(put(nad("a/red", Some(1), primary("red", "10.20.0.0/16"))));
    zone.hear(put(nad("b/blue", Some(2), primary("blue", "10.20.0.0/16"))));
    let broken = Piece::Networks(ObjectName::new("a", "red"));
    assert_eq!(zone.next_dirty(), Some(broken.clone()));
    zone.give_up(&broken, stumbled(&broken));
    assert_eq!(lines(&renew(&mut zone)), [SHARED, "network blue, whole"]);
    let subnets = |name: &str| zone.intent().networks[&NetworkName::new(name)].subnets.clone();
    assert_eq!(subnets("red").iter().count(), 2, "as before");
    assert_eq!(subnets("blue").iter().count(), 1, "as told");
    assert_eq!(told(&zone).len(), 1);
    // It is read again once it changes.
    let mended = nad("a/red", Some(1), primary("red", "10.30.0.0/16")).at_version(102);
    zone.hear(Change::Put(Box::new(mended.read())));
    assert_eq!(lines(&renew(&mut zone)), [SHARED, "network red, whole"]);
    assert_eq!(told(&zone), [""; 0]);
}

#[test]
fn a_piece_that_was_given_up_is_mended_with_its_rivals() {
    let mut zone = zone_of(&cluster());
    zone.hear(put(nad("d/red", Some(1), primary("red", TWO_FAMILIES))));
    zone.hear(put(namespace("d", true)));
    let broken = Piece::Networks(ObjectName::new("d", "red"));
    zone.give_up(&broken, stumbled(&broken));
    zone.hear(put(nad("a/red", Some(1), primary("red", TWO_FAMILIES)).annotated("who", "cares")));
    assert_eq!(lines(&renew(&mut zone)), [SHARED, "network red, whole"]);
    assert_eq!(told(&zone), [""; 0]);
}

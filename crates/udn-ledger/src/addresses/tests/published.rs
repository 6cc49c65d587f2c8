//! What pods carry already.

use udn_model::{MacAddress, NetworkName, Subnet};

use super::{Controller, Waiter, attachment, localnet, network, object, primary};

/// A pod that carries what another one got.
fn add_carrier(controller: &mut Controller, pod: &str, created: &str, like: &str) {
    let mut it = attachment(pod, "");
    created.clone_into(&mut it.created);
    let of = controller.intent.published.attachments.entry(NetworkName::new("red")).or_default();
    let carried = of.iter().find(|(key, _)| key.pod == object(like)).map(|(_, it)| it.clone());
    of.insert(it.key.clone(), carried.unwrap());
    controller.add(it);
}

#[test]
fn what_pods_carry_is_known_before_anything_is_granted() {
    let mut controller = Controller::new(network(primary(), &["10.0.0.0/24"]));
    for pod in ["a", "b"] {
        controller.ask(pod, "");
        controller.publish(pod);
    }
    controller.restart();
    assert_eq!(controller.ask("0-new", ""), "10.0.0.5/24 0a:58:0a:00:00:05 12");
    assert_eq!(controller.line("a"), "10.0.0.3/24 0a:58:0a:00:00:03 10");
}

#[test]
fn of_two_who_carry_one_address_the_older_keeps_it() {
    let mut controller = Controller::new(network(localnet(), &["10.0.0.0/24"]));
    let mut younger = attachment("a-younger", "");
    "2026-02-01T00:00:00Z".clone_into(&mut younger.created);
    controller.add(younger);
    controller.publish("a-younger");
    add_carrier(&mut controller, "z-older", "2026-01-01T00:00:00Z", "a-younger");
    controller.restart();
    assert_eq!(controller.line("z-older"), "10.0.0.2/24 0a:58:0a:00:00:02");
    assert_eq!(
        controller.line("a-younger"),
        "pod ns/a-younger: AlreadyTaken: 10.0.0.2, which pod ns/a-younger carries, is held by pod \
         ns/z-older; delete one of the two; \
         pod ns/z-older: AlreadyTaken: 10.0.0.2, which pod ns/z-older holds, is carried by pod \
         ns/a-younger too; delete one of them; \
         pod ns/a-younger: AlreadyTaken: MAC 0a:58:0a:00:00:02, which pod ns/a-younger carries, is \
         held by pod ns/z-older; delete one of the two; \
         pod ns/z-older: AlreadyTaken: MAC 0a:58:0a:00:00:02, which pod ns/z-older holds, is \
         carried by pod ns/a-younger too; delete one of them"
    );
    assert_eq!(controller.remove("z-older"), [Waiter::Pod(object("a-younger"))]);
    assert_eq!(controller.line("a-younger"), "10.0.0.2/24 0a:58:0a:00:00:02", "the other is gone");
}

#[test]
fn an_address_outside_the_subnets_is_told_and_its_mac_stays_protected() {
    let mut controller = Controller::new(network(primary(), &["10.0.0.0/24"]));
    controller.ask("a", "");
    controller.publish("a");
    let moved = network(primary(), &["10.9.0.0/24"]);
    controller.intent.networks.insert(moved.name.clone(), moved.into());
    for is_fresh in [false, true] {
        if is_fresh {
            controller.restart();
        } else {
            controller.open();
        }
        assert_eq!(
            controller.line("a"),
            "pod ns/a: InvalidAnnotation: 10.0.0.3, which pod ns/a carries, is in none of the \
             subnets of network red; delete the pod or the claim so that it gets another, or give \
             the network a subnet that holds the address"
        );
        assert!(controller.ask("b", "0a:58:0a:00:00:03").contains("held by pod ns/a"));
        controller.remove("b");
    }
}

#[test]
fn a_living_pod_keeps_an_address_that_is_excluded_since() {
    let mut controller = Controller::new(network(localnet(), &["10.0.0.0/24"]));
    controller.ask("a", "");
    controller.publish("a");
    let mut changed = network(localnet(), &["10.0.0.0/24"]);
    changed.excluded = vec![Subnet::parse("10.0.0.0/25").unwrap()];
    controller.intent.networks.insert(changed.name.clone(), changed.into());
    controller.open();
    assert_eq!(controller.line("a"), "10.0.0.2/24 0a:58:0a:00:00:02");
    assert_eq!(controller.ask("b", ""), "10.0.0.128/24 0a:58:0a:00:00:80");
    controller.restart();
    assert_eq!(controller.line("a"), "10.0.0.2/24 0a:58:0a:00:00:02");
    controller.remove("a");
    assert!(controller.ask("c", "10.0.0.2").contains("excludes"));
}

#[test]
fn a_later_pod_of_the_same_name_gets_its_own_addresses() {
    let mut controller = Controller::new(network(localnet(), &["10.0.0.0/24"]));
    controller.ask("a", "");
    let mut later = attachment("a", "");
    "another".clone_into(&mut later.pod_uid);
    controller.add(later);
    assert_eq!(controller.line("a"), "10.0.0.3/24 0a:58:0a:00:00:03");
    assert_eq!(controller.ledger.tally(&NetworkName::new("red")).addresses, 1);
}

#[test]
fn a_network_that_is_over_leaves_nothing_behind() {
    let mut controller = Controller::new(network(localnet(), &["10.0.0.0/24"]));
    controller.ask("a", "");
    controller.ledger.release_network(&NetworkName::new("red"));
    assert!(!controller.ledger.has_network(&NetworkName::new("red")));
    assert!(controller.ledger.pods.names().next().is_none());
    assert_eq!(controller.line("a"), "", "nothing is granted before the network is open");
}

#[test]
fn who_carries_the_port_key_of_another_waits_for_just_that() {
    let mut controller = Controller::new(network(primary(), &["10.0.0.0/24"]));
    controller.add(attachment("first", ""));
    controller.publish("first");
    add_carrier(&mut controller, "twin", "2026-02-01T00:00:00Z", "first");
    let of = controller.intent.published.attachments.values_mut().next().unwrap();
    let (_, carried) = of.iter_mut().find(|(key, _)| key.pod == object("twin")).unwrap();
    carried.addresses = vec!["10.0.0.77/24".parse().unwrap()];
    carried.mac = MacAddress::from_text("twin");
    let settled = controller.settle("twin");
    assert_eq!(settled.findings.len(), 2, "{:?}", settled.findings);
    assert_eq!(settled.woken, [], "there are other keys, but it carries this one");
    assert_eq!(controller.remove("first"), [Waiter::Pod(object("twin"))]);
    assert!(controller.settle("twin").findings.is_empty());
}

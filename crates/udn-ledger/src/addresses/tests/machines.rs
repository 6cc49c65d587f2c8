//! Virtual machines without claims: all their pods are one holder.

use super::{Attachment, Controller, Waiter, attachment, localnet, network, object, primary};

fn launcher(pod: &str, asks: &str) -> Attachment {
    Attachment { machine: Some(object("vm")), ..attachment(pod, asks) }
}

#[test]
fn source_and_target_of_a_migration_have_the_same_addresses_and_ports_of_their_own() {
    let mut controller = Controller::new(network(primary(), &["10.0.0.0/24"]));
    controller.add(launcher("source", "10.0.0.7"));
    controller.add(launcher("target", "10.0.0.7"));
    assert_eq!(controller.line("source"), "10.0.0.7/24 0a:58:0a:00:00:07 10");
    assert_eq!(controller.line("target"), "10.0.0.7/24 0a:58:0a:00:00:07 11");
    controller.publish("source");
    controller.publish("target");
    controller.restart();
    assert_eq!(controller.line("target"), "10.0.0.7/24 0a:58:0a:00:00:07 11");
    controller.remove("source");
    assert_eq!(
        controller.ask("thief", "10.0.0.7"),
        "pod ns/thief: AddressTaken: provided IP is already allocated: 10.0.0.7 is held by virtual \
         machine ns/vm (pod ns/target); ask for another address, or delete virtual machine ns/vm \
         (pod ns/target) first"
    );
    controller.remove("target");
    assert_eq!(controller.line("thief"), "10.0.0.7/24 0a:58:0a:00:00:07 10");
}

#[test]
fn a_target_that_asks_for_something_else_waits_until_the_source_is_gone() {
    let mut controller = Controller::new(network(primary(), &["10.0.0.0/24"]));
    controller.add(launcher("source", ""));
    controller.add(launcher("target", "10.0.0.9"));
    controller.publish("source");
    assert_eq!(
        controller.line("target"),
        "pod ns/target: ClaimMismatch: 10.0.0.9 is asked for, but virtual machine ns/vm (pod \
         ns/source) holds 10.0.0.3 and 0a:58:0a:00:00:03; ask for what it holds, or for nothing, or \
         delete it first"
    );
    assert_eq!(controller.remove("source"), [Waiter::Pod(object("target"))]);
    assert_eq!(controller.line("target"), "10.0.0.9/24 0a:58:0a:00:00:09 11");
}

#[test]
fn a_pod_that_waits_is_woken_when_its_machine_gets_addresses() {
    let mut controller = Controller::new(network(localnet(), &["10.0.0.0/30"]));
    controller.ask("a", "");
    controller.add(launcher("source", ""));
    controller.add(launcher("target", ""));
    controller.settle("source");
    controller.settle("target");
    assert_eq!(controller.remove("a"), [Waiter::Pod(object("source"))]);
    assert_eq!(controller.settle("source").woken, [Waiter::Pod(object("target"))]);
    assert_eq!(controller.line("target"), "10.0.0.2/30 0a:58:0a:00:00:02");
}

//! Virtual machines without claims: all their pods are one holder.

use super::{Attachment, Office, Waiter, attachment, localnet, network, object, primary};

fn launcher(pod: &str, asks: &str) -> Attachment {
    Attachment { machine: Some(object("vm")), ..attachment(pod, asks) }
}

#[test]
fn source_and_target_of_a_migration_have_the_same_addresses_and_ports_of_their_own() {
    let mut office = Office::new(network(primary(), &["10.0.0.0/24"]));
    office.add(launcher("source", "10.0.0.7"));
    office.add(launcher("target", "10.0.0.7"));
    assert_eq!(office.line("source"), "10.0.0.7/24 0a:58:0a:00:00:07 10");
    assert_eq!(office.line("target"), "10.0.0.7/24 0a:58:0a:00:00:07 11");
    office.publish("source");
    office.publish("target");
    office.restart();
    assert_eq!(office.line("target"), "10.0.0.7/24 0a:58:0a:00:00:07 11");
    office.remove("source");
    assert_eq!(
        office.ask("thief", "10.0.0.7"),
        "pod ns/thief: AddressTaken: provided IP is already allocated: 10.0.0.7 is held by virtual \
         machine ns/vm (pod ns/target); ask for another address, or delete virtual machine ns/vm \
         (pod ns/target) first"
    );
    office.remove("target");
    assert_eq!(office.line("thief"), "10.0.0.7/24 0a:58:0a:00:00:07 10");
}

#[test]
fn a_target_that_asks_for_something_else_waits_until_the_source_is_gone() {
    let mut office = Office::new(network(primary(), &["10.0.0.0/24"]));
    office.add(launcher("source", ""));
    office.add(launcher("target", "10.0.0.9"));
    office.publish("source");
    assert_eq!(
        office.line("target"),
        "pod ns/target: ClaimMismatch: 10.0.0.9 is asked for, but virtual machine ns/vm (pod \
         ns/source) holds 10.0.0.3 and 0a:58:0a:00:00:03; ask for what it holds, or for nothing, or \
         delete it first"
    );
    assert_eq!(office.remove("source"), [Waiter::Pod(object("target"))]);
    assert_eq!(office.line("target"), "10.0.0.9/24 0a:58:0a:00:00:09 11");
}

#[test]
fn a_pod_that_waits_is_woken_when_its_machine_gets_addresses() {
    let mut office = Office::new(network(localnet(), &["10.0.0.0/30"]));
    office.ask("a", "");
    office.add(launcher("source", ""));
    office.add(launcher("target", ""));
    office.settle("source");
    office.settle("target");
    assert_eq!(office.remove("a"), [Waiter::Pod(object("source"))]);
    assert_eq!(office.settle("source").woken, [Waiter::Pod(object("target"))]);
    assert_eq!(office.line("target"), "10.0.0.2/30 0a:58:0a:00:00:02");
}

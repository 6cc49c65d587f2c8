//! Who waits, and who is woken.

use udn_model::Subnet;

use super::{Controller, Waiter, localnet, network, object};

fn pod(name: &str) -> Waiter {
    Waiter::Pod(object(name))
}

/// A network of five addresses with seven pods, of which two wait.
fn crowded() -> Controller {
    let mut controller = Controller::new(network(localnet(), &["10.0.0.0/29"]));
    for name in ["a", "b", "c", "d", "e", "x", "y"] {
        controller.ask(name, "");
    }
    controller
}

#[test]
fn a_freed_address_wakes_one_of_those_who_wait_for_any() {
    let mut controller = crowded();
    assert_eq!(
        controller.line("x"),
        "pod ns/x: PoolExhausted: all 5 addresses of 10.0.0.0/29 are in use (5 of 5; 1 more on \
         request alone); delete pods and claims that are no longer needed, or use a network with \
         more room"
    );
    assert_eq!(controller.remove("a"), [pod("y")], "x asked again, and stands behind");
    assert_eq!(controller.remove("b"), [pod("x")]);
    assert_eq!(controller.remove("x"), [], "nobody else waits");
    assert_eq!(controller.line("y"), "10.0.0.2/29 0a:58:0a:00:00:02");
}

#[test]
fn who_leaves_before_its_turn_passes_it_on() {
    let mut controller = crowded();
    assert_eq!(controller.remove("a"), [pod("x")]);
    assert_eq!(controller.remove("x"), [pod("y")]);
}

#[test]
fn a_freed_number_wakes_all_who_want_just_that() {
    let mut controller = Controller::new(network(localnet(), &["10.0.0.0/24"]));
    controller.ask("a", "10.0.0.7");
    controller.ask("b", "10.0.0.8");
    controller.ask("x", "10.0.0.7");
    controller.ask("y", "0a:58:0a:00:00:07");
    controller.ask("z", "10.0.0.8");
    assert_eq!(controller.remove("a"), [pod("x"), pod("y")]);
}

#[test]
fn a_network_with_more_room_wakes_everybody() {
    let mut small = network(localnet(), &["10.0.0.0/24"]);
    small.excluded = vec![Subnet::parse("10.0.0.0/24").unwrap()];
    let mut controller = Controller::new(small);
    controller.ask("a", "");
    controller.ask("b", "10.0.0.7");
    let large = network(localnet(), &["10.0.0.0/24"]);
    controller.intent.networks.insert(large.name.clone(), large.into());
    assert_eq!(controller.open(), [pod("a"), pod("b")]);
    assert_eq!(controller.line("b"), "10.0.0.7/24 0a:58:0a:00:00:07");
}

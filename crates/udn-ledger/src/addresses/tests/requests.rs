//! What is asked for, and what comes of it.

use udn_model::{NetworkName, Role, Subnet, Topology};

use super::{Controller, localnet, network, primary};

/// A pod asks on a fresh network; on the plain IPv4 one another holds 10.0.0.9 and its MAC.
fn check(subnets: &[&str], asks: &str, want: &str) {
    let mut red = network(primary(), subnets);
    let name = NetworkName::new("red");
    red.excluded = vec![Subnet::parse("10.0.0.200/30").unwrap()];
    let mut controller = Controller::new(red);
    if subnets == ["10.0.0.0/24"] {
        assert_eq!(controller.ask("other", "10.0.0.9"), "10.0.0.9/24 0a:58:0a:00:00:09 10");
    }
    let before = controller.ledger.tally(&name);
    let got = controller.ask("pod", asks);
    assert_eq!(got, want, "{asks}");
    if got.starts_with("pod ") {
        assert_eq!(before, controller.ledger.tally(&name), "{asks}: nothing is half granted");
    }
}

#[test]
fn addresses_and_macs_may_be_asked_for_each_without_the_other() {
    let v4 = &["10.0.0.0/24"][..];
    check(v4, "", "10.0.0.3/24 0a:58:0a:00:00:03 11");
    check(v4, "10.0.0.7", "10.0.0.7/24 0a:58:0a:00:00:07 11");
    check(v4, "10.0.0.7/24", "10.0.0.7/24 0a:58:0a:00:00:07 11");
    check(v4, "02:00:00:00:00:01", "10.0.0.3/24 02:00:00:00:00:01 11");
    check(v4, "10.0.0.7 02:00:00:00:00:01", "10.0.0.7/24 02:00:00:00:00:01 11");
    let dual = &["10.0.0.0/24", "fd00::/64"][..];
    check(dual, "fd00::7 10.0.0.7", "10.0.0.7/24 fd00::7/64 0a:58:0a:00:00:07 10");
}

// proves: A-22
#[test]
fn macs_follow_from_the_first_address() {
    check(&["10.0.0.0/24"], "10.0.0.254", "10.0.0.254/24 0a:58:0a:00:00:fe 11");
    // The first four bytes of the SHA-256 of "fd00::3" and "2001:db8::1:2:3".
    check(&["fd00::/64"], "", "fd00::3/64 0a:58:be:8c:ae:0d 10");
    check(&["2001:db8::/32"], "2001:db8::1:2:3", "2001:db8::1:2:3/32 0a:58:5a:92:cc:1a 10");
    check(&["fd00::/64", "10.0.0.0/24"], "", "fd00::3/64 10.0.0.3/24 0a:58:be:8c:ae:0d 10");
}

#[test]
fn what_the_network_cannot_give_is_refused() {
    let v4 = &["10.0.0.0/24"][..];
    for ip in ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.255"] {
        let want = format!(
            "pod ns/pod: OutOfRange: {ip} is kept by the network itself; ask for another address of \
             10.0.0.0/24"
        );
        check(v4, ip, &want);
    }
    check(
        v4,
        "10.0.1.7",
        "pod ns/pod: OutOfRange: 10.0.1.7 is not in 10.0.0.0/24; ask for an address of that subnet \
         of network red",
    );
    check(
        v4,
        "10.0.0.7/16",
        "pod ns/pod: OutOfRange: 10.0.0.7/16 has not the prefix length of the subnet; ask for \
         10.0.0.7/24",
    );
    check(
        v4,
        "10.0.0.201",
        "pod ns/pod: OutOfRange: 10.0.0.201 is in a range that network red excludes; ask for another \
         address of 10.0.0.0/24",
    );
}

#[test]
fn families_must_be_those_of_the_network() {
    let mismatch = |subnets: &str| {
        format!(
            "pod ns/pod: FamilyMismatch: the addresses that are asked for do not match the families \
             of network red; ask for one address of each of {subnets}, or for none"
        )
    };
    let dual = &["10.0.0.0/24", "fd00::/64"][..];
    check(dual, "10.0.0.7", &mismatch("10.0.0.0/24 and fd00::/64"));
    check(dual, "fd00::7", &mismatch("10.0.0.0/24 and fd00::/64"));
    check(dual, "10.0.0.7 10.0.0.8", &mismatch("10.0.0.0/24 and fd00::/64"));
    check(&["10.0.0.0/24"], "10.0.0.7 fd00::7", &mismatch("10.0.0.0/24"));
    check(&["10.0.0.0/24"], "10.0.0.7 10.0.0.8", &mismatch("10.0.0.0/24"));
    check(&["fd00::/64"], "10.0.0.7", &mismatch("fd00::/64"));
}

#[test]
fn what_another_holds_is_refused_by_name() {
    let v4 = &["10.0.0.0/24"][..];
    check(
        v4,
        "10.0.0.9",
        "pod ns/pod: AddressTaken: provided IP is already allocated: 10.0.0.9 is held by pod \
         ns/other; ask for another address, or delete pod ns/other first",
    );
    check(
        v4,
        "10.0.0.8 0a:58:0a:00:00:09",
        "pod ns/pod: MacTaken: MAC address already in use: 0a:58:0a:00:00:09 is held by pod \
         ns/other; ask for another MAC, or delete pod ns/other first",
    );
    for mac in ["0a:58:0a:00:00:01", "0a:58:0a:00:00:02", "0a:58:64:41:00:07", "0a:58:a9:fe:01:01"]
    {
        let want = format!(
            "pod ns/pod: MacTaken: MAC address already in use: {mac} belongs to the network's own \
             ports; ask for another MAC"
        );
        check(v4, mac, &want);
    }
}

#[test]
fn a_mac_that_is_gone_costs_an_address_or_its_likeness() {
    let mut controller = Controller::new(network(primary(), &["10.0.0.0/24"]));
    controller.ask("thief", "10.0.0.100 0a:58:0a:00:00:03");
    assert_eq!(controller.ask("a", ""), "10.0.0.4/24 0a:58:0a:00:00:04 11", "3 is passed over");
    let got = controller.ask("b", "10.0.0.3");
    assert!(got.starts_with("10.0.0.3/24 0a:58:") && !got.contains("0a:58:0a:00:00:03"), "{got}");
    let mut controller =
        Controller::new(network(Topology::Layer2(Role::Secondary), &["10.0.0.0/29"]));
    for number in 3..=6 {
        controller.ask(&format!("thief-{number}"), &format!("0a:58:0a:00:00:0{number}"));
    }
    let got = controller.ask("a", "");
    assert!(got.starts_with("10.0.0.5/29 0a:58:"), "rather another MAC than no address: {got}");
    assert!(!got.contains("0a:58:0a:00:00:0"), "{got}");
}

#[test]
fn a_network_without_subnets_gives_macs_alone() {
    let mut controller = Controller::new(network(localnet(), &[]));
    assert_eq!(controller.ask("a", "02:00:00:00:00:01"), "02:00:00:00:00:01");
    assert!(controller.ask("b", "").starts_with("0a:58:"));
    assert_eq!(
        controller.ask("c", "10.0.0.7"),
        "pod ns/c: FamilyMismatch: addresses are asked for, but network red has no subnets; ask for \
         none"
    );
    assert!(controller.ask("d", "02:00:00:00:00:01").contains("MacTaken"));
}

#[test]
fn the_first_address_of_a_localnet_can_be_asked_for() {
    let mut controller = Controller::new(network(localnet(), &["10.0.0.0/24"]));
    assert_eq!(controller.ask("a", ""), "10.0.0.2/24 0a:58:0a:00:00:02");
    assert_eq!(controller.ask("b", "10.0.0.1"), "10.0.0.1/24 0a:58:0a:00:00:01");
}

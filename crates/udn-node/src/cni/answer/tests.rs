//! Results by example.

use udn_cni::Version;
use udn_host::facts::{Bandwidth, Guest};
use udn_model::{AttachmentKey, Mtu, NetworkName, ObjectName};

use super::*;

fn facts(interface: &str, addresses: &[&str], gateways: &[&str]) -> PodFacts {
    PodFacts {
        key: AttachmentKey::on_default_network(ObjectName::new("a", "p")),
        network: NetworkName::new("red"),
        pod_uid: "uid".to_owned(),
        sandbox: "5a".to_owned(),
        logical_port: "a_p".to_owned(),
        link: format!("5a_{interface}"),
        interface: interface.to_owned(),
        namespace: "/run/netns/p".into(),
        mac: "0a:58:0a:0a:00:03".parse().unwrap(),
        addresses: addresses.iter().map(|it| it.parse().unwrap()).collect(),
        gateways: gateways.iter().map(|it| it.parse().unwrap()).collect(),
        routes: Vec::new(),
        mtu: Mtu::new(1400).unwrap(),
        is_one_of_several: false,
        is_guarded: true,
        router: None,
        guest: Guest::None,
        bandwidth: Bandwidth::default(),
        lock: None,
    }
}

fn check(made: &[Made<'_>], want: &serde_json::Value) {
    let json = result(made).to_json(Version::NEWEST);
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    for (key, want) in want.as_object().unwrap() {
        assert_eq!(found[key], *want, "{key} in {json}");
    }
}

#[test]
fn a_gateway_stands_at_addresses_of_its_family() {
    let red = facts("ovn-udn1", &["10.10.0.3/16", "fd10::3/64"], &["fd10::1", "10.10.0.1"]);
    let default = facts("eth0", &["10.244.1.3/24"], &[]);
    let mac = "02:00:00:00:00:01".parse().ok();
    check(
        &[(&default, mac), (&red, None)],
        &serde_json::json!({
            "interfaces": [
                { "name": "5a_eth0", "mac": "02:00:00:00:00:01", "mtu": 1400 },
                { "name": "eth0", "mac": "0a:58:0a:0a:00:03", "mtu": 1400,
                  "sandbox": "/run/netns/p" },
                { "name": "5a_ovn-udn1", "mtu": 1400 },
                { "name": "ovn-udn1", "mac": "0a:58:0a:0a:00:03", "mtu": 1400,
                  "sandbox": "/run/netns/p" },
            ],
            "ips": [
                { "interface": 1, "address": "10.244.1.3/24" },
                { "interface": 3, "address": "10.10.0.3/16", "gateway": "10.10.0.1" },
                { "interface": 3, "address": "fd10::3/64", "gateway": "fd10::1" },
            ],
        }),
    );
}

#[test]
fn a_network_without_addresses_has_interfaces_alone() {
    let flat = facts("net1", &[], &[]);
    let made = result(&[(&flat, None)]);
    assert_eq!((made.interfaces.len(), made.addresses.len()), (2, 0));
}

#[test]
fn what_a_machine_takes_over_is_told_all_the_same() {
    let mut red = facts("eth0", &["10.10.0.3/16"], &["10.10.0.1"]);
    red.guest = Guest::TakingOver;
    assert_eq!(result(&[(&red, None)]).addresses.len(), 1);
}

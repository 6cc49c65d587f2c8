//! Entries of pods.

use super::PodNetworks;

/// The example of a pod on a dual-stack primary network.
const BOTH: &str = concat!(
    r#"{"a/red":{"ip_addresses":["10.10.0.3/16","fd10::3/64"],"mac_address":"0a:58:0a:0a:00:03","#,
    r#""gateway_ips":["10.10.0.1","fd10::1"],"routes":[{"dest":"10.96.0.0/16","nextHop":"10.10.0.1"},"#,
    r#"{"dest":"100.65.0.0/16","nextHop":"10.10.0.1"},{"dest":"fd00:10:96::/112","nextHop":"fd10::1"},"#,
    r#"{"dest":"fd99::/64","nextHop":"fd10::1"}],"ipv6_lla_gateway_ip":"fe80::858:aff:fe0a:1","#,
    r#""tunnel_id":10,"role":"primary"},"#,
    r#""default": {"ip_addresses": ["10.244.1.5/24"], "kept": 1}}"#
);

#[test]
fn the_wires_example_is_read_and_written() {
    let networks = PodNetworks::decode(BOTH).unwrap();
    let entry = networks.entry("a/red").unwrap().unwrap();
    assert_eq!(entry.addresses.len(), 2);
    assert_eq!(entry.routes.len(), 4);
    let mut again = networks.clone();
    again.put("a/red", &entry);
    assert_eq!(again.encode(), networks.encode());
    assert!(BOTH.contains(&entry.encode()));
    assert!(again.encode().contains(r#""default":{"ip_addresses": ["10.244.1.5/24"], "kept": 1}"#));
}

#[test]
fn addresses_may_be_absent_in_three_ways() {
    for addresses in ["", r#""ip_addresses":null,"#, r#""ip_addresses":[],"#] {
        let text = format!(r#"{{"a/b":{{{addresses}"mac_address":"0a:58:00:00:00:01"}}}}"#);
        let entry = PodNetworks::decode(&text).unwrap().entry("a/b").unwrap().unwrap();
        assert!(entry.addresses.is_empty());
        assert!(entry.encode().starts_with(r#"{"ip_addresses":null,"mac_address":"#));
    }
}

#[test]
fn a_bad_entry_hides_no_other() {
    let good = r#"{"mac_address":"0a:58:00:00:00:01"}"#;
    let text = format!(r#"{{"a/b":{good},"a/c":{{"mac_address":"x"}},"a/d":7}}"#);
    let networks = PodNetworks::decode(&text).unwrap();
    assert!(networks.entry("a/b").unwrap().is_some());
    assert!(networks.entry("a/e").unwrap().is_none());
    let message = networks.entry("a/c").unwrap_err().to_string();
    assert_eq!(
        message,
        "k8s.ovn.org/pod-networks: a/c: mac_address: \"x\" is not a MAC address such as \
         0a:58:0a:00:00:01; remove the entry"
    );
    assert!(networks.entry("a/d").is_err());
    assert!(PodNetworks::decode("[]").is_err());
}

#[test]
fn keys_and_roles_out_of_bounds_are_refused() {
    for field in [r#""tunnel_id":32768"#, r#""tunnel_id":-1"#, r#""role":"boss""#] {
        let text = format!(r#"{{"a/b":{{"mac_address":"0a:58:00:00:00:01",{field}}}}}"#);
        assert!(PodNetworks::decode(&text).unwrap().entry("a/b").is_err(), "{field}");
    }
}

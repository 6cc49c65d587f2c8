use serde_json::json;

use super::*;

fn address(interface: usize, text: &str, gateway: &str) -> InterfaceAddress {
    let gateway = Some(gateway.parse().unwrap());
    InterfaceAddress { interface: Some(interface), address: Cidr::parse(text).unwrap(), gateway }
}

/// A pod on a primary network beside the default one.
fn sample() -> CniResult {
    let inside = |name: &str, mac: &str| Interface {
        name: name.to_owned(),
        mac: Some(mac.to_owned()),
        mtu: Some(1400),
        sandbox: Some("/run/netns/x".to_owned()),
        ..Interface::default()
    };
    let host = Interface { name: "0a1b".to_owned(), ..Interface::default() };
    let route = Route {
        destination: Cidr::parse("10.96.0.0/16").unwrap(),
        gateway: Some("10.10.0.1".parse().unwrap()),
        mtu: Some(1300),
    };
    CniResult {
        interfaces: vec![host, inside("eth0", "0a:58:0a:f4:01:05"), inside("ovn-udn1", "0a:58:01")],
        addresses: vec![
            address(1, "10.244.1.5/24", "10.244.1.1"),
            address(2, "fd10::3/64", "fd10::1"),
        ],
        routes: vec![route],
        dns: Dns::default(),
    }
}

fn check(version: Version, want: Value) {
    let json = sample().to_json(version);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), want, "{version}");
}

#[test]
fn the_newest_version_tells_everything() {
    check(
        Version::V1_1_0,
        json!({
            "cniVersion": "1.1.0",
            "interfaces": [
                {"name": "0a1b"},
                {"name": "eth0", "mac": "0a:58:0a:f4:01:05", "mtu": 1400, "sandbox": "/run/netns/x"},
                {"name": "ovn-udn1", "mac": "0a:58:01", "mtu": 1400, "sandbox": "/run/netns/x"},
            ],
            "ips": [
                {"interface": 1, "address": "10.244.1.5/24", "gateway": "10.244.1.1"},
                {"interface": 2, "address": "fd10::3/64", "gateway": "fd10::1"},
            ],
            "routes": [{"dst": "10.96.0.0/16", "gw": "10.10.0.1", "mtu": 1300}],
        }),
    );
}

#[test]
fn before_that_there_is_no_word_for_an_mtu() {
    let shared = json!({
        "cniVersion": "1.0.0",
        "interfaces": [
            {"name": "0a1b"},
            {"name": "eth0", "mac": "0a:58:0a:f4:01:05", "sandbox": "/run/netns/x"},
            {"name": "ovn-udn1", "mac": "0a:58:01", "sandbox": "/run/netns/x"},
        ],
        "ips": [
            {"interface": 1, "address": "10.244.1.5/24", "gateway": "10.244.1.1"},
            {"interface": 2, "address": "fd10::3/64", "gateway": "fd10::1"},
        ],
        "routes": [{"dst": "10.96.0.0/16", "gw": "10.10.0.1"}],
    });
    check(Version::V1_0_0, shared.clone());
    for version in [Version::V0_3_1, Version::V0_4_0] {
        let mut want = shared.clone();
        want["cniVersion"] = version.as_str().into();
        want["ips"][0]["version"] = "4".into();
        want["ips"][1]["version"] = "6".into();
        check(version, want);
    }
}

#[test]
fn the_answer_of_a_server_has_no_version() {
    let mut newest: Value = serde_json::from_str(&sample().to_json(Version::NEWEST)).unwrap();
    newest.as_object_mut().unwrap().remove("cniVersion");
    assert_eq!(sample().to_answer(), newest);
}

#[test]
fn an_empty_result_is_nothing_but_a_version() {
    assert_eq!(CniResult::default().to_json(Version::V0_4_0), r#"{"cniVersion":"0.4.0"}"#);
}

#[test]
fn what_go_writes_for_nothing_is_read_as_nothing() {
    let value = json!({
        "cniVersion": "1.0.0", "interfaces": null, "routes": null, "dns": {}, "more": 1,
        "ips": [{"address": "1.2.3.4/8", "gateway": ""}],
    });
    let result = CniResult::parse(&value).unwrap();
    let only = InterfaceAddress {
        interface: None,
        address: Cidr::parse("1.2.3.4/8").unwrap(),
        gateway: None,
    };
    assert_eq!(result, CniResult { addresses: vec![only], ..CniResult::default() });
}

#[test]
fn resolvers_are_kept() {
    let dns =
        json!({"nameservers": ["10.96.0.10"], "domain": "d", "search": ["s"], "options": ["o"]});
    let result = CniResult::parse(&json!({"dns": dns})).unwrap();
    assert_eq!(result.to_answer(), json!({"dns": dns}));
}

#[test]
fn other_json_is_no_result() {
    for value in [
        json!(null),
        json!([]),
        json!("x"),
        json!({"interfaces": 1}),
        json!({"interfaces": [{}]}),
        json!({"ips": [{"address": "1.2.3.4"}]}),
        json!({"ips": [{"address": "1.2.3.4/8", "interface": -1}]}),
        json!({"ips": [{"address": "1.2.3.4/8", "gateway": "x"}]}),
        json!({"routes": [{"gw": "1.2.3.4"}]}),
        json!([null, null, null, null, null]),
    ] {
        let error = CniResult::parse(&value).unwrap_err();
        assert!(error.to_string().starts_with("no CNI result: "), "{error}");
    }
}

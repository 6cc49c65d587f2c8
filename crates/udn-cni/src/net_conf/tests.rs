use serde_json::json;

use super::*;

const NAD: &str = r#"{"cniVersion":"1.1.0","excludeSubnets":"192.168.7.0/28","mtu":1500,
    "name":"cluster_udn_vlan7","netAttachDefName":"a/vlan7","physicalNetworkName":"tenantblue",
    "role":"secondary","subnets":"192.168.7.0/24","topology":"localnet",
    "type":"ovn-k8s-cni-overlay","vlanID":7}"#;

fn smallest() -> Value {
    json!({"cniVersion": "1.0.0", "name": "n"})
}

/// The smallest configuration with one key more.
fn with(key: &str, value: Value) -> Value {
    let mut conf = smallest();
    conf[key] = value;
    conf
}

fn read(conf: &Value) -> NetConf {
    NetConf::parse(conf.to_string().as_bytes()).expect("a good configuration")
}

fn check(conf: &[u8], code: Code, message: &str) {
    let error = NetConf::parse(conf).expect_err("a bad configuration");
    assert_eq!((error.code, error.message.as_str()), (code, message));
}

fn check_value(conf: &Value, code: Code, message: &str) {
    check(conf.to_string().as_bytes(), code, message);
}

#[test]
fn a_nad_is_read() {
    let conf = NetConf::parse(NAD.as_bytes()).unwrap();
    let nad = NetAttachDef { namespace: "a".to_owned(), name: "vlan7".to_owned() };
    let want = NetConf {
        version: Version::V1_1_0,
        name: "cluster_udn_vlan7".to_owned(),
        net_attach_def: Some(nad),
        topology: Some("localnet".to_owned()),
        role: Some("secondary".to_owned()),
        mtu: Some(1500),
        vlan_id: Some(7),
        physical_network_name: Some("tenantblue".to_owned()),
        subnets: Some("192.168.7.0/24".to_owned()),
        device_id: None,
        previous: None,
        valid_attachments: None,
    };
    assert_eq!(conf, want);
    assert!(!conf.is_default());
    assert_eq!(NetConf::parse_leniently(NAD.as_bytes()), want);
}

#[test]
fn the_default_network_has_no_nad() {
    let conf = json!({
        "cniVersion": "1.1.0", "name": "ovn-kubernetes", "type": "ovn-k8s-cni-overlay",
        "ipam": {}, "dns": {}, "logFile": "/var/log/x", "logLevel": "5", "logfile-maxsize": 100,
    });
    assert!(read(&conf).is_default());
    assert!(read(&with("netAttachDefName", json!(""))).is_default());
}

#[test]
fn what_go_writes_for_nothing_is_no_mistake() {
    let nothing = read(&smallest());
    for (key, value) in [
        ("mtu", json!(0)),
        ("vlanID", json!(0)),
        ("topology", json!("")),
        ("role", json!(null)),
        ("ipam", json!({})),
        ("ipam", json!(null)),
        ("ipam", json!({"type": ""})),
        ("ipam", json!({"type": null})),
        ("deviceID", json!("")),
        ("prevResult", json!(null)),
        ("runtimeConfig", json!({"mac": "0a:58:0a:00:00:01"})),
    ] {
        assert_eq!(read(&with(key, value)), nothing, "{key}");
    }
}

#[test]
fn no_valid_attachments_is_not_the_same_as_nobody_saying_so() {
    let key = "cni.dev/valid-attachments";
    assert_eq!(read(&smallest()).valid_attachments, None);
    assert_eq!(read(&with(key, json!([]))).valid_attachments, Some(vec![]));
    assert_eq!(read(&with(key, json!(null))).valid_attachments, Some(vec![]));
    let conf = with(key, json!([{"containerID": "0a", "ifname": "eth0"}]));
    let attachment = Attachment::parse("0a", "eth0").unwrap();
    assert_eq!(read(&conf).valid_attachments, Some(vec![attachment]));
}

#[test]
fn a_list_with_one_bad_attachment_is_refused_whole() {
    let wrong = "the network configuration is wrong: ";
    let entry = "an entry of cni.dev/valid-attachments: ";
    let key = "cni.dev/valid-attachments";
    let check = |value, reason: &str| {
        let conf = with(key, value);
        check_value(&conf, Code::InvalidConfig, &format!("{wrong}{reason}"));
        let conf = NetConf::parse_leniently(conf.to_string().as_bytes());
        assert_eq!(conf.valid_attachments, None);
    };
    check(json!({}), "cni.dev/valid-attachments is no list");
    check(
        json!([{"containerID": "a"}]),
        &format!(r#"{entry}"{{\"containerID\":\"a\"}}" has no text ifname"#),
    );
    check(
        json!([{"containerID": "a", "ifname": "eth0"}, {"containerID": "", "ifname": "eth0"}]),
        &format!("{entry}CNI_CONTAINERID \"\" is empty"),
    );
}

#[test]
fn devices_are_seen_wherever_they_are_asked_for() {
    let conf = read(&with("deviceID", json!("0000:05:00.1")));
    assert_eq!(conf.device_id.as_deref(), Some("0000:05:00.1"));
    let conf = read(&with("runtimeConfig", json!({"deviceID": "0000:05:00.1"})));
    assert_eq!(conf.device_id.as_deref(), Some("0000:05:00.1"));
}

#[test]
fn versions_that_are_not_spoken_are_refused() {
    let code = Code::IncompatibleVersion;
    let spoken = "0.3.1, 0.4.0, 1.0.0, 1.1.0";
    let conf = json!({"name": "n"});
    check_value(&conf, code, &format!("cniVersion is missing; set it to one of {spoken}"));
    let conf = with("cniVersion", json!("2.0.0"));
    check_value(&conf, code, &format!("cniVersion \"2.0.0\" is not one of {spoken}"));
}

#[test]
fn a_plugin_for_addresses_is_refused() {
    let conf = with("ipam", json!({"type": "host-local"}));
    let message = "ipam.type \"host-local\" is not supported: the network itself gives addresses; \
                   remove `ipam`";
    check_value(&conf, Code::UnsupportedField, message);
}

#[test]
fn what_is_wrong_is_named() {
    let check = |conf: Value, reason: &str| {
        let message = format!("the network configuration is wrong: {reason}");
        check_value(&conf, Code::InvalidConfig, &message);
    };
    check(json!({"cniVersion": "1.0.0"}), "name is missing");
    check(with("name", json!("")), "name is missing");
    check(
        with("name", json!("a/b")),
        "name \"a/b\" has other characters than letters, digits, `_`, `.` and `-`, \
         a letter or digit first",
    );
    check(with("netAttachDefName", json!("a")), "netAttachDefName \"a\" is no namespace/name");
    check(with("mtu", json!("1400")), r#"mtu "\"1400\"" is no number from 1 to 65535"#);
    check(with("mtu", json!(65536)), r#"mtu "65536" is no number from 1 to 65535"#);
    check(with("mtu", json!(-1)), r#"mtu "-1" is no number from 1 to 65535"#);
    check(with("mtu", json!(1400.5)), r#"mtu "1400.5" is no number from 1 to 65535"#);
    check(with("vlanID", json!(4095)), r#"vlanID "4095" is no number from 1 to 4094"#);
    check(with("topology", json!(2)), "topology \"2\" is no text");
    check(with("prevResult", json!([])), "prevResult is no result");
}

#[test]
fn what_is_no_object_is_refused() {
    let code = Code::Undecodable;
    check(b"", code, "there is no network configuration on stdin");
    check(b" \n", code, "there is no network configuration on stdin");
    check(b"{", code, "the network configuration is no JSON");
    check(b"\xff", code, "the network configuration is no JSON");
    check(b"[]", code, "the network configuration is no JSON object");
    check("[".repeat(100_000).as_bytes(), code, "the network configuration is no JSON");
}

#[test]
fn a_lenient_reader_takes_what_is_good() {
    let json = r#"{"cniVersion":"9","name":7,"mtu":"x","netAttachDefName":"a/b","vlanID":7}"#;
    let conf = NetConf::parse_leniently(json.as_bytes());
    assert_eq!((conf.version, conf.name.as_str()), (Version::NEWEST, ""));
    assert_eq!((conf.mtu, conf.vlan_id), (None, Some(7)));
    assert_eq!(conf.net_attach_def.map(|it| it.to_string()).as_deref(), Some("a/b"));
    assert!(NetConf::parse_leniently(b"\xff{").is_default());
}

#[test]
fn an_answer_has_the_version_of_the_question_if_that_can_be_read() {
    for (json, want) in [
        (NAD, Version::V1_1_0),
        (r#"{"cniVersion":"0.3.1"}"#, Version::V0_3_1),
        (r#"{"cniVersion":"0.1.0"}"#, Version::NEWEST),
        (r#"{"cniVersion":4}"#, Version::NEWEST),
        ("x", Version::NEWEST),
        ("", Version::NEWEST),
    ] {
        assert_eq!(NetConf::version_of(json.as_bytes()), want, "{json}");
    }
}

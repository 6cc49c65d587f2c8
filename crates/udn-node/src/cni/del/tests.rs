//! Which DEL takes the primary network's link along, by example.

use super::*;

fn port(interface: &str, nad: Option<&str>) -> PodPort {
    PodPort {
        link: "x".to_owned(),
        key: None,
        sandbox: "5a".to_owned(),
        interface: interface.to_owned(),
        nad: nad.map(str::to_owned),
        namespace: None,
        mac: None,
        is_installed: true,
    }
}

fn check(asked: &str, ports: &[PodPort], conf: &str, want: bool) {
    let conf = NetConf::parse_leniently(conf.as_bytes());
    let default_nad = ObjectName::new("ovn-kubernetes", "default");
    assert_eq!(is_default(asked, ports, &conf, &default_nad), want, "{asked} {ports:?}");
}

#[test]
fn rows_tell_and_a_configuration_only_where_there_are_none() {
    let all = [port("eth0", None), port("ovn-udn1", Some("a/red")), port("net1", Some("a/flat"))];
    let (own, garbage) = (r#"{"name":"ovn-kubernetes"}"#, "garbage");
    let flat = r#"{"name":"flat","netAttachDefName":"a/flat"}"#;
    let named = r#"{"name":"ovn-kubernetes","netAttachDefName":"ovn-kubernetes/default"}"#;
    for conf in [own, garbage, flat] {
        check("eth0", &all, conf, true);
        check("net1", &all, conf, false);
    }
    for (conf, want) in [(own, true), (named, true), (flat, false), (garbage, false)] {
        check("eth0", &[], conf, want);
    }
    check("ovn-udn1", &[], own, false);
}

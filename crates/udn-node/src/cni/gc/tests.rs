//! Whose ports a collection takes, by example.

use udn_model::AttachmentKey;

use super::*;

/// A port of sandbox `old` or `new`, by its interface and its NAD.
fn port(sandbox: &str, interface: &str, nad: Option<&str>) -> PodPort {
    let on_default = AttachmentKey::on_default_network(ObjectName::new("a", "p"));
    let key = match nad {
        Some(nad) => AttachmentKey { nad: ObjectName::new("a", nad), ..on_default },
        None => on_default,
    };
    PodPort {
        link: "x".to_owned(),
        key: Some(key),
        sandbox: sandbox.to_owned(),
        interface: interface.to_owned(),
        nad: nad.map(|nad| format!("a/{nad}")),
        namespace: None,
        mac: None,
        is_installed: true,
    }
}

/// Checks a collection in which `new` is valid by this interface.
fn check(conf: &str, interface: &str, port: &PodPort, want: bool) {
    let valid = [Attachment::parse("new", interface).unwrap()];
    let conf = NetConf::parse_leniently(conf.as_bytes());
    let default_nad = ObjectName::new("ovn-kubernetes", "default");
    let found = is_stale(port, &valid, (&conf, &default_nad));
    assert_eq!(found, want, "{port:?}");
}

#[test]
fn the_default_configuration_collects_what_it_made() {
    for conf in ["{}", r#"{"netAttachDefName":"ovn-kubernetes/default"}"#] {
        for (sandbox, want) in [("old", true), ("new", false)] {
            check(conf, "eth0", &port(sandbox, "eth0", None), want);
            check(conf, "eth0", &port(sandbox, "ovn-udn1", Some("red")), want);
            check(conf, "eth0", &port(sandbox, "net1", Some("flat")), false);
        }
    }
}

#[test]
fn a_nad_collects_its_own_interfaces() {
    let conf = r#"{"netAttachDefName":"a/flat"}"#;
    check(conf, "net1", &port("new", "net1", Some("flat")), false);
    check(conf, "net1", &port("new", "net2", Some("flat")), true);
    check(conf, "net1", &port("old", "net1", Some("flat")), true);
    check(conf, "net1", &port("old", "net1", Some("other")), false);
    check(conf, "net1", &port("old", "eth0", None), false);
}

#[test]
fn ports_of_other_programs_stay() {
    let foreign = PodPort { key: None, ..port("old", "eth0", None) };
    check("{}", "eth0", &foreign, false);
}

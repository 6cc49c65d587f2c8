//! What pods ask for.

use super::{Selection, decode, decode_default, encode};

fn check(text: &str, want: &str) {
    let got = match decode(Some(text), "home") {
        Ok(selections) => selections.iter().map(told).collect::<Vec<_>>().join("; "),
        Err(unreadable) => unreadable.to_string(),
    };
    assert_eq!(got, want, "{text}");
}

fn check_default(text: &str, want: &str) {
    let got = match decode_default(Some(text), "home") {
        Ok(selection) => selection.as_ref().map(told).unwrap_or_default(),
        Err(unreadable) => unreadable.to_string(),
    };
    assert_eq!(got, want, "{text}");
}

/// NAD, index and link, then what is asked for.
fn told(selection: &Selection) -> String {
    let interface = selection.interface.as_deref().unwrap_or("-");
    let mut words = vec![format!("{} {} {interface}", selection.nad, selection.index)];
    match &selection.requests {
        Err(unreadable) => words.push(unreadable.to_string()),
        Ok(requests) => {
            words.extend(requests.addresses.addresses.iter().map(|it| match it.prefix_len {
                Some(length) => format!("{}/{length}", it.ip),
                None => it.ip.to_string(),
            }));
            words.extend(requests.addresses.mac.map(|mac| mac.to_string()));
            words.extend(requests.claim.iter().map(|claim| format!("claim {claim}")));
            words.extend(requests.gateways.iter().map(|ip| format!("via {ip}")));
        }
    }
    words.join(" ")
}

#[test]
fn nothing_is_asked_for_in_three_ways() {
    for text in ["", "null", "  "] {
        check(text, "");
    }
    check("[]", "");
    assert_eq!(decode(None, "home"), Ok(Vec::new()));
}

#[test]
fn both_forms_are_read() {
    check("red", "home/red 0 -");
    check("ns/red@net7, blue", "ns/red 0 net7; home/blue 0 -");
    check("a/n,a/n,b/n,a/n", "a/n 0 -; a/n 1 -; b/n 0 -; a/n 2 -");
    check(r#"[{"name":"red","namespace":"ns","interface":"net7","other":1}]"#, "ns/red 0 net7");
    check(r#"[{"name":"red"},{"name":"red","namespace":"home"}]"#, "home/red 0 -; home/red 1 -");
}

#[test]
fn what_names_nothing_is_told() {
    let nameless = |text: &str| {
        format!(
            "k8s.v1.cni.cncf.io/networks: \"{text}\" names no NAD; write namespace/name or \
             namespace/name@link"
        )
    };
    for text in ["a/b/c", "@if", "a/", "/b", "a@b@c", "a@"] {
        check(text, &nameless(text));
    }
    check("a,,b", &nameless(""));
    check(
        r#"[{"namespace":"a"}]"#,
        "k8s.v1.cni.cncf.io/networks: an element has no name; write {\"name\": \"a-nad\"}",
    );
    assert!(decode(Some("[{]"), "home").is_err());
}

#[test]
fn requests_are_read_with_each_network() {
    check(
        r#"[{"name":"red","ips":["10.0.0.5","fd00::5/64"],"mac":"02:00:00:00:00:0A",
           "ipam-claim-reference":"vm.red","default-route":["10.0.0.1"]},{"name":"blue"}]"#,
        "home/red 0 - 10.0.0.5 fd00::5/64 02:00:00:00:00:0a claim vm.red via 10.0.0.1; \
         home/blue 0 -",
    );
    check(
        r#"[{"name":"red","ips":[],"mac":"","ipam-claim-reference":"","default-route":null}]"#,
        "home/red 0 -",
    );
}

#[test]
fn a_request_that_cannot_be_read_costs_no_other_its_network() {
    let elements = [
        (
            r#""ips":["10.0.0.x"]"#,
            "ips: \"10.0.0.x\" is not an address such as 10.0.0.5 or 10.0.0.5/16",
        ),
        (
            r#""ips":["10.0.0.5/33"]"#,
            "ips: \"10.0.0.5/33\" is not an address such as 10.0.0.5 or 10.0.0.5/16",
        ),
        (
            r#""ips":["010.0.0.5"]"#,
            "ips: \"010.0.0.5\" is not an address such as 10.0.0.5 or 10.0.0.5/16",
        ),
        (
            r#""mac":"2:0:0:0:0:1""#,
            "mac: \"2:0:0:0:0:1\" is not a MAC address such as 0a:58:0a:00:00:01",
        ),
        (r#""default-route":["x"]"#, "default-route: \"x\" is not an IP address"),
    ];
    for (field, problem) in elements {
        check(
            &format!(r#"[{{"name":"red",{field}}},{{"name":"blue"}}]"#),
            &format!(
                "home/red 0 - k8s.v1.cni.cncf.io/networks: at home/red: {problem}; home/blue 0 -"
            ),
        );
    }
}

#[test]
fn the_main_network_is_asked_for_once() {
    let want = "ovn-kubernetes/default 0 - 10.0.0.5 claim c";
    let object = r#"{"name":"default","namespace":"ovn-kubernetes","ips":["10.0.0.5"],
        "ipam-claim-reference":"c","interface":"eth7","default-route":["no address"]}"#;
    check_default(object, want);
    check_default(&format!("\n[{object}]\n"), want);
    check_default("ovn-kubernetes/default", "ovn-kubernetes/default 0 -");
    check_default(r#"[{"name":"default"}]"#, "home/default 0 -");
    for nothing in ["", "null", " "] {
        check_default(nothing, "");
    }
    let key = "v1.multus-cni.io/default-network";
    let count = |count| format!("{key}: lists {count} networks; a pod has one main network");
    check_default(&format!("[{object},{object}]"), &count(2));
    check_default("[]", &count(0));
    check_default("a/b,c/d", &count(2));
    check_default("{}", &format!("{key}: an element has no name; write {{\"name\": \"a-nad\"}}"));
    check_default(
        "a/b/c",
        &format!("{key}: \"a/b/c\" names no NAD; write namespace/name or namespace/name@link"),
    );
    for text in [r#"[{"foo}"#, r#"{"name":7}"#, r#"{"name":"default","ips":"10.0.0.5"}"#] {
        assert!(decode_default(Some(text), "home").is_err(), "{text}");
    }
}

#[test]
fn the_json_form_is_written() {
    let selections = decode(Some("ns/red@net7,ns/red"), "home").unwrap();
    let text =
        r#"[{"name":"red","namespace":"ns","interface":"net7"},{"name":"red","namespace":"ns"}]"#;
    assert_eq!(encode(&selections), text);
    assert_eq!(decode(Some(text), "elsewhere"), Ok(selections));
    let text = r#"[{"name":"red","namespace":"ns","ips":["10.0.0.5","fd00::5/64"],"mac":"02:00:00:00:00:0a","default-route":["10.0.0.1"],"ipam-claim-reference":"c"}]"#;
    assert_eq!(encode(&decode(Some(text), "home").unwrap()), text);
}

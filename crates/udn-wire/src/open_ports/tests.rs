//! Open ports by example.

use udn_model::OpenPort;

use super::decode;

#[track_caller]
fn check(text: &str, want: &[OpenPort]) {
    assert_eq!(decode(text).unwrap(), want);
}

#[track_caller]
fn check_refused(text: &str, words: &str) {
    let refused = decode(text).unwrap_err();
    assert_eq!(refused.key, "k8s.ovn.org/open-default-ports");
    assert!(refused.message.contains(words), "{}", refused.message);
}

#[test]
fn ports_come_in_the_order_of_the_list() {
    let text = "- protocol: tcp\n  port: 80\n- protocol: udp\n  port: 53\n- protocol: icmp\n";
    check(text, &[OpenPort::Tcp(80), OpenPort::Udp(53), OpenPort::Icmp]);
    check(r#"[{"protocol": "sctp", "port": 7}]"#, &[OpenPort::Sctp(7)]);
}

#[test]
fn an_empty_text_opens_nothing() {
    for text in ["", "  ", "[]", "null"] {
        check(text, &[]);
    }
}

#[test]
fn one_bad_element_closes_all() {
    check_refused("- protocol: tcp\n  port: 80\n- protocol: bogus\n", "invalid protocol bogus");
    check_refused("- protocol: TCP\n  port: 80\n", "invalid protocol TCP");
    check_refused("- protocol: tcp\n", "tcp without a port");
    check_refused("- protocol: tcp\n  port: 65536\n", "invalid port 65536");
    check_refused("- protocol: tcp\n  port: -1\n", "invalid port -1");
    check_refused("- protocol: icmp\n  port: 8\n", "icmp with port 8");
    check_refused("- port: 80\n", "cannot be read as YAML");
    check_refused("protocol: tcp", "cannot be read as YAML");
    check_refused("{", "cannot be read as YAML");
}

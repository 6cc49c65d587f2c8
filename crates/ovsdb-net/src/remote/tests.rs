//! Tests of this module.

use super::*;

fn check(text: &str, want: &str) {
    let got = match text.parse::<Remote>() {
        Ok(remote) => format!("{remote:?}"),
        Err(error) => error.to_string(),
    };
    assert!(got.contains(want), "{text}: {got}");
}

#[test]
fn remotes_are_read_as_ovn_programs_read_them() {
    check("unix:/run/ovn/nb.sock", r#"Unix("/run/ovn/nb.sock")"#);
    check("tcp:127.0.0.1:6641", r#"Tcp(Address { host: "127.0.0.1", port: 6641 })"#);
    check("ssl:[fd00::1]:6641", r#"Tls(Address { host: "fd00::1", port: 6641 })"#);
    check("ssl:nb.example:1", r#"Tls(Address { host: "nb.example", port: 1 })"#);
}

#[test]
fn what_names_no_place_is_refused() {
    check("127.0.0.1:6641", "does not begin with");
    check("unix", "does not begin with");
    check("punix:/x", "does not begin with");
    check("unix:", "names no path");
    check("tcp::6641", "names no host");
    check("tcp:[]:6641", "names no host");
    check("tcp:fd00::1:6641", "without brackets");
    check("tcp:host", "does not end with a port");
    check("tcp:host:0", "does not end with a port");
    check("tcp:host:65536", "does not end with a port");
    check("tcp:host:", "does not end with a port");
}

#[test]
fn a_remote_is_written_as_it_is_read() {
    for text in ["unix:/a b", "tcp:1.2.3.4:5", "ssl:[::1]:6"] {
        assert_eq!(text.parse::<Remote>().unwrap().to_string(), text);
    }
}

#[test]
fn lists_are_separated_by_commas() {
    let list = Remote::parse_list("tcp:a:1, tcp:b:2,").unwrap();
    assert_eq!(list.len(), 2);
    assert_eq!(Remote::parse_list(" , "), Err(RemoteError::Empty));
}

use std::collections::BTreeMap;
use std::io;

use super::*;
use crate::request::Request;

/// Stdin that fails.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

/// One call with these variables, at a node whose server is away.
fn call(variables: &[(&str, &str)], input: &mut dyn Read) -> Outcome {
    let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
    run(Call {
        program: Path::new("/x/plugin"),
        variable: &|name| Some(variables.get(name)?.into()),
        input,
        limits: Limits::default(),
    })
}

const AWAY: (&str, &str) = (socket::VARIABLE, "/nowhere/s");

fn check(outcome: &Outcome, code: u32, message: &str) {
    assert_eq!(outcome.exit_code, 1);
    let printed: serde_json::Value = serde_json::from_str(&outcome.printed).unwrap();
    assert_eq!(printed["code"], code, "{printed}");
    assert_eq!(printed["msg"], message);
    assert!(outcome.complaint.starts_with(message), "{}", outcome.complaint);
}

#[test]
fn a_version_is_told_without_reading_anything() {
    let outcome = call(&[("CNI_COMMAND", "VERSION")], &mut Broken);
    assert_eq!(outcome, Outcome { printed: Version::answer(), ..Outcome::default() });
}

#[test]
fn without_a_command_it_says_what_it_is() {
    let message = "CNI_COMMAND is missing: this is a CNI plugin (0.3.1, 0.4.0, 1.0.0, 1.1.0), \
                   which container runtimes start";
    check(&call(&[], &mut Broken), 4, message);
    check(&call(&[("CNI_COMMAND", "")], &mut Broken), 4, message);
    let message = "unsupported CNI command \"UPDATE\"";
    check(&call(&[("CNI_COMMAND", "UPDATE")], &mut Broken), 4, message);
}

#[test]
fn a_server_that_is_away_is_named_with_the_remedy() {
    let message = "no answer from the node's CNI server at /nowhere/s \
                   (cannot connect: No such file or directory (os error 2)); \
                   is `udn node` running on this node?";
    for (command, code) in [("ADD", 11), ("CHECK", 11), ("GC", 11), ("STATUS", 50)] {
        check(&call(&[("CNI_COMMAND", command), AWAY], &mut &b"{}"[..]), code, message);
    }
}

#[test]
fn an_error_has_the_version_of_the_configuration() {
    let mut conf = &br#"{"cniVersion":"0.4.0"}"#[..];
    let outcome = call(&[("CNI_COMMAND", "ADD"), AWAY], &mut conf);
    assert!(outcome.printed.contains(r#""cniVersion":"0.4.0""#), "{}", outcome.printed);
}

#[test]
fn input_that_cannot_be_read_is_told() {
    let message = "cannot read the network configuration from stdin";
    check(&call(&[("CNI_COMMAND", "ADD"), AWAY], &mut Broken), 5, message);
    let message = "the network configuration is larger than 1048576 bytes";
    check(&call(&[("CNI_COMMAND", "ADD"), AWAY], &mut io::repeat(b' ')), 6, message);
    let message = "the request has 1398145 bytes, the most is 1048576; \
                   make the network configuration smaller";
    let input = &mut io::repeat(b' ').take(MOST_REQUEST_BYTES as u64);
    check(&call(&[("CNI_COMMAND", "ADD"), AWAY], input), 6, message);
}

#[test]
fn a_removal_succeeds_whatever_is_wrong() {
    let inputs: [&mut dyn Read; 4] =
        [&mut Broken, &mut &b"nonsense"[..], &mut io::empty(), &mut io::repeat(b' ')];
    for input in inputs {
        let outcome = call(&[("CNI_COMMAND", "DEL"), AWAY], input);
        assert_eq!((outcome.exit_code, outcome.printed.as_str()), (0, ""));
        let complaint = "DEL counts as done although the node's CNI server did not do it: \
                         no answer from the node's CNI server at /nowhere/s";
        assert!(outcome.complaint.starts_with(complaint), "{}", outcome.complaint);
    }
}

#[test]
fn every_variable_that_a_request_reads_is_passed_on() {
    let conf = r#"{"cniVersion":"1.1.0","name":"n"}"#;
    let values = [
        ("CNI_COMMAND", "ADD"),
        ("CNI_CONTAINERID", "0a"),
        ("CNI_NETNS", "/n"),
        ("CNI_IFNAME", "eth0"),
        ("CNI_ARGS", "K8S_POD_NAMESPACE=a;K8S_POD_NAME=b"),
        ("CNI_PATH", "/p"),
        ("SECRET", "x"),
    ];
    let passed = variables(&|name| {
        let found = values.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| value.into())
    });
    let passed = passed.unwrap();
    assert!(!passed.contains_key("SECRET"));
    let body = request::encode(&passed, conf.as_bytes()).unwrap();
    let Ok(Request::Add(interface)) = Request::parse(&body) else { panic!("an ADD") };
    assert_eq!(interface.path, "/p");
}

#[test]
fn a_variable_must_be_text() {
    use std::os::unix::ffi::OsStringExt;
    let bad = |_: &str| Some(OsString::from_vec(vec![0xff]));
    let error = variables(&bad).unwrap_err();
    assert_eq!(error.code, Code::InvalidEnvironment);
    assert_eq!(error.message, "CNI_COMMAND is no UTF-8");
}

use serde_json::{Value, json};

use super::*;
use crate::version::Version;

const CONF: &str = r#"{"cniVersion":"1.1.0","name":"n","prevResult":{"ips":[]},
    "cni.dev/valid-attachments":[{"containerID":"0a","ifname":"eth0"}]}"#;

/// What a runtime sets for every command.
fn environment(command: &str) -> BTreeMap<String, String> {
    let pairs = [
        ("CNI_COMMAND", command),
        ("CNI_CONTAINERID", "0a1b"),
        ("CNI_NETNS", "/run/netns/x"),
        ("CNI_IFNAME", "eth0"),
        ("CNI_ARGS", "K8S_POD_NAMESPACE=a;K8S_POD_NAME=b"),
        ("CNI_PATH", "/opt/cni/bin"),
    ];
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
}

/// The request of this command, with one variable set to something else.
fn parse_with(command: &str, key: &str, value: &str, conf: &str) -> Result<Request, CniError> {
    let mut environment = environment(command);
    environment.insert(key.to_owned(), value.to_owned());
    Request::parse(&encode(&environment, conf.as_bytes()).unwrap())
}

fn parse(command: &str, conf: &str) -> Result<Request, CniError> {
    parse_with(command, "X", "", conf)
}

fn check(parsed: Result<Request, CniError>, code: Code, message: &str) {
    let error = parsed.expect_err("a bad request");
    assert_eq!((error.code, error.message.as_str()), (code, message));
}

fn conf(version: &str, more: &Value) -> String {
    let mut conf = json!({"cniVersion": version, "name": "n"});
    conf.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    conf.to_string()
}

#[test]
fn add_carries_everything() {
    let Ok(Request::Add(interface)) = parse("ADD", CONF) else { panic!("an ADD") };
    assert_eq!(interface.attachment, Attachment::parse("0a1b", "eth0").unwrap());
    assert_eq!(interface.netns, PathBuf::from("/run/netns/x"));
    assert_eq!(interface.arguments.pod, "b");
    assert_eq!(interface.path, "/opt/cni/bin");
    assert_eq!(interface.conf.version, Version::V1_1_0);
}

#[test]
fn every_command_is_told_by_its_variable() {
    for command in Command::ALL {
        assert_eq!(parse(command.as_str(), CONF).unwrap().command(), command);
    }
}

#[test]
fn a_command_must_be_known() {
    let code = Code::InvalidEnvironment;
    check(parse("", CONF), code, "CNI_COMMAND is missing");
    check(parse("UPDATE", CONF), code, "unsupported CNI command \"UPDATE\"");
}

#[test]
fn add_and_check_need_their_variables() {
    for command in ["ADD", "CHECK"] {
        for key in ["CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"] {
            let message = format!("{key} is missing, and {command} needs it");
            check(parse_with(command, key, "", CONF), Code::InvalidEnvironment, &message);
        }
        let message =
            "CNI_ARGS: K8S_POD_NAMESPACE is missing; the plugin serves pods that kubelet starts";
        check(parse_with(command, "CNI_ARGS", "", CONF), Code::InvalidEnvironment, message);
        assert!(parse_with(command, "CNI_PATH", "", CONF).is_ok());
    }
}

#[test]
fn bad_names_are_refused() {
    for command in ["ADD", "CHECK"] {
        for (key, value, message) in [
            (
                "CNI_CONTAINERID",
                "../0a",
                "CNI_CONTAINERID \"../0a\" has other characters than letters, digits, `_`, `.` and `-`",
            ),
            (
                "CNI_IFNAME",
                "abcdefghijklmnop",
                "the interface name \"abcdefghijklmnop\" is longer than 15 bytes, \
                 which is the most that Linux takes",
            ),
            (
                "CNI_IFNAME",
                "a/b",
                "the interface name \"a/b\" has a `/`, `:`, `%`, white space or a control character",
            ),
        ] {
            check(parse_with(command, key, value, CONF), Code::InvalidEnvironment, message);
        }
    }
}

#[test]
fn devices_are_refused_where_an_interface_is_made_or_judged() {
    let device = conf("1.1.0", &json!({"deviceID": "0000:05:00.1"}));
    let message = "deviceID \"0000:05:00.1\" cannot be given to pod a/b: SR-IOV is not built; \
                   use a network without k8s.v1.cni.cncf.io/resourceName";
    for command in ["ADD", "CHECK"] {
        check(parse(command, &device), Code::UnsupportedField, message);
    }
    assert!(parse("DEL", &device).is_ok());
    assert!(parse("STATUS", &device).is_ok());
}

#[test]
fn commands_need_the_version_that_brought_them() {
    let more = json!({"prevResult": {}, "cni.dev/valid-attachments": []});
    for (command, version, since) in [
        ("CHECK", "0.3.1", "0.4.0"),
        ("GC", "1.0.0", "1.1.0"),
        ("STATUS", "1.0.0", "1.1.0"),
        ("STATUS", "0.3.1", "1.1.0"),
    ] {
        let message = format!("cniVersion {version} has no {command}, which came with {since}");
        let parsed = parse(command, &conf(version, &more));
        check(parsed, Code::IncompatibleVersion, &message);
        assert!(parse(command, &conf(since, &more)).is_ok(), "{command}");
    }
    for version in Version::ALL {
        assert!(parse("ADD", &conf(version.as_str(), &more)).is_ok(), "{version}");
    }
    let message = "cniVersion \"0.2.0\" is not one of 0.3.1, 0.4.0, 1.0.0, 1.1.0";
    for command in ["ADD", "CHECK", "GC", "STATUS"] {
        check(parse(command, &conf("0.2.0", &more)), Code::IncompatibleVersion, message);
    }
}

#[test]
fn check_needs_what_add_returned() {
    let Ok(Request::Check(interface, previous)) = parse("CHECK", CONF) else { panic!("a CHECK") };
    assert_eq!(previous, CniResult::default());
    assert_eq!(interface.conf.previous, None);
    let message = "the network configuration is wrong: CHECK needs prevResult";
    check(parse("CHECK", &conf("1.1.0", &json!({}))), Code::InvalidConfig, message);
}

#[test]
fn a_collection_needs_to_know_what_is_used() {
    let Ok(Request::Gc { valid, conf: read }) = parse("GC", CONF) else { panic!("a GC") };
    assert_eq!(valid, [Attachment::parse("0a", "eth0").unwrap()]);
    assert!(read.is_default());
    let message = "the network configuration is wrong: GC needs cni.dev/valid-attachments";
    check(parse("GC", &conf("1.1.0", &json!({}))), Code::InvalidConfig, message);
}

#[test]
fn status_and_collection_need_no_container() {
    for command in ["GC", "STATUS"] {
        let environment = [("CNI_COMMAND".to_owned(), command.to_owned())].into();
        assert!(Request::parse(&encode(&environment, CONF.as_bytes()).unwrap()).is_ok());
    }
}

#[test]
fn a_removal_takes_what_can_be_read() {
    let Ok(Request::Del(removal)) = parse("DEL", CONF) else { panic!("a DEL") };
    assert_eq!(removal.attachment, Some(Attachment::parse("0a1b", "eth0").unwrap()));
    assert_eq!(removal.netns, Some("/run/netns/x".into()));
    assert_eq!(removal.arguments.map(|it| it.pod).as_deref(), Some("b"));
    assert_eq!(removal.conf.name, "n");
}

#[test]
fn a_removal_is_never_refused_for_what_it_lacks() {
    for (key, value) in [
        ("CNI_NETNS", ""),
        ("CNI_ARGS", ""),
        ("CNI_ARGS", "nonsense"),
        ("CNI_PATH", ""),
        ("CNI_CONTAINERID", ""),
        ("CNI_CONTAINERID", "../x"),
        ("CNI_IFNAME", ""),
        ("CNI_IFNAME", "abcdefghijklmnop"),
    ] {
        for conf in ["", "nonsense", "[]", r#"{"cniVersion":"0.1.0"}"#, CONF] {
            let Ok(Request::Del(removal)) = parse_with("DEL", key, value, conf) else {
                panic!("{key}={value} with {conf}");
            };
            let names_nothing = ["CNI_CONTAINERID", "CNI_IFNAME"].contains(&key);
            assert_eq!(removal.attachment.is_none(), names_nothing, "{key}={value}");
        }
    }
    let body = br#"{"env":{"CNI_COMMAND":"DEL"},"config":"*"}"#;
    assert!(matches!(Request::parse(body), Ok(Request::Del(_))));
}

#[test]
fn the_shim_of_ovn_kubernetes_is_understood() {
    let conf = STANDARD.encode(CONF);
    let body = json!({
        "env": environment("ADD"), "config": conf,
        "type": "pci", "version": "1.1.0", "pci": {"pci-address": "0000:05:00.1"},
    });
    assert!(matches!(Request::parse(body.to_string().as_bytes()), Ok(Request::Add(_))));
    let body = br#"{"env":{"CNI_COMMAND":"VERSION"},"config":null}"#;
    assert_eq!(Request::parse(body), Ok(Request::Version));
}

#[test]
fn what_no_shim_posts_is_refused() {
    let message = "the request is not as a CNI shim posts it";
    for body in
        ["", "x", "[]", "[{},\"\"]", "1", r#"{"env":[]}"#, r#"{"env":{"A":1}}"#, r#"{"config":1}"#]
    {
        check(Request::parse(body.as_bytes()), Code::Undecodable, message);
    }
    let body = br#"{"env":{"CNI_COMMAND":"STATUS"},"config":"*"}"#;
    let message = "the network configuration of the request is no base64";
    check(Request::parse(body), Code::Undecodable, message);
    check(Request::parse(b"{}"), Code::InvalidEnvironment, "CNI_COMMAND is missing");
}

#[test]
fn requests_have_a_largest_size() {
    let message = "the request has 1048577 bytes, the most is 1048576; \
                   make the network configuration smaller";
    let mut body = encode(&environment("DEL"), b"").unwrap();
    body.resize(MOST_REQUEST_BYTES, b' ');
    assert!(Request::parse(&body).is_ok());
    body.push(b' ');
    check(Request::parse(&body), Code::Undecodable, message);
    let error = encode(&environment("ADD"), &vec![b' '; MOST_REQUEST_BYTES]).unwrap_err();
    assert_eq!(error.code, Code::Undecodable);
}

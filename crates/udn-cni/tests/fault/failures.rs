//! Servers that are away, stop midway, say too much, nonsense or nothing much at a time; and callers
//! that ask for what cannot be.

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use udn_cni::{CniResult, Request, Response};

use crate::plugin::{CONF, Plugin};
use crate::server::{Place, respond};

/// Commands that fail with a server.
const ASKING: [&str; 4] = ["ADD", "CHECK", "GC", "STATUS"];

/// Every command fails with its code and these words about the server, but a DEL succeeds.
fn check(place: &Place, code: u32, about_server: &str, reason: &str) {
    let socket = place.socket();
    let server = format!("the node's CNI server at {}", socket.display());
    for command in ASKING {
        let is_away = code == 11;
        let code = if is_away && command == "STATUS" { 50 } else { code };
        let message = Plugin::new(command).at(&socket).refusal(code);
        let want = about_server.replace("SERVER", &server);
        assert!(message.contains(&want), "{message}");
        assert!(message.contains(reason), "{message}");
        let has_remedy = message.ends_with("is `udn node` running on this node?");
        assert_eq!(has_remedy, is_away, "{message}");
    }
    let end = Plugin::new("DEL").at(&socket);
    assert_eq!((end.exit_code, end.stdout.as_str()), (0, ""), "{end:?}");
    assert!(end.stderr.contains("DEL counts as done"), "{end:?}");
}

fn check_away(place: &Place, reason: &str) {
    check(place, 11, "no answer from SERVER (", reason);
}

fn check_nonsense(place: &Place, reason: &str) {
    check(place, 6, "SERVER answered nonsense: ", reason);
}

/// Every command of a caller fails with this code whatever the server is, but a DEL succeeds.
fn check_caller(make: impl Fn(&str) -> Plugin, code: u32, want: &str) {
    let place = Place::new();
    let _server = place.start(|body, stream| {
        let result = CniResult::default();
        let answer = Request::parse(body).map(|_| Response::success(Some(&result)));
        respond(stream, &answer.unwrap_or_else(|error| Response::failure(&error)));
    });
    let message = make("ADD").at(&place.socket()).refusal(code);
    assert!(message.contains(want), "{message}");
    let end = make("DEL").at(&place.socket());
    assert_eq!((end.exit_code, end.stdout.as_str()), (0, ""), "{end:?}");
}

#[test]
fn a_server_that_was_never_there() {
    let place = Place::new();
    check_away(&place, "cannot connect: No such file or directory");
}

#[test]
fn a_server_that_is_gone_and_left_its_socket() {
    let place = Place::new();
    place.leave_socket();
    check_away(&place, "cannot connect: Connection refused");
}

#[test]
fn a_file_where_the_socket_should_be() {
    let place = Place::new();
    fs::write(place.socket(), "").unwrap();
    check_away(&place, "cannot connect: Connection refused");
}

#[test]
fn a_server_that_comes_back_is_asked_again_with_success() {
    let place = Place::new();
    let success = Response::success(Some(&CniResult::default()));
    for _ in 0..3 {
        Plugin::new("ADD").at(&place.socket()).refusal(11);
        let server = place.answer(success.clone());
        assert_eq!(Plugin::new("ADD").at(&place.socket()).exit_code, 0);
        drop(server);
    }
}

#[test]
fn a_server_that_stops_midway() {
    let place = Place::new();
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for said in [
        "",
        "HTTP/1.1 200 OK",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"Result\":{",
        chunks,
        &format!("{chunks}5\r\n{{\"Res\r\n"),
    ] {
        let _server = place.say(said);
        check_away(&place, "the connection ended before the answer did");
    }
}

#[test]
fn a_server_that_says_too_much() {
    let place = Place::new();
    let reason = "the answer is larger than 1048576 bytes";
    let server = place.say("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
    check_nonsense(&place, reason);
    drop(server);
    let _server = place.start(|_, mut stream: UnixStream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        // Until nobody listens any more.
        while stream.write_all(&[b' '; 65536]).is_ok() {}
    });
    check_nonsense(&place, reason);
}

#[test]
fn a_server_that_is_something_else() {
    let place = Place::new();
    let _server = place.say("SSH-2.0-OpenSSH_9.2\r\n");
    check_nonsense(&place, "the answer is no HTTP: its first line has no status");
}

#[test]
fn a_server_that_answers_other_json() {
    let place = Place::new();
    for body in ["x", "[]", r#"{"Result":{"ips":[{"address":"x"}]}}"#] {
        let response = Response { status: 200, code: None, body: body.to_owned() };
        let _server = place.answer(response);
        for command in ASKING {
            let message = Plugin::new(command).at(&place.socket()).refusal(6);
            assert_eq!(message, "the node's CNI server answered what cannot be read");
        }
        assert_eq!(Plugin::new("DEL").at(&place.socket()).exit_code, 0);
    }
}

#[test]
fn a_server_that_has_no_result_for_an_add() {
    let place = Place::new();
    let _server = place.answer(Response::success(None));
    let message = Plugin::new("ADD").at(&place.socket()).refusal(999);
    assert_eq!(message, "the node's CNI server answered an ADD without a result");
}

#[test]
fn a_server_that_gives_its_errors_no_code() {
    let place = Place::new();
    let text = "[a/b 0a1b] failed to get pod annotation\n";
    let _server = place.answer(Response { status: 400, code: None, body: text.to_owned() });
    let message = Plugin::new("ADD").at(&place.socket()).refusal(999);
    assert_eq!(message, text.trim());
}

#[test]
fn a_server_that_says_one_byte_at_a_time() {
    let place = Place::new();
    let _server = place.start(|_, mut stream| {
        let body = r#"{"Result":{"dns":{"domain":"d"}}}"#;
        let mut said = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned();
        for byte in body.chars() {
            said.push_str(&format!("1\r\n{byte}\r\n"));
        }
        said.push_str("0\r\n\r\n");
        for byte in said.as_bytes() {
            stream.write_all(&[*byte]).unwrap();
            std::thread::yield_now();
        }
    });
    let end = Plugin::new("ADD").at(&place.socket());
    assert_eq!(end.json()["dns"]["domain"], "d", "{end:?}");
}

#[test]
fn a_configuration_that_is_garbage() {
    let garbage = |conf: &'static str| move |command: &str| Plugin::new(command).conf(conf);
    check_caller(garbage(""), 6, "there is no network configuration on stdin");
    check_caller(garbage("{"), 6, "the network configuration is no JSON");
    check_caller(garbage("[]"), 6, "the network configuration is no JSON object");
    check_caller(garbage("{}"), 1, "cniVersion is missing");
    check_caller(garbage(r#"{"cniVersion":"0.2.0"}"#), 1, "cniVersion \"0.2.0\" is not one of");
    check_caller(garbage(r#"{"cniVersion":"1.0.0"}"#), 7, "name is missing");
}

#[test]
fn a_configuration_that_is_too_large() {
    let large = |size| move |command: &str| Plugin::new(command).conf(vec![b' '; size]);
    check_caller(large(3 << 20), 6, "the network configuration is larger than 1048576 bytes");
    check_caller(large(1 << 20), 6, "the most is 1048576");
}

#[test]
fn an_environment_that_is_wrong() {
    let with = |key, value| move |command: &str| Plugin::new(command).with(key, value);
    check_caller(with("CNI_CONTAINERID", ""), 4, "CNI_CONTAINERID is missing, and ADD needs it");
    check_caller(with("CNI_NETNS", ""), 4, "CNI_NETNS is missing, and ADD needs it");
    check_caller(with("CNI_IFNAME", "abcdefghijklmnop"), 4, "is longer than 15 bytes");
    check_caller(with("CNI_IFNAME", "a/b"), 4, "has a `/`");
    check_caller(with("CNI_ARGS", "x"), 4, "CNI_ARGS: \"x\" is no pair");
}

#[test]
fn a_device_that_is_asked_for() {
    let conf = CONF.replacen('{', r#"{"deviceID":"0000:05:00.1","#, 1);
    let make = |command: &str| Plugin::new(command).conf(conf.as_str());
    check_caller(make, 2, "deviceID \"0000:05:00.1\" cannot be given to pod a/b");
}

#[test]
fn a_runtime_that_does_not_hear_the_result() {
    let place = Place::new();
    let _server = place.answer(Response::success(Some(&CniResult::default())));
    let socket = place.socket();
    let plugin = Plugin::new("ADD").with("OVN_CNI_SOCKET", socket.to_str().unwrap());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = plugin.command().stdout(Stdio::from(writer)).spawn().unwrap();
    child.stdin.take().unwrap().write_all(CONF.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

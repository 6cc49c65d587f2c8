//! Each command, as a runtime gives it, at a server that works.

use std::fs::{copy, hard_link};
use std::os::unix::fs::symlink;
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};
use udn_cni::result::{Cidr, Interface, InterfaceAddress};
use udn_cni::{CniError, CniResult, Code, Request, Response, socket};

use crate::plugin::{CONF, Plugin};
use crate::server::{Place, respond};

/// Commands that end without a result.
const SILENT: [&str; 4] = ["CHECK", "DEL", "GC", "STATUS"];

fn result(address: &str) -> CniResult {
    let interface = Interface {
        name: "eth0".to_owned(),
        mtu: Some(1400),
        sandbox: Some("/run/netns/x".to_owned()),
        ..Interface::default()
    };
    let address = Cidr::parse(address).unwrap();
    let address = InterfaceAddress { interface: Some(0), address, gateway: None };
    CniResult { interfaces: vec![interface], addresses: vec![address], ..CniResult::default() }
}

#[test]
fn the_server_hears_what_the_runtime_said() {
    let place = Place::new();
    let (tell, heard) = mpsc::channel();
    let _server = place.start(move |body, stream| {
        tell.send(Request::parse(body)).unwrap();
        respond(stream, &Response::success(Some(&CniResult::default())));
    });
    for command in ["ADD", "CHECK", "DEL", "GC", "STATUS"] {
        let end = Plugin::new(command).at(&place.socket());
        assert_eq!(end.exit_code, 0, "{end:?}");
        let request = heard.recv().unwrap().expect("a good request");
        assert_eq!(request.command().as_str(), command);
        if let Request::Add(interface) = request {
            assert_eq!(interface.attachment.to_string(), "eth0 of 0a1b");
            assert_eq!(interface.netns.to_str(), Some("/run/netns/x"));
            assert_eq!(interface.arguments.uid.as_deref(), Some("u"));
            assert_eq!(interface.conf.name, "n");
        }
    }
}

#[test]
fn an_add_prints_the_result_in_the_version_of_its_configuration() {
    let place = Place::new();
    let _server = place.answer(Response::success(Some(&result("10.0.0.2/24"))));
    let check = |version: &str, interface: Value, address: Value| {
        let conf = CONF.replacen("1.1.0", version, 1);
        let end = Plugin::new("ADD").conf(conf).at(&place.socket());
        let want = json!({"cniVersion": version, "interfaces": [interface], "ips": [address]});
        assert_eq!((end.exit_code, end.json(), end.stderr.as_str()), (0, want, ""));
    };
    let interface = json!({"name": "eth0", "sandbox": "/run/netns/x"});
    let address = json!({"interface": 0, "address": "10.0.0.2/24"});
    check("1.0.0", interface.clone(), address.clone());
    let with_family = json!({"interface": 0, "address": "10.0.0.2/24", "version": "4"});
    check("0.3.1", interface.clone(), with_family.clone());
    check("0.4.0", interface, with_family);
    let with_mtu = json!({"name": "eth0", "sandbox": "/run/netns/x", "mtu": 1400});
    check("1.1.0", with_mtu, address);
}

#[test]
fn other_commands_print_nothing() {
    let place = Place::new();
    for response in [Response::success(None), Response::success(Some(&result("fd00::1/64")))] {
        let _server = place.answer(response);
        for command in SILENT {
            let end = Plugin::new(command).at(&place.socket());
            assert!(end.is_silent_success(), "{command}: {end:?}");
        }
    }
}

#[test]
fn a_refusal_keeps_its_code_its_words_and_its_version() {
    let place = Place::new();
    let message = "pod a/b waits for network red: run `udn explain`";
    for code in Code::ALL {
        let error = CniError::new(code, message).with_details("one\ntwo");
        let _server = place.answer(Response::failure(&error));
        for command in ["ADD", "CHECK", "GC", "STATUS"] {
            let conf = CONF.replacen("1.1.0", "0.4.0", 1);
            let end = Plugin::new(command).conf(conf).at(&place.socket());
            assert_eq!(end.refusal(code.number()), message);
            assert_eq!(end.json()["details"], "one\ntwo");
            assert_eq!(end.json()["cniVersion"], "0.4.0");
        }
    }
}

#[test]
fn a_removal_that_is_refused_succeeds() {
    let place = Place::new();
    let error = CniError::new(Code::TryAgainLater, "the switch is away");
    let _server = place.answer(Response::failure(&error));
    let end = Plugin::new("DEL").at(&place.socket());
    assert_eq!((end.exit_code, end.stdout.as_str()), (0, ""));
    assert!(end.stderr.ends_with("did not do it: the switch is away\n"), "{end:?}");
}

#[test]
fn versions_are_told_without_a_server_and_without_a_configuration() {
    let place = Place::new();
    let end = Plugin::new("VERSION").conf("").at(&place.socket());
    let versions = ["0.3.1", "0.4.0", "1.0.0", "1.1.0"];
    let want = json!({"cniVersion": "1.1.0", "supportedVersions": versions});
    assert_eq!((end.exit_code, end.json()), (0, want));
    // Nobody closes stdin, and it ends all the same.
    let plugin = Plugin::new("VERSION");
    let mut child = plugin.command().spawn().unwrap();
    let stdin = child.stdin.take();
    assert!(child.wait().unwrap().success());
    drop(stdin);
}

#[test]
fn a_link_beside_the_plugin_leads_to_the_server_of_its_node() {
    let nodes = [Place::new(), Place::new()];
    for (number, node) in nodes.iter().enumerate() {
        let program = node.folder().join("ovn-k8s-cni-overlay");
        let built = env!("CARGO_BIN_EXE_ovn-k8s-cni-overlay");
        // Nodes may share the file; on another file system they cannot.
        if hard_link(built, &program).is_err() {
            copy(built, &program).unwrap();
        }
        symlink(node.socket(), node.folder().join(socket::LINK)).unwrap();
        let address = format!("10.0.{number}.2/24");
        let _server = node.answer(Response::success(Some(&result(&address))));
        let end = Plugin::new("ADD").program(program).run();
        assert_eq!(end.json()["ips"][0]["address"], address, "{end:?}");
    }
}

#[test]
fn many_at_once_get_each_their_own_answer() {
    let place = Place::new();
    let _server = place.start(|body, stream| {
        let Ok(Request::Add(interface)) = Request::parse(body) else { panic!("an ADD") };
        let id = interface.attachment.container_id;
        respond(stream, &Response::success(Some(&result(&format!("10.0.0.{id}/24")))));
    });
    thread::scope(|scope| {
        for number in 1..=50 {
            let place = &place;
            scope.spawn(move || {
                let id = number.to_string();
                let end = Plugin::new("ADD").with("CNI_CONTAINERID", &id).at(&place.socket());
                let want = format!("10.0.0.{number}/24");
                assert_eq!(end.json()["ips"][0]["address"], want, "{end:?}");
            });
        }
    });
}

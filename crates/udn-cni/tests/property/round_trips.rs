//! Results, errors and requests are read as they were written, in every version.

use std::collections::BTreeMap;
use std::net::IpAddr;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use udn_cni::result::{Cidr, Dns, Interface, InterfaceAddress, Route};
use udn_cni::{
    Arguments, Attachment, CniError, CniResult, Code, NetConf, Request, Response, Version, request,
};

use crate::kept_failures;

/// Any text, though never an empty one: that is the same as none.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9:./-]{1,12}", "\\PC{1,8}"]
}

fn ip() -> impl Strategy<Value = IpAddr> {
    prop_oneof![
        any::<u32>().prop_map(|it| IpAddr::V4(it.into())),
        any::<u128>().prop_map(|it| IpAddr::V6(it.into()))
    ]
}

fn cidr() -> impl Strategy<Value = Cidr> {
    (ip(), 0..=128u8).prop_map(|(address, length)| {
        let most = if address.is_ipv4() { 32 } else { 128 };
        Cidr::new(address, length.min(most)).expect("it was made to fit")
    })
}

fn interface() -> impl Strategy<Value = Interface> {
    let texts = [option::of(text()), option::of(text()), option::of(text()), option::of(text())];
    (text(), texts, option::of(1..=u32::MAX)).prop_map(|(name, texts, mtu)| {
        let [mac, sandbox, socket_path, pci_id] = texts;
        Interface { name, mac, mtu, sandbox, socket_path, pci_id }
    })
}

fn address() -> impl Strategy<Value = InterfaceAddress> {
    (option::of(0..4usize), cidr(), option::of(ip()))
        .prop_map(|(interface, address, gateway)| InterfaceAddress { interface, address, gateway })
}

fn route() -> impl Strategy<Value = Route> {
    (cidr(), option::of(ip()), option::of(1..=u32::MAX))
        .prop_map(|(destination, gateway, mtu)| Route { destination, gateway, mtu })
}

fn dns() -> impl Strategy<Value = Dns> {
    (option::of(text()), [vec(text(), 0..3), vec(text(), 0..3), vec(text(), 0..3)]).prop_map(
        |(domain, lists)| {
            let [nameservers, search, options] = lists;
            Dns { nameservers, domain, search, options }
        },
    )
}

fn result() -> impl Strategy<Value = CniResult> {
    (vec(interface(), 0..4), vec(address(), 0..4), vec(route(), 0..4), dns()).prop_map(
        |(interfaces, addresses, routes, dns)| CniResult { interfaces, addresses, routes, dns },
    )
}

fn version() -> impl Strategy<Value = Version> {
    select(&Version::ALL[..])
}

/// What is left of a result in a version.
fn reduced(result: &CniResult, version: Version) -> CniResult {
    let mut result = result.clone();
    if version < Version::V1_1_0 {
        for interface in &mut result.interfaces {
            (interface.mtu, interface.socket_path, interface.pci_id) = (None, None, None);
        }
        result.routes.iter_mut().for_each(|route| route.mtu = None);
    }
    result
}

fn name() -> impl Strategy<Value = String> {
    "[a-z]([a-z0-9-]{0,10}[a-z0-9])?"
}

fn arguments() -> impl Strategy<Value = Arguments> {
    (name(), name(), option::of("[0-9a-f]{1,8}"), option::of("[0-9a-f-]{1,8}")).prop_map(
        |(namespace, pod, infra_container_id, uid)| Arguments {
            namespace,
            pod,
            infra_container_id,
            uid,
        },
    )
}

fn as_text(arguments: &Arguments) -> String {
    let Arguments { namespace, pod, infra_container_id, uid } = arguments;
    let mut text = format!("IgnoreUnknown=1;K8S_POD_NAMESPACE={namespace};K8S_POD_NAME={pod}");
    for (key, value) in [("K8S_POD_INFRA_CONTAINER_ID", infra_container_id), ("K8S_POD_UID", uid)] {
        if let Some(value) = value {
            text.push_str(&format!(";{key}={value}"));
        }
    }
    text
}

proptest! {
    #![proptest_config(kept_failures())]

    #[test]
    fn a_result_is_read_as_it_was_written(result in result(), version in version()) {
        let json: Value = serde_json::from_str(&result.to_json(version)).unwrap();
        prop_assert_eq!(&json["cniVersion"], version.as_str());
        prop_assert_eq!(CniResult::parse(&json).unwrap(), reduced(&result, version));
    }

    #[test]
    fn only_old_versions_tell_the_family(result in result(), version in version()) {
        let json: Value = serde_json::from_str(&result.to_json(version)).unwrap();
        for (address, written) in result.addresses.iter().zip(json["ips"].as_array().unwrap_or(&vec![])) {
            let family = if address.address.address().is_ipv4() { "4" } else { "6" };
            let want = (version < Version::V1_0_0).then_some(family);
            prop_assert_eq!(written.get("version").and_then(Value::as_str), want);
        }
    }

    #[test]
    fn an_answer_carries_the_whole_result(result in result()) {
        let response = Response::success(Some(&result));
        prop_assert_eq!(response.read(), Ok(Some(result)));
    }

    #[test]
    fn an_answer_carries_the_whole_error(
        code in select(&Code::ALL[..]), message in "[ -~]{0,20}[!-~]", details in "([!-~][ -~\n]{0,20}[!-~])?",
    ) {
        let error = CniError::new(code, message.trim_start()).with_details(details);
        prop_assert_eq!(Response::failure(&error).read(), Err(error));
    }

    #[test]
    fn a_previous_result_comes_with_the_configuration(result in result(), version in version()) {
        let previous: Value = serde_json::from_str(&result.to_json(version)).unwrap();
        let conf = json!({"cniVersion": version.as_str(), "name": "n", "prevResult": previous});
        let conf = NetConf::parse(conf.to_string().as_bytes()).unwrap();
        prop_assert_eq!(conf.previous, Some(reduced(&result, version)));
    }

    #[test]
    fn arguments_are_read_as_they_were_written(arguments in arguments()) {
        prop_assert_eq!(Arguments::parse(&as_text(&arguments)), Ok(arguments));
    }

    #[test]
    fn a_request_is_read_as_it_was_written(
        arguments in arguments(), id in "[a-z0-9][a-z0-9_.-]{0,63}", interface in "[a-z][a-z0-9_.-]{0,14}",
        netns in "/\\PC{1,20}", path in "\\PC{0,20}", version in version(), mtu in option::of(1..=65_535u32),
    ) {
        let conf = json!({"cniVersion": version.as_str(), "name": "n", "mtu": mtu});
        let variables: BTreeMap<String, String> = [
            ("CNI_COMMAND", "ADD"), ("CNI_CONTAINERID", &id), ("CNI_IFNAME", &interface), ("CNI_NETNS", &netns),
            ("CNI_PATH", &path), ("CNI_ARGS", &as_text(&arguments)),
        ].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let body = request::encode(&variables, conf.to_string().as_bytes()).unwrap();
        let Ok(Request::Add(read)) = Request::parse(&body) else { panic!("an ADD") };
        prop_assert_eq!(read.attachment, Attachment::parse(&id, &interface).unwrap());
        prop_assert_eq!(read.netns.to_str(), Some(netns.as_str()));
        prop_assert_eq!((read.arguments, read.path), (arguments, path));
        prop_assert_eq!((read.conf.version, read.conf.mtu), (version, mtu));
    }
}

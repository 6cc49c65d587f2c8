//! Pods that come and go by CNI requests: what they have inside, whom they reach, what is left.

use std::net::IpAddr;
use std::time::Duration;

use udn_cni::{CniResult, Code};
use udn_lab::run::run;

use crate::pods::{On, PodNumber};
use crate::runtime::{DEFAULT, FLAT, Runtime, Sandbox};

const PRIMARY: [On; 2] = [On::Default, On::Red];

fn check_ping(runtime: &Runtime, from: &Sandbox, to: IpAddr) {
    let mut ping = runtime.node.workplace().root.command("ping");
    ping.args(["-n", "-c", "1", "-W", "5", &to.to_string()]);
    run(&mut from.namespace.enter(&ping)).expect("the other pod answers");
}

/// What a program of the OVN root prints in a pod.
fn inside(runtime: &Runtime, sandbox: &Sandbox, program: &str, arguments: &[&str]) -> String {
    let mut command = runtime.node.workplace().root.command(program);
    command.args(arguments);
    run(&mut sandbox.namespace.enter(&command)).expect("the program answers")
}

fn read(sandbox: &Sandbox, parameter: &str) -> String {
    let mut cat = std::process::Command::new("cat");
    cat.arg(format!("/proc/sys/net/{parameter}"));
    run(&mut sandbox.namespace.enter(&cat)).expect("the kernel has the parameter")
}

/// The lines of a result, as people would note it down.
fn lines(result: &CniResult) -> Vec<String> {
    let interfaces = result.interfaces.iter().map(|it| {
        let place = if it.sandbox.is_some() { "pod" } else { "host" };
        let mac = it.mac.as_deref().filter(|_| it.sandbox.is_some()).unwrap_or("any");
        format!("{place} {} {mac}", it.name)
    });
    let addresses = result.addresses.iter().map(|it| {
        let gateway = it.gateway.map_or_else(|| "nobody".to_owned(), |ip| ip.to_string());
        format!("{:?} {} through {gateway}", it.interface, it.address)
    });
    let routes = result.routes.iter().map(|it| format!("{} via {:?}", it.destination, it.gateway));
    interfaces.chain(addresses).chain(routes).collect()
}

fn check_result(sandbox: &Sandbox, result: &CniResult) {
    let pod = sandbox.pod;
    let [red4, red6] = pod.addresses(On::Red).try_into().expect("it has both families");
    let want = [
        format!("host {} any", &sandbox.id[..15]),
        format!("pod eth0 {}", pod.mac(On::Default)),
        format!("host {}_1 any", &sandbox.id[..13]),
        format!("pod ovn-udn1 {}", pod.mac(On::Red)),
        format!("Some(1) {} through nobody", pod.addresses(On::Default)[0]),
        format!("Some(3) {red4} through 10.10.0.1"),
        format!("Some(3) {red6} through fd10:10::1"),
        "10.96.0.0/16 via Some(10.10.0.1)".to_owned(),
    ];
    assert_eq!(lines(result), want);
}

/// Checks what the pod's kernel was told.
fn check_inside(runtime: &Runtime, sandbox: &Sandbox) {
    let addresses = sandbox.namespace.ip(&["-brief", "address"]).expect("ip answers");
    for on in PRIMARY {
        for address in sandbox.pod.addresses(on) {
            assert!(addresses.contains(&address), "no {address} in {addresses}");
        }
    }
    // The kernel's own address follows the carrier, in a moment of its own.
    let own = ["-6", "address", "show", "scope", "global", "tentative"];
    let waiting = sandbox.namespace.ip(&own);
    assert_eq!(waiting.expect("ip answers"), "", "an address that cannot be used yet");
    let four = sandbox.namespace.ip(&["route"]).expect("ip answers");
    assert!(four.contains("default via 10.10.0.1 dev ovn-udn1"), "{four}");
    assert!(four.contains("10.96.0.0/16 via 10.10.0.1 dev ovn-udn1"), "{four}");
    let six = sandbox.namespace.ip(&["-6", "route"]).expect("ip answers");
    assert!(six.contains("default via fd10:10::1 dev ovn-udn1"), "{six}");
    for interface in ["eth0", "ovn-udn1"] {
        assert_eq!(read(sandbox, &format!("ipv6/conf/{interface}/accept_ra")), "0");
        let features = inside(runtime, sandbox, "ethtool", &["-k", interface]);
        assert!(features.contains("tx-checksum-ip-generic: off"), "{features}");
    }
    let filter = inside(runtime, sandbox, "nft", &["list", "ruleset"]);
    for words in [
        "table netdev ingress_filter {",
        "type filter hook ingress device \"ovn-udn1\" priority filter; policy accept;",
        "icmpv6 type nd-router-advert ip6 saddr != fe80::858:aff:fe0a:1 @th,48,16 != 0x0 drop\n",
    ] {
        assert!(filter.contains(words), "no {words} in {filter}");
    }
}

// proves: V-20 half: the plugin's result; network-status is written by Multus
#[tokio::test(flavor = "multi_thread")]
async fn a_pod_of_a_primary_network_has_both_links_until_it_goes() {
    let runtime = Runtime::start().await;
    let before = runtime.traces();
    let pods = [PodNumber(1), PodNumber(2)];
    runtime.introduce(&pods, &PRIMARY);
    let sandboxes = pods.map(|pod| runtime.sandbox(pod));
    for sandbox in &sandboxes {
        let result = runtime.add(sandbox).await.expect("the pod is wired");
        check_result(sandbox, &result);
        check_inside(&runtime, sandbox);
        let again = runtime.add(sandbox).await.expect("a second ADD is the first one");
        assert_eq!(again, result);
    }
    let [one, two] = &sandboxes;
    for on in PRIMARY {
        for ip in two.pod.ips(on) {
            check_ping(&runtime, one, ip);
        }
    }
    runtime.del(one).await;
    assert!(!runtime.traces().contains(&one.id[..13]), "{}", runtime.traces());
    let links = one.namespace.ip(&["-brief", "link"]).expect("ip answers");
    assert!(!links.contains("eth0") && !links.contains("ovn-udn1"), "{links}");
    assert_eq!(inside(&runtime, one, "nft", &["list", "ruleset"]), "");
    check_ping(&runtime, two, two.pod.ips(On::Red)[0]);
    runtime.del(one).await;
    runtime.del(two).await;
    assert_eq!(runtime.traces(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn secondary_links_come_and_go_one_by_one() {
    let runtime = Runtime::start().await;
    let before = runtime.traces();
    let (one, two) = (PodNumber(1), PodNumber(2));
    runtime.introduce(&[one, two], &[On::Default, On::Flat(0), On::Flat(1)]);
    let sandboxes = [one, two].map(|pod| runtime.sandbox(pod));
    for sandbox in &sandboxes {
        let result = runtime.add(sandbox).await.expect("the pod is wired");
        assert_eq!(result.interfaces.len(), 2, "no primary network, so one link");
        for (interface, on) in [("net1", On::Flat(0)), ("net2", On::Flat(1))] {
            let answer = runtime.ask("ADD", sandbox, (interface, FLAT)).await;
            let result = answer.expect("the pod is wired").expect("an ADD has a result");
            let mac = sandbox.pod.mac(on).to_string();
            assert_eq!(lines(&result)[1], format!("pod {interface} {mac}"));
        }
    }
    let [one, two] = &sandboxes;
    for index in [0, 1] {
        check_ping(&runtime, one, two.pod.ips(On::Flat(index))[0]);
    }
    runtime.ask("DEL", one, ("net1", FLAT)).await.expect("a DEL succeeds");
    let links = one.namespace.ip(&["-brief", "link"]).expect("ip answers");
    assert!(!links.contains("net1") && links.contains("net2") && links.contains("eth0"), "{links}");
    check_ping(&runtime, one, two.pod.ips(On::Flat(1))[0]);
    for sandbox in &sandboxes {
        for interface in ["net2", "net1"] {
            runtime.ask("DEL", sandbox, (interface, FLAT)).await.expect("a DEL succeeds");
        }
        runtime.del(sandbox).await;
    }
    assert_eq!(runtime.traces(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_add_waits_for_what_is_said_of_its_pod() {
    let runtime = Runtime::start().await;
    let pod = PodNumber(1);
    let sandbox = runtime.sandbox(pod);
    runtime.introduce(&[pod], &PRIMARY);
    runtime.pods.tell(&pod.name(), None);
    let known = [
        pod.known(&[On::Default], &[]),
        pod.known(&PRIMARY, &[On::Default]),
        pod.known(&PRIMARY, &PRIMARY),
    ];
    let add = runtime.add(&sandbox);
    tokio::pin!(add);
    for known in known {
        let early = tokio::time::timeout(Duration::from_millis(200), &mut add).await; // waits: that nothing comes
        assert!(early.is_err(), "it was answered too early: {early:?}");
        runtime.pods.tell(&pod.name(), Some(known));
    }
    check_result(&sandbox, &add.await.expect("the pod is wired"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_del_ends_an_add_that_waits_and_nothing_is_left() {
    let runtime = Runtime::start().await;
    let before = runtime.traces();
    let pod = PodNumber(1);
    let sandbox = runtime.sandbox(pod);
    // Its port is not drawn, so that OVN never wires it.
    runtime.pods.tell(&pod.name(), Some(pod.known(&PRIMARY, &PRIMARY)));
    let add = runtime.add(&sandbox);
    tokio::pin!(add);
    while !runtime.traces().contains("_1") {
        let early = tokio::time::timeout(Duration::from_millis(20), &mut add).await; // waits: for the port's row
        assert!(early.is_err(), "it was answered too early: {early:?}");
    }
    let (added, ()) = tokio::join!(add, runtime.del(&sandbox));
    let error = added.expect_err("the interface was taken back");
    assert_eq!(error.code, Code::TryAgainLater);
    assert!(error.message.contains("took the interface back"), "{error}");
    assert_eq!(runtime.traces(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_names_what_differs() {
    let runtime = Runtime::start().await;
    let pod = PodNumber(1);
    let sandbox = runtime.sandbox(pod);
    runtime.introduce(&[pod], &PRIMARY);
    let result = runtime.add(&sandbox).await.expect("the pod is wired");
    let mut conf: serde_json::Value = serde_json::from_str(DEFAULT).expect("it is JSON");
    conf["prevResult"] =
        serde_json::from_str(&result.to_json(udn_cni::Version::NEWEST)).expect("it is JSON");
    let conf = conf.to_string();
    runtime.ask("CHECK", &sandbox, ("eth0", &conf)).await.expect("all is as it was wired");
    let address = &pod.addresses(On::Red)[0];
    for (change, want) in [
        (vec!["address", "del", address.as_str(), "dev", "ovn-udn1"], "has no address"),
        (vec!["link", "set", "eth0", "mtu", "1300"], "eth0 has the MTU 1300 and not 1400"),
        (vec!["link", "set", "ovn-udn1", "down"], "ovn-udn1 is down"),
        (vec!["link", "del", "eth0"], "there is no link eth0"),
    ] {
        sandbox.namespace.ip(&change).expect("ip obeys");
        let error = runtime.ask("CHECK", &sandbox, ("eth0", &conf)).await;
        let error = error.expect_err("it differs");
        assert!(error.message.contains(want), "no {want} in {error}");
    }
}

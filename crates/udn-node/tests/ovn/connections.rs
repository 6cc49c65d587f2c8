//! What was open to a pod, and what comes of it when the pod goes.

use udn_host::Datapath;
use udn_lab::run::run;

use crate::agent_site::until;
use crate::pods::{On, PodNumber};
use crate::runtime::{DEFAULT, FLAT, Runtime, Sandbox};

fn ping(runtime: &Runtime, from: &Sandbox, to: &str) {
    let mut ping = runtime.node.workplace().root.command("ping");
    ping.args(["-n", "-c", "1", "-W", "5", to]);
    run(&mut from.namespace.enter(&ping)).expect("the other pod answers");
}

/// The connections that the switch follows and that an address has to do with.
fn followed(runtime: &Runtime, address: &str) -> Vec<String> {
    let all = run(runtime.node.vswitchd().appctl().arg("dpctl/dump-conntrack"));
    let all = all.expect("the switch answers");
    let ends = [format!("={address},"), format!("={address})")];
    let is_meant = |line: &&str| ends.iter().any(|end| line.contains(end));
    all.lines().filter(is_meant).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_that_goes_takes_along_what_the_switch_followed_of_it() {
    let runtime = Runtime::start().await;
    // A switch follows connections where it has rules about them.
    for switch in ["n1", "flat"] {
        let rule = ["acl-add", switch, "to-lport", "1000", "ip4", "allow-related"];
        run(runtime.node.nbctl().args(rule)).expect("the zone takes rules");
    }
    let pods = [PodNumber(1), PodNumber(2), PodNumber(3)];
    runtime.introduce(&pods, &[On::Default, On::Flat(0)]);
    let [one, two, three] = pods.map(|pod| runtime.sandbox(pod));
    for sandbox in [&one, &two, &three] {
        for (interface, conf) in [("eth0", DEFAULT), ("net1", FLAT)] {
            let answer = runtime.ask("ADD", sandbox, (interface, conf)).await;
            answer.expect("the pod is wired");
        }
    }
    let ip = |pod: PodNumber, on| pod.ips(on)[0].to_string();
    let (gone, stays) = (ip(one.pod, On::Default), ip(three.pod, On::Default));
    let elsewhere = ip(one.pod, On::Flat(0));
    for on in [On::Default, On::Flat(0)] {
        ping(&runtime, &one, &ip(two.pod, on));
        ping(&runtime, &two, &ip(one.pod, on));
        ping(&runtime, &three, &ip(two.pod, on));
    }
    for address in [&gone, &stays, &elsewhere] {
        assert_ne!(followed(&runtime, address), [""; 0], "nothing is followed of {address}");
    }
    runtime.ask("DEL", &one, ("eth0", DEFAULT)).await.expect("a DEL succeeds");
    assert_eq!(followed(&runtime, &gone), [""; 0]);
    for address in [&stays, &elsewhere] {
        assert_ne!(followed(&runtime, address), [""; 0], "{address} lost its connections");
    }
}

/// The connections that the node's kernel follows, by who began them and whom they are to.
fn followed_by_kernel(runtime: &Runtime) -> Vec<String> {
    let mut cat = std::process::Command::new("cat");
    cat.arg("/proc/self/net/nf_conntrack");
    let all = run(&mut runtime.node.namespace().enter(&cat)).expect("the kernel follows some");
    let word = |line: &str, key: &str| {
        line.split_whitespace().find_map(|it| it.strip_prefix(key)).map(str::to_owned)
    };
    let ends = |line: &str| {
        let (from, to) = (word(line, "src=")?, word(line, "dst=")?);
        Some(format!("{from} to {to} in {}", word(line, "zone=").unwrap_or_default()))
    };
    let mut found: Vec<String> = all.lines().filter_map(ends).collect();
    found.sort();
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_that_goes_takes_along_what_the_kernel_followed_of_it() {
    let mut runtime = Runtime::start().await;
    runtime.server.take().expect("it runs").stop().await;
    runtime.serve(|settings| settings.datapath = Datapath::Kernel);
    let pod = PodNumber(1);
    runtime.introduce(&[pod], &[On::Default]);
    let sandbox = runtime.sandbox(pod);
    runtime.add(&sandbox).await.expect("the pod is wired");
    let namespace = runtime.node.namespace();
    let tool = |program: &str, arguments: &[&str]| {
        let mut command = runtime.node.workplace().root.command(program);
        command.args(arguments);
        run(&mut namespace.enter(&command)).expect("the tool answers")
    };
    // The host speaks in the pod's name, in the zone of the external bridge, in another, and in none.
    let (ip, other) = (pod.ips(On::Default)[0].to_string(), "10.244.1.99");
    for address in [&ip, other] {
        namespace.ip(&["address", "add", &format!("{address}/32"), "dev", "lo"]).expect("ip obeys");
    }
    tool("nft", &["add table ip zones"]);
    tool("nft", &["add chain ip zones output { type filter hook output priority raw; }"]);
    for (address, zone) in [("127.0.0.2", "64000"), ("127.0.0.3", "64009")] {
        let rule = format!("add rule ip zones output ip daddr {address} ct zone set {zone}");
        tool("nft", &[&rule]);
    }
    for (from, to) in
        [(&*ip, "127.0.0.2"), (&ip, "127.0.0.3"), (&ip, "127.0.0.4"), (other, "127.0.0.2")]
    {
        tool("ping", &["-n", "-c", "1", "-W", "5", "-I", from, to]);
    }
    let before = followed_by_kernel(&runtime);
    let gone = format!("{ip} to 127.0.0.2 in 64000");
    assert!(before.contains(&gone), "{before:?}");
    runtime.del(&sandbox).await;
    let want: Vec<String> = before.into_iter().filter(|it| *it != gone).collect();
    assert_eq!(followed_by_kernel(&runtime), want);
    assert!(want.len() >= 3, "{want:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_router_tells_its_zones_under_the_names_that_are_looked_for() {
    let runtime = Runtime::start().await;
    let node = &runtime.node;
    let mut command = node.nbctl();
    command.args(["lr-add", "GR_n1", "--", "set", "Logical_Router", "GR_n1"]);
    command.args(["options:chassis=n1", "--", "lr-nat-add", "GR_n1", "snat", "172.18.0.11"]);
    command.args(["10.244.1.0/24", "--", "lrp-add", "GR_n1", "inside", "0a:58:0a:f4:01:01"]);
    command.args(["10.244.1.1/24", "--", "lsp-add", "n1", "to-router", "--", "lsp-set-type"]);
    command.args(["to-router", "router", "--", "lsp-set-options", "to-router"]);
    command.arg("router-port=inside");
    run(&mut command).expect("the zone takes a router");
    until("zones of the router", || {
        let entries = run(node.vsctl().args(["get", "Bridge", "br-int", "external_ids"])).ok()?;
        ["ct-zone-GR_n1_dnat=", "ct-zone-GR_n1_snat="]
            .iter()
            .all(|name| entries.contains(name))
            .then_some(())
    });
}

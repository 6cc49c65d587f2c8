//! Several links of one pod into one network: each answers for its own addresses.

use std::collections::BTreeMap;

use udn_host::links::{Checksums, PodLink};
use udn_lab::run::run;
use udn_model::{AttachmentKey, Mtu, Route};
use udn_node::Program;

use crate::pods::{On, PodNumber};
use crate::runtime::{FLAT, Runtime, Sandbox};

const LINKS: [(&str, On); 2] = [("net1", On::Flat(0)), ("net2", On::Flat(1))];

fn check_ping(runtime: &Runtime, (from, source): (&Sandbox, &str), to: &str) {
    let mut ping = runtime.node.workplace().root.command("ping");
    ping.args(["-n", "-c", "1", "-W", "5", "-I", source, to]);
    let answer = run(&mut from.namespace.enter(&ping));
    answer.unwrap_or_else(|error| panic!("{to} does not answer {source}: {error}"));
}

/// Lets ports send from their own addresses only, as every port of ours does.
fn secure(runtime: &Runtime, pods: &[PodNumber]) {
    let mut command = runtime.node.nbctl();
    for pod in pods {
        for (_, on) in LINKS {
            let addresses = format!("{} {}", pod.mac(on), pod.ips(on)[0]);
            command.args(["--", "lsp-set-port-security", &pod.logical_port(on), &addresses]);
        }
    }
    run(&mut command).expect("the zone takes it");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_link_of_a_pod_into_one_network_answers_from_its_own_address() {
    let runtime = Runtime::start().await;
    let pods = [PodNumber(1), PodNumber(2)];
    runtime.introduce(&pods, &[On::Default, On::Flat(0), On::Flat(1)]);
    secure(&runtime, &pods);
    let sandboxes = pods.map(|pod| runtime.sandbox(pod));
    for sandbox in &sandboxes {
        for (interface, _) in LINKS {
            let answer = runtime.ask("ADD", sandbox, (interface, FLAT)).await;
            answer.expect("the pod is wired");
        }
    }
    let [one, two] = &sandboxes;
    for (_, from) in LINKS {
        for (_, to) in LINKS {
            let (from, to) = (one.pod.ips(from)[0].to_string(), two.pod.ips(to)[0].to_string());
            check_ping(&runtime, (one, &from), &to);
            check_ping(&runtime, (two, &to), &from);
        }
    }
    // Who goes leaves the other one's way alone, and no rule of its own.
    runtime.ask("DEL", one, ("net2", FLAT)).await.expect("a DEL succeeds");
    let rules = one.namespace.ip(&["rule"]).expect("ip answers");
    assert!(rules.contains("from 10.30.0.11 ") && !rules.contains("10.30.1.11"), "{rules}");
    check_ping(&runtime, (one, "10.30.0.11"), "10.30.1.12");
}

/// A link of a pod into a network of which each node has a part, so that there are routes too.
fn link(sandbox: &Sandbox, index: u16) -> PodLink {
    let (on, number) = (On::Flat(index), 11 + index);
    let address = |text: String| text.parse().expect("it is an address");
    let route = |destination: &str, next_hop: &str| Route {
        destination: destination.parse().expect("it is a subnet"),
        next_hop: next_hop.parse().expect("it is an address"),
    };
    PodLink {
        attachment: AttachmentKey { index, ..sandbox.pod.key(on) },
        link: format!("{}_{}", &sandbox.id[..13], index + 2),
        namespace: sandbox.namespace.path().to_owned(),
        interface: format!("net{}", index + 1),
        mac: sandbox.pod.mac(on),
        mtu: Mtu::new(1400).expect("1400 is within bounds"),
        addresses: vec![
            address(format!("10.40.1.{number}/24")),
            address(format!("fd40:1::{number}/64")),
        ],
        routes: vec![route("10.40.0.0/16", "10.40.1.1"), route("fd40::/16", "fd40:1::1")],
        is_one_of_several: true,
        host_parameters: Vec::new(),
        parameters: Vec::new(),
        checksums: Checksums::Deferred,
        guarding_bridge: None,
        router: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_into_one_network_have_equal_routes_beside_each_other() {
    let runtime = Runtime::start().await;
    let sandbox = runtime.sandbox(PodNumber(1));
    let (kernel, ethtool) = (runtime.host.kernel(), Program::new("no-such-ethtool"));
    let links = [0, 1].map(|index| link(&sandbox, index));
    for link in &links {
        kernel.apply_pod(link, &ethtool).await.expect("the link is made");
    }
    for link in &links {
        let again = kernel.apply_pod(link, &ethtool).await.expect("the link stands");
        assert_eq!(again, 0, "{} is made anew each time", link.interface);
    }
    for (family, range) in [("-4", "10.40.0.0/16"), ("-6", "fd40::/16")] {
        let routes = |table: &str| {
            let routes = sandbox.namespace.ip(&[family, "route", "show", "table", table]);
            let routes = routes.expect("ip answers");
            let found = routes.lines().filter(|it| it.starts_with(range)).map(str::to_owned);
            found.collect::<Vec<String>>()
        };
        let main = routes("main");
        assert_eq!(main.len(), 2, "{main:?}");
        assert!(main[0].contains("net1") && main[1].contains("net2"), "{main:?}");
        let rules = sandbox.namespace.ip(&[family, "rule"]).expect("ip answers");
        let tables: BTreeMap<String, Vec<String>> = rules
            .lines()
            .filter(|it| it.starts_with("2000:"))
            .filter_map(|it| it.split_once("lookup ")?.1.split(' ').next().map(str::to_owned))
            .map(|table| (table.clone(), routes(&table)))
            .collect();
        assert_eq!(tables.len(), 2, "{rules}");
        assert!(tables.values().all(|routes| routes.len() == 1), "{tables:?}");
    }
}

//! Pods on every kind of network, as users make them: they become Ready, reach whom they must, and
//! leave nothing.

use std::net::IpAddr;

use serde_json::Value;
use udn_lab::run::RunError;
use udn_lab::witness::Witness;

use crate::manifests::{PORT, cluster_network, deployment, layer2, layer3, namespace};
use crate::snapshot::Snapshot;
use crate::stand::{Pod, Stand};

const STORAGE: &str =
    "{topology: Layer2, layer2: {role: Secondary, subnets: [10.50.0.0/24, \"fd50::/64\"]}}";
pub(crate) const VLAN: &str = "{topology: Localnet, localnet: {role: Secondary, physicalNetworkName: physnet, \
                    subnets: [10.60.0.0/24, \"fd60::/64\"]}}";

/// Where pods of one namespace meet: the NAD key of their main network.
const HOMES: [(&str, &str); 3] =
    [("plain", "default"), ("blue", "blue/net"), ("green", "green/net")];

pub(crate) fn networks() -> String {
    namespace("plain", false)
        + &namespace("blue", true)
        + &layer2("blue", "10.20.0.0/16, \"fd20::/64\"")
        + &namespace("green", true)
        + &layer3("green", "{cidr: 10.30.0.0/16, hostSubnet: 24}, {cidr: \"fd30::/48\"}")
        + &cluster_network("storage", "plain", STORAGE)
        + &cluster_network("vlan", "plain", VLAN)
}

pub(crate) fn deployments(replicas: usize) -> String {
    deployment("plain", "web", replicas, "storage, vlan")
        + &deployment("blue", "web", replicas, "")
        + &deployment("green", "web", replicas, "")
}

// proves: V-01, V-20
#[test]
fn pods_of_every_network_become_ready_and_leave_nothing() {
    let stand = Stand::start(3);
    let nodes: Vec<String> = stand.cluster.nodes().iter().map(|it| it.name().to_owned()).collect();
    settle(&stand);
    let before: Vec<Snapshot> = nodes.iter().map(|node| Snapshot::take(&stand, node)).collect();
    play(&stand, 3);
    let during = Snapshot::take(&stand, &nodes[0]);
    assert!(during.holds("rule", "0x100"), "a snapshot shows networks");
    stand.delete(&deployments(3));
    stand.delete(&networks());
    for (node, before) in nodes.iter().zip(&before) {
        let mut left = String::new();
        let is_clean = || {
            left = before.difference(&Snapshot::take(&stand, node));
            left.is_empty().then_some(())
        };
        if udn_lab::wait::wait_for("a clean node", crate::stand::LIMIT, is_clean).is_err() {
            panic!("{node} keeps traces:\n{left}");
        }
    }
}

// proves: V-24
#[test]
fn the_same_manifests_work_on_one_node() {
    let stand = Stand::start(1);
    play(&stand, 2);
}

/// The first pod of a node leaves some rows that stay, such as the kernel's own of IPv6.
pub(crate) fn settle(stand: &Stand) {
    stand.eventually("the default network's host state", || {
        stand
            .cluster
            .nodes()
            .iter()
            .all(|node| {
                let link = stand.on_node(node.name(), "ip", &["-o", "address", "show"]);
                link.contains("ovn-k8s-mp0")
            })
            .then_some(())
    });
}

pub(crate) fn play(stand: &Stand, replicas: usize) {
    stand.apply(&networks());
    for (kind, name) in [("udn", "-A"), ("cudn", "")] {
        let what = [&["--all", kind][..], if name.is_empty() { &[] } else { &["-A"] }].concat();
        stand.wait("condition=NetworkCreated", &what);
    }
    stand.apply(&deployments(replicas));
    for (home, _) in HOMES {
        stand.wait("condition=Available", &["deployment/web", "-n", home]);
    }
    for (home, key) in HOMES {
        let pods = stand.pods(home);
        assert_eq!(pods.len(), replicas, "{pods:?}");
        all_reach_each_other(stand, &pods, key);
        statuses_tell_both_interfaces(&pods, key);
    }
    let plain = stand.pods("plain");
    for key in ["plain/storage", "plain/vlan"] {
        all_reach_each_other(stand, &plain, key);
    }
    strangers_stay_strangers(stand);
    everybody_goes_out_as_their_node(stand);
}

/// Ping and TCP, over both families, from each pod to each other.
pub(crate) fn all_reach_each_other(stand: &Stand, pods: &[Pod], key: &str) {
    for from in pods {
        for to in pods.iter().filter(|to| to.name != from.name) {
            for address in to.on(key) {
                let reached = ping(stand, from, *address);
                reached.unwrap_or_else(|error| {
                    panic!("{} to {} {address}: {error}", from.path(), to.path())
                });
                let page = fetch(stand, from, *address).expect("the page comes over TCP");
                assert_eq!(page.trim(), to.name, "{} asked {address}", from.path());
            }
        }
        assert_eq!(from.on(key).len(), 2, "both families: {from:?}");
    }
}

fn strangers_stay_strangers(stand: &Stand) {
    let (blue, green) = (stand.pods("blue"), stand.pods("green"));
    for (from, to, key) in [(&blue[0], &green[0], "green/net"), (&green[0], &blue[0], "blue/net")] {
        for address in to.on(key).iter().chain(to.on("default")) {
            assert!(ping(stand, from, *address).is_err(), "{} reached {address}", from.path());
        }
    }
}

fn everybody_goes_out_as_their_node(stand: &Stand) {
    let outside = stand.cluster.outside();
    let witness = Witness::listen(outside.namespace()).expect("the outside listens");
    let port = witness.port().to_string();
    for (home, _) in HOMES {
        for pod in stand.pods(home) {
            let node: Vec<IpAddr> = stand.node(&pod.node).addresses().collect();
            for address in stand.cluster.outside_addresses() {
                let words =
                    ["sh", "-c", "echo | nc -w 5 \"$0\" \"$1\"", &address.to_string(), &port];
                let seen = stand.exec(&pod.path(), &words);
                let seen =
                    seen.unwrap_or_else(|error| panic!("{} to {address}: {error}", pod.path()));
                let seen: IpAddr = seen.trim().parse().expect("the witness tells an address");
                assert!(node.contains(&seen), "{} was seen as {seen}, not {node:?}", pod.path());
            }
        }
    }
}

/// Multus tells one interface, or two of which the primary network's is the pod's main one.
fn statuses_tell_both_interfaces(pods: &[Pod], key: &str) {
    for pod in pods {
        let told = |interface: &str| -> &Value {
            let mut all = pod.status.iter();
            let found = all.find(|it| it["interface"] == interface);
            found.unwrap_or_else(|| panic!("{} tells no {interface}: {:?}", pod.path(), pod.status))
        };
        let addresses = |of: &Value| -> Vec<IpAddr> {
            let texts = of["ips"].as_array().into_iter().flatten().filter_map(Value::as_str);
            texts.map(|text| text.parse().expect("an address")).collect()
        };
        assert_eq!(addresses(told("eth0")), pod.on("default"), "{}", pod.path());
        if key == "default" {
            assert_eq!(told("eth0")["default"], true, "{:?}", pod.status);
            continue;
        }
        let main = told("ovn-udn1");
        assert_eq!(addresses(main), pod.on(key), "{}", pod.path());
        assert_eq!(main["default"], true, "{:?}", pod.status);
        assert_ne!(told("eth0")["default"], true, "{:?}", pod.status);
    }
}

fn ping(stand: &Stand, from: &Pod, address: IpAddr) -> Result<String, RunError> {
    stand.exec(&from.path(), &["ping", "-c", "1", "-W", "2", &address.to_string()])
}

/// What a pod's web server answers, without what is before the page.
fn fetch(stand: &Stand, from: &Pod, address: IpAddr) -> Result<String, RunError> {
    // The static busybox has a wget that dies of names; nc asks for none.
    let ask = "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 5 \"$0\" \"$1\"";
    let words = ["sh", "-c", ask, &address.to_string(), &PORT.to_string()];
    let answer = stand.exec(&from.path(), &words)?;
    Ok(answer.lines().last().unwrap_or_default().to_owned())
}

//! Beside another CNI: the bridge plugin has the default network, and ours are the networks for which
//! pods ask Multus.

use std::fs;
use std::net::IpAddr;

use udn_lab::real_cluster::RealCluster;
use udn_model::settings::Features;
use udn_model::{ClusterSettings, Family, GatewayMode};
use udn_sandbox::kubernetes::cluster_settings;

use crate::manifests::{cluster_network, layer2, namespace, pod};
use crate::pods::{VLAN, all_reach_each_other};
use crate::restarts::Traffic;
use crate::stand::{Pod, Stand, turn};

const STORAGE: &str = "{topology: Layer2, layer2: {role: Secondary, \
                       subnets: [10.50.0.0/24, \"fd50::/64\"], ipam: {lifecycle: Persistent}}}";
const ROUTED: &str = "{topology: Layer3, layer3: {role: Secondary, \
                      subnets: [{cidr: 10.70.0.0/16, hostSubnet: 24}, {cidr: \"fd70::/48\"}]}}";
const PRIMARY: &str =
    "{topology: Layer2, layer2: {role: Primary, subnets: [10.80.0.0/16, \"fd80::/64\"]}}";
/// Addresses that somebody keeps for a pod.
const CLAIM: &str = "apiVersion: k8s.cni.cncf.io/v1alpha1\nkind: IPAMClaim\n\
                     metadata: {namespace: plain, name: kept}\n\
                     spec: {network: cluster_udn_storage, interface: \"\"}\n---\n";

const KEYS: [&str; 3] = ["plain/storage", "plain/vlan", "plain/routed"];

#[test]
fn secondary_networks_work_beside_the_bridge_plugin() {
    let mut stand = beside_the_bridge_plugin(2);
    let nodes: Vec<String> = stand.cluster.nodes().iter().map(|it| it.name().to_owned()).collect();
    refuses_primary_networks(&stand);
    stand.apply(&networks());
    stand.wait("condition=NetworkCreated", &["--all", "cudn"]);
    let one = attached("one", &nodes[0], ASKED);
    let other = attached("other", &nodes[1], CLAIMED);
    stand.apply(&(CLAIM.to_owned() + &one + &other));
    stand.wait("condition=Ready", &["pods", "--all", "-n", "plain"]);
    let pods = stand.pods("plain");
    for pod in &pods {
        has_the_bridge_plugins_address(pod);
    }
    meet(&stand, &pods);
    assert_eq!(pods[0].on("plain/storage"), addresses(["10.50.0.77", "fd50::77"]));
    assert_eq!(pods[0].on("plain/vlan"), addresses(["10.60.0.77", "fd60::77"]));

    let traffic = Traffic::start_on("plain/storage", &stand, [&pods[0], &pods[1]]);
    for node in &nodes {
        stand.kill_agent(node);
        traffic.flows(&stand);
        stand.start_agent(node);
        stand.wait("condition=Ready", &["cudn/storage"]);
        traffic.flows(&stand);
    }
    assert_eq!(traffic.lost(&stand), 0, "packets were lost while agents began anew");

    // The claim's pod comes back on the other node, with what is kept for it.
    stand.delete(&other);
    stand.apply(&attached("other", &nodes[0], CLAIMED));
    stand.wait("condition=Ready", &["pods", "--all", "-n", "plain"]);
    let again = stand.pods("plain");
    assert_eq!(again[1].on("plain/storage"), pods[1].on("plain/storage"), "the claim keeps them");
    meet(&stand, &again);
    for node in stand.cluster.nodes() {
        let entries = fs::read_dir(node.cni_conf_folder()).expect("it is there");
        let names = entries.map(|it| it.expect("it can be read").file_name());
        let mut names: Vec<String> = names.map(|it| it.to_string_lossy().into_owned()).collect();
        names.sort();
        assert_eq!(names, ["00-multus.conf", "50-bridge.conflist"], "{}", node.name());
    }
}

/// Ping and TCP between all pods on all networks. No network of ours spoke before, and the first frames
/// are lost until the userspace datapath has found the other end of its tunnel.
fn meet(stand: &Stand, pods: &[Pod]) {
    for key in KEYS {
        for address in pods[1].on(key) {
            let words = ["ping", "-c", "1", "-W", "2", &address.to_string()];
            stand.eventually(key, || stand.exec(&pods[0].path(), &words).ok());
        }
        all_reach_each_other(stand, pods, key);
    }
}

/// A pod that asks for addresses of its own.
const ASKED: &str = r#"[{"name": "storage", "ips": ["10.50.0.77/24", "fd50::77/64"]},
    {"name": "vlan", "ips": ["10.60.0.77", "fd60::77"], "mac": "02:00:00:00:00:77"}, {"name": "routed"}]"#;
/// A pod with addresses that a claim keeps.
const CLAIMED: &str = r#"[{"name": "storage", "ipam-claim-reference": "kept"},
    {"name": "vlan"}, {"name": "routed"}]"#;

fn beside_the_bridge_plugin(nodes: usize) -> Stand {
    let turn = turn();
    let cluster = RealCluster::builder().nodes(nodes).start();
    let cluster = cluster.unwrap_or_else(|error| panic!("no cluster: {error:?}"));
    for (place, node) in cluster.nodes().iter().enumerate() {
        node.install_bridge(&format!("10.200.{place}.0/24")).expect("the plugins are there");
    }
    let settings = ClusterSettings {
        builds_default_network: false,
        features: Features { primary_networks: false, ..Features::default() },
        ..cluster_settings(&Family::BOTH, GatewayMode::Shared)
    };
    Stand::with_programs(cluster, settings, turn)
}

fn networks() -> String {
    namespace("plain", false)
        + &cluster_network("storage", "plain", STORAGE)
        + &cluster_network("vlan", "plain", VLAN)
        + &cluster_network("routed", "plain", ROUTED)
}

/// A pod that asks Multus for networks.
fn attached(name: &str, node: &str, networks: &str) -> String {
    let annotations = format!("annotations: {{k8s.v1.cni.cncf.io/networks: '{networks}'}}");
    pod("plain", name, node).replacen("metadata: {", &format!("metadata: {{{annotations}, "), 1)
}

fn addresses<const N: usize>(texts: [&str; N]) -> [IpAddr; N] {
    texts.map(|it| it.parse().expect("an address"))
}

/// Multus tells the first interface from the bridge plugin, and it is the pod's main one.
fn has_the_bridge_plugins_address(pod: &Pod) {
    let first = pod.status.iter().find(|it| it["interface"] == "eth0");
    let first = first.unwrap_or_else(|| panic!("{} has no eth0: {:?}", pod.path(), pod.status));
    assert_eq!((&first["name"], &first["default"]), (&"bridge".into(), &true.into()));
    let address = first["ips"][0].as_str().unwrap_or_default();
    assert!(address.starts_with("10.200."), "{}: {first}", pod.path());
    assert!(!pod.networks.contains_key("default"), "{} is not on ours", pod.path());
}

/// A primary network needs our default network, and its status says so.
fn refuses_primary_networks(stand: &Stand) {
    let blue = namespace("blue", true) + &layer2("blue", "10.20.0.0/16, \"fd20::/64\"");
    stand.apply(&(blue.clone() + &cluster_network("main", "blue", PRIMARY)));
    for what in [&["udn/net", "-n", "blue"][..], &["cudn/main"]] {
        let condition = stand.eventually("a refusal", || {
            let object = stand.objects(&[&["get"], what].concat());
            let conditions = object["status"]["conditions"].as_array()?;
            conditions.iter().find(|it| it["type"] == "NetworkCreated").cloned()
        });
        let text = |key: &str| condition[key].as_str().unwrap_or_default();
        assert_eq!(text("status"), "False", "{condition}");
        assert!(text("message").contains("--default-network foreign"), "{condition}");
    }
    let nads = stand.objects(&["get", "network-attachment-definitions", "-n", "blue"]);
    assert_eq!(nads["items"].as_array().map(Vec::len), Some(0), "{nads}");
    stand.delete(&(blue + &cluster_network("main", "blue", PRIMARY)));
}

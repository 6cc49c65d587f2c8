//! What a network's status says of nodes before any pod starts, and while their agents are away.

use serde_json::Value;

use crate::manifests::{cluster_network, layer2, namespace};
use crate::stand::Stand;

const WIRE: &str = "{topology: Localnet, localnet: {role: Secondary, physicalNetworkName: wire, \
                    subnets: [10.60.0.0/24], vlan: {mode: Access, access: {id: 42}}}}";
const SAME_VLAN: &str = "{topology: Localnet, localnet: {role: Secondary, physicalNetworkName: wire, \
                         subnets: [10.61.0.0/24], vlan: {mode: Access, access: {id: 42}}}}";
const TOO_LARGE: &str = "{topology: Localnet, localnet: {role: Secondary, physicalNetworkName: wire, \
                         mtu: 9000, subnets: [10.62.0.0/24], vlan: {mode: Access, access: {id: 43}}}}";

// proves: L-27
#[test]
fn a_localnet_tells_what_nodes_lack_before_any_pod_starts() {
    let stand = Stand::start(2);
    let (one, two) = ("node1", "node2");
    stand.apply(&(namespace("plain", false) + &cluster_network("wire", "plain", WIRE)));
    until_ready_says(&stand, "wire", "False", &[one, two, "PhysicalNetworkMissing"]);
    map_wire(&stand, one);
    until_ready_says(&stand, "wire", "False", &[two, "PhysicalNetworkMissing"]);
    map_wire(&stand, two);
    until_ready_says(&stand, "wire", "True", &[]);

    stand.apply(&cluster_network("large", "plain", TOO_LARGE));
    until_ready_says(&stand, "large", "False", &[one, two, "9000"]);
    stand.apply(&cluster_network("twice", "plain", SAME_VLAN));
    let degraded = |network: &Value| condition(network, "Degraded").filter(|it| it.0 == "True");
    // Of two of the same second, the name says which is the later one.
    let message = stand.eventually("a VLAN that is used twice to be told", || {
        ["twice", "wire"].iter().find_map(|it| degraded(&object(&stand, it))).map(|it| it.1)
    });
    assert!(message.contains("42") && message.contains("wire"), "{message}");

    // What nmstate takes away is told as well as what it brings.
    unmap_wire(&stand, one);
    until_ready_says(&stand, "wire", "False", &[one, "PhysicalNetworkMissing"]);
    // A mapping that leads nowhere is told with the bridge that it names.
    stand.node(one).lab_node().map_bridge("wire", "br-wire").expect("the mapping is written");
    until_ready_says(&stand, "wire", "False", &[one, "PhysicalNetworkUnusable", "br-wire"]);
    let report = stand.objects(&["get", "nodenetworkreport", one]);
    let unusable = &report["status"]["unusablePhysicalNetworks"][0];
    assert_eq!((&unusable["name"], &unusable["reason"]), (&"wire".into(), &"BridgeMissing".into()));
    unmap_wire(&stand, one);
    map_wire(&stand, one);
    until_ready_says(&stand, "wire", "True", &[]);
}

// proves: X-01
#[test]
fn a_network_is_ready_only_while_every_agent_is_heard() {
    let mut stand = Stand::start(2);
    stand.apply(&(namespace("blue", true) + &layer2("blue", "10.20.0.0/16, \"fd20::/64\"")));
    let ready = |stand: &Stand, status: &'static str, words: &'static [&'static str]| {
        stand.eventually("the network's readiness", || {
            let network = stand.objects(&["get", "udn", "net", "-n", "blue"]);
            let (said, message) = condition(&network, "Ready")?;
            (said == status && words.iter().all(|it| message.contains(it))).then_some(message)
        })
    };
    ready(&stand, "True", &[]);
    stand.stop_agent("node2");
    let message = ready(&stand, "False", &["node2"]);
    assert!(!message.contains("node1"), "{message}");
    stand.start_agent("node2");
    ready(&stand, "True", &[]);
    stand.kill_agent("node1");
    let message = ready(&stand, "False", &["node1"]);
    assert!(!message.contains("node2"), "{message}");
    stand.start_agent("node1");
    ready(&stand, "True", &[]);
}

/// Maps the physical network beside what is mapped already, as nmstate does.
fn map_wire(stand: &Stand, node: &str) {
    stand.node(node).lab_node().map_bridge("wire", "br-ex").expect("the mapping is written");
}

fn unmap_wire(stand: &Stand, node: &str) {
    let read = "ovs-vsctl get Open_vSwitch . external_ids:ovn-bridge-mappings";
    let lab = stand.node(node).lab_node();
    let mut command = lab.vsctl();
    command.args(["get", "Open_vSwitch", ".", "external_ids:ovn-bridge-mappings"]);
    let mappings =
        udn_lab::run::run(&mut command).unwrap_or_else(|error| panic!("{read}: {error}"));
    let others: Vec<&str> =
        mappings.trim_matches('"').split(',').filter(|it| !it.starts_with("wire:")).collect();
    let mut command = lab.vsctl();
    command.args(["set", "Open_vSwitch", "."]);
    command.arg(format!("external_ids:ovn-bridge-mappings=\"{}\"", others.join(",")));
    udn_lab::run::run(&mut command).expect("the mapping is written");
}

fn object(stand: &Stand, network: &str) -> Value {
    stand.objects(&["get", "cudn", network])
}

/// The status and the message of a condition.
fn condition(object: &Value, kind: &str) -> Option<(String, String)> {
    let mut all = object["status"]["conditions"].as_array()?.iter();
    let found = all.find(|it| it["type"] == kind)?;
    let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
    Some((text("status"), text("message")))
}

/// Waits until a network's readiness is told with these words in its message.
fn until_ready_says(stand: &Stand, network: &str, status: &str, words: &[&str]) {
    let mut last = String::new();
    let what = format!("{network} to be told as {status} with {words:?}");
    stand.eventually(&what, || {
        let (said, message) = condition(&object(stand, network), "Ready")?;
        last = format!("{said}: {message}");
        (said == status && words.iter().all(|it| message.contains(it))).then_some(())
    });
}

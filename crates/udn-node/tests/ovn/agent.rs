//! What a node's agent tells the API of the node, and how it follows what changes.

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::block_in_place;
use udn_lab::run::run;
use udn_lab::wait::wait_for;
use udn_node::agent::HostState;
use udn_wire::Kind;
use udn_wire::keys::{
    NODE_CHASSIS, NODE_ENCAP_IPS, NODE_GATEWAY, NODE_HOST_CIDRS, NODE_LAYER2_VERSION,
    NODE_MASQUERADE, NODE_PRIMARY_ADDRESS, NODE_ZONE,
};

use crate::agent_site::{LIMIT, NODE, RED, Site, until};
use crate::host_lines::{difference, host_lines};

fn annotation(node: &Value, key: &str) -> Option<String> {
    node["metadata"]["annotations"][key].as_str().map(str::to_owned)
}

/// The physical networks of a report, as `name bridge mtu`.
fn physical(report: &Value) -> Vec<String> {
    let networks = report["status"]["physicalNetworks"].as_array();
    let networks = networks.into_iter().flatten();
    let line = |it: &Value| format!("{} {} {}", it["name"], it["bridge"], it["mtu"]);
    networks.map(|it| line(it).replace('"', "")).collect()
}

/// The physical networks of a report that cannot be used, as `name reason`.
fn unusable(report: &Value) -> Vec<String> {
    let networks = report["status"]["unusablePhysicalNetworks"].as_array();
    let line = |it: &Value| format!("{} {}", it["name"], it["reason"]);
    networks.into_iter().flatten().map(|it| line(it).replace('"', "")).collect()
}

async fn until_state(state: &mut watch::Receiver<HostState>, is_so: impl Fn(&HostState) -> bool) {
    let waited = tokio::time::timeout(LIMIT, state.wait_for(is_so)).await;
    waited.expect("it comes in time").expect("the host loop runs");
}

async fn until_physical(site: &Site, want: &[&str]) {
    site.until(Kind::Report, NODE, |it| (physical(it) == want).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_tells_what_it_is_and_follows_what_changes() {
    let site = Site::start().await;
    // What the node says of itself.
    let gateway = r#"{"default":{"mode":"shared","bridge-id":"br-ex","interface-id":"br-ex_n1","mac-address":"02:42:ac:12:00:0b","ip-addresses":["172.18.0.11/24","fd18::b/64"],"next-hops":["172.18.0.1","fd18::1"],"node-port-enable":"true","vlan-id":"0"}}"#;
    let want = [
        (NODE_CHASSIS, NODE),
        (NODE_ZONE, NODE),
        (NODE_LAYER2_VERSION, "2.0"),
        (NODE_GATEWAY, gateway),
        (NODE_HOST_CIDRS, r#"["172.18.0.11/24","fd18::b/64"]"#),
        (NODE_PRIMARY_ADDRESS, r#"{"ipv4":"172.18.0.11/24","ipv6":"fd18::b/64"}"#),
        (NODE_ENCAP_IPS, r#"["172.18.0.11"]"#),
        (NODE_MASQUERADE, r#"{"ipv4":"169.254.0.0/17","ipv6":"fd69::/112"}"#),
    ];
    let told = async |key: &str, want: &str| {
        let is_told = |it: &Value| (annotation(it, key).as_deref() == Some(want)).then_some(());
        site.until(Kind::Node, NODE, is_told).await;
    };
    for (key, want) in want {
        told(key, want).await;
    }
    until_physical(&site, &["physnet br-ex 1500"]).await;
    let report = site.read(Kind::Report, NODE).await.expect("it is there");
    let owner = &report["metadata"]["ownerReferences"][0];
    assert_eq!((&owner["kind"], &owner["name"]), (&json!("Node"), &json!(NODE)));

    // What somebody takes away comes back.
    site.patch(Kind::Node, NODE, json!({ "metadata": { "annotations": { NODE_GATEWAY: null } } }))
        .await;
    told(NODE_GATEWAY, gateway).await;
    site.delete(Kind::Report, "", NODE).await;
    until_physical(&site, &["physnet br-ex 1500"]).await;

    // Mappings are followed as somebody writes them, and those of others stay.
    let vsctl = |words: &[&str]| run(site.node.vsctl().args(words)).expect("the switch obeys");
    let mappings = |text: &str| {
        let entry = format!("external_ids:ovn-bridge-mappings=\"{text}\"");
        vsctl(&["set", "Open_vSwitch", ".", &entry]);
    };
    mappings("storage:br-sto");
    until("the own mapping beside the other one", || {
        let text = vsctl(&["get", "Open_vSwitch", ".", "external_ids:ovn-bridge-mappings"]);
        (text.trim().trim_matches('"') == "storage:br-sto,physnet:br-ex").then_some(())
    });
    let unusable = async |want: &[&str]| {
        site.until(Kind::Report, NODE, |it| (unusable(it) == want).then_some(())).await;
    };
    unusable(&["storage BridgeMissing"]).await;
    until_physical(&site, &["physnet br-ex 1500"]).await;
    vsctl(&["add-br", "br-sto", "--", "set", "Bridge", "br-sto", "datapath_type=netdev"]);
    unusable(&["storage BridgeWithoutPorts"]).await;
    vsctl(&["add-port", "br-sto", "sto0", "--", "set", "Interface", "sto0", "type=internal"]);
    until_physical(&site, &["physnet br-ex 1500", "storage br-sto null"]).await;
    unusable(&[]).await;
    vsctl(&["del-br", "br-sto"]);
    until_physical(&site, &["physnet br-ex 1500"]).await;
    unusable(&["storage BridgeMissing"]).await;

    // So are addresses and routes.
    let ip = |words: &[&str]| site.node.namespace().ip(words).expect("the kernel obeys");
    ip(&["address", "add", "192.168.7.3/24", "dev", "br-ex"]);
    told(NODE_HOST_CIDRS, r#"["172.18.0.11/24","192.168.7.3/24","fd18::b/64"]"#).await;
    told(NODE_GATEWAY, gateway).await;
    ip(&["route", "replace", "default", "via", "172.18.0.9"]);
    told(NODE_GATEWAY, &gateway.replace("172.18.0.1\"", "172.18.0.9\"")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_that_begins_anew_costs_no_network_its_way_out() {
    let mut site = Site::start().await;
    site.apply(RED).await;
    site.until_whole("red_red").await;
    let told = async |site: &Site| {
        let node = site.read(Kind::Node, NODE).await.expect("it is there");
        node["metadata"]["annotations"].clone()
    };
    let (before, lines) = (told(&site).await, host_lines(&site.node));
    // A crashed switch leaves its links, and their addresses cannot be given a second time.
    let _ = block_in_place(|| site.node.restart_vswitchd());
    let mut left = Vec::new();
    let back = block_in_place(|| {
        wait_for("the host to stand again", LIMIT, || {
            left = difference(&lines, &host_lines(&site.node));
            left.is_empty().then_some(())
        })
    });
    back.unwrap_or_else(|late| panic!("{late}: {left:#?}"));
    assert_eq!(told(&site).await, before, "nothing was taken back");

    // A bridge that is made anew has no addresses before somebody gives them to it.
    let mut state = site.agent.as_ref().expect("it runs").state();
    let is_bare = |it: &HostState| {
        let own = it.own.iter().flat_map(|it| &it.complaints);
        own.into_iter().any(|it| it.contains("has no address"))
    };
    let ip = |words: &[&str]| site.node.namespace().ip(words).expect("the kernel obeys");
    ip(&["address", "flush", "dev", "br-ex", "scope", "global"]);
    until_state(&mut state, is_bare).await;
    assert_eq!(told(&site).await, before, "nothing was taken back");
    for address in site.node.settings().addresses.with_lengths() {
        site.node.namespace().add_address("br-ex", &address).expect("the kernel obeys");
    }
    for next_hop in &site.node.settings().next_hops {
        site.node.namespace().add_route("default", &next_hop.to_string()).expect("it obeys");
    }
    until_state(&mut state, |it| !is_bare(it) && it.is_whole).await;
    assert_eq!(told(&site).await, before, "nothing was taken back");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_without_ovn_waits_and_ends_when_it_is_told() {
    let mut site = Site::without_agent().await;
    let nowhere = || "unix:/nowhere/db.sock".parse().expect("it is a remote");
    let usual = site.settings.clone();
    (site.settings.northbound, site.settings.southbound) = (nowhere(), nowhere());
    site.settings.open_vswitch = vec![nowhere()];
    site.start_agent().await;
    let agent = site.agent.as_ref().expect("it runs");
    let failed = |it: &HostState| it.failure.is_some();
    until_state(&mut agent.state(), failed).await;
    let stopped = tokio::time::timeout(LIMIT / 4, site.stop_agent()).await;
    stopped.expect("nothing holds it up");
    // What was away at a start is found later.
    site.settings = usual;
    site.start_agent().await;
    until_physical(&site, &["physnet br-ex 1500"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_without_an_external_bridge_says_so_and_goes_on() {
    let mut site = Site::without_agent().await;
    site.settings.chassis.external_bridge = "br-none".to_owned();
    site.apply(RED).await;
    site.start_agent().await;
    let none = r#"{"default":{"mode":""}}"#;
    let is_told =
        |it: &Value| (annotation(it, NODE_GATEWAY).as_deref() == Some(none)).then_some(());
    site.until(Kind::Node, NODE, is_told).await;
    let lacks = |it: &Value| {
        let first = &it["status"]["notProgrammed"][0];
        (first["network"] == "red_red").then(|| first["message"].to_string())
    };
    let message = site.until(Kind::Report, NODE, lacks).await;
    assert!(message.contains("n1"), "{message}");
    let state = site.agent.as_ref().expect("it runs").state();
    let complaints = state.borrow().own.clone().expect("it was looked at").complaints;
    assert!(complaints.iter().any(|it| it.contains("no bridge br-none")), "{complaints:?}");
    // The bridge comes, with the node's addresses; the mapping of the lab leads elsewhere until then.
    let vsctl = |words: &[&str]| run(site.node.vsctl().args(words)).expect("the switch obeys");
    vsctl(&["add-br", "br-none", "--", "set", "Bridge", "br-none", "datapath_type=netdev"]);
    site.node
        .namespace()
        .ip(&["address", "add", "192.168.9.3/24", "dev", "br-none"])
        .expect("it obeys");
    let has_gateway = |it: &Value| {
        annotation(it, NODE_GATEWAY).filter(|it| it.contains("192.168.9.3/24")).map(drop)
    };
    site.until(Kind::Node, NODE, has_gateway).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bridge_with_a_datapath_that_is_not_the_nodes_is_put_right() {
    let site = Site::start().await;
    until_physical(&site, &["physnet br-ex 1500"]).await;
    let vsctl = |words: &[&str]| run(site.node.vsctl().args(words)).expect("the switch obeys");
    // As ovn-controller makes it where it comes first.
    vsctl(&["set", "Bridge", "br-int", "datapath_type=system"]);
    until("the datapath of the external bridge", || {
        let text = vsctl(&["get", "Bridge", "br-int", "datapath_type"]);
        (text.trim() == "netdev").then_some(())
    });
    assert_eq!(vsctl(&["get", "Bridge", "br-int", "fail_mode"]).trim(), "secure");
}

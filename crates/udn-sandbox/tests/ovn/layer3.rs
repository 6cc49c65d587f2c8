//! Networks that are cut into a subnet for each node, beside the default network and networks of
//! layer 2 with the same or the next addresses: everybody reaches whom they must and nobody else,
//! and whoever goes out does so as its node.

use udn_lab::wait::wait_for;
use udn_lab::witness::Witness;
use udn_model::derived::network_masquerade;
use udn_model::{ClusterSettings, Family, GatewayMode, NetworkName};

use crate::rig::manifests::{
    cluster_network, cluster_network_for, example, folder_of, layer3, namespace, namespace_of,
    nodes, pod, tenant,
};
use crate::rig::site::Site;
use crate::rig::snapshot::Snapshot;
use crate::rig::{LIMIT, Print, Stand, pings};

const OUTSIDE: [&str; 2] = ["172.18.0.1", "fd00:172:18::1"];
/// Right behind the default network's ranges, 10.128.0.0/14 and fd01::/48.
const CUT: [(&str, u8); 2] = [("10.132.0.0/16", 24), ("fd01:0:1::/48", 64)];
const WHOLE: &str = "10.132.0.0/16, fd01:0:1::/64";
const STORAGE: [(&str, u8); 2] = [("10.134.0.0/16", 24), ("fd01:0:3::/48", 64)];

/// The main network of pods that go out, with their nodes.
const TRAVELLERS: [(&str, &str, &str); 6] = [
    ("default", "plain/plain-1", "node-1"),
    ("default", "plain/plain-3", "node-3"),
    ("cluster_udn_red", "red/red-1", "node-1"),
    ("cluster_udn_red", "red/red-4", "node-3"),
    ("cluster_udn_yellow", "yellow/yellow-2", "node-2"),
    ("cluster_udn_blue", "blue/blue-2", "node-3"),
];

/// Pods without a network of their own, two tenants with a layer-3 network each, and one with a
/// layer-2 network; all three have the same addresses. Two of the first share a secondary network.
fn manifests() -> String {
    let mut text = nodes(3) + &namespace_of("plain", "plain", false);
    for tenant in ["red", "yellow"] {
        text += &(namespace(tenant, true) + &cluster_network(tenant, &layer3("Primary", &CUT)));
    }
    text += &tenant("blue", WHOLE);
    text += &cluster_network_for("plain", "storage", &layer3("Secondary", &STORAGE));
    for (name, node, networks) in [
        ("plain/plain-1", "node-1", Some("storage")),
        ("plain/plain-2", "node-1", None),
        ("plain/plain-3", "node-3", Some("storage")),
        ("red/red-1", "node-1", None),
        ("red/red-2", "node-1", None),
        ("red/red-3", "node-2", None),
        ("red/red-4", "node-3", None),
        ("yellow/yellow-1", "node-1", None),
        ("yellow/yellow-2", "node-2", None),
        ("blue/blue-1", "node-1", None),
        ("blue/blue-2", "node-3", None),
    ] {
        text += &pod(name, node, networks);
    }
    text
}

pub(crate) fn settings(gateway_mode: GatewayMode) -> ClusterSettings {
    ClusterSettings { gateway_mode, builds_default_network: true, ..ClusterSettings::default() }
}

pub(crate) async fn pods_reach_whom_they_must_in_shared_mode(site: &Site) {
    reach_whom_they_must(site, GatewayMode::Shared).await;
}

pub(crate) async fn pods_reach_whom_they_must_in_local_mode(site: &Site) {
    reach_whom_they_must(site, GatewayMode::Local).await;
}

async fn reach_whom_they_must(site: &Site, mode: GatewayMode) {
    let manifests = folder_of(&manifests());
    let mut stand = Stand::with_settings(site, settings(mode), manifests.path()).await;
    stand.green_matrix().await;
    everybody_goes_out_as_their_node(&stand);
    the_own_node_is_reached(&stand);
    nodes_reach_pods_without_a_network_of_their_own(&stand);
    let again = stand.sandbox.apply(manifests.path(), &mut Print).await;
    let again = again.expect("it applies again");
    assert!(again.is_empty(), "{again:#?}");
    stand.applied = again;
}

fn everybody_goes_out_as_their_node(stand: &Stand) {
    let outside = Witness::listen(stand.host("outside")).expect("the outside listens");
    for (_, pod, node) in TRAVELLERS {
        for (family, address) in Family::BOTH.into_iter().zip(OUTSIDE) {
            let seen = outside.ask(stand.pod(pod), address.parse().expect("an address"));
            let seen = seen.unwrap_or_else(|error| {
                let source = std::error::Error::source(&error).map(ToString::to_string);
                panic!("{pod} to {address}: {error} {source:?}")
            });
            assert_eq!(seen, stand.node_address(node, family), "{pod} as {address} sees it");
        }
    }
}

/// A node sees pods of its own home as they are, and others as their network's masquerade.
fn the_own_node_is_reached(stand: &Stand) {
    for (network, pod, node) in TRAVELLERS {
        let host = Witness::listen(stand.node(node).namespace()).expect("the node listens");
        for family in Family::BOTH {
            let seen = host.ask(stand.pod(pod), stand.node_address(node, family));
            let seen = seen.unwrap_or_else(|error| panic!("{pod} to {node}: {error}"));
            let id = stand.applied.grants.networks[&NetworkName::new(network)].id;
            let masquerade = *ClusterSettings::default().masquerade.of(family).expect("both");
            let masquerade = network_masquerade(masquerade, id);
            let want = match network {
                "default" => stand.address_on(network, pod, family),
                _ => masquerade.expect("there is room").management,
            };
            assert_eq!(seen, want, "{pod} as {node} sees it");
        }
    }
}

fn nodes_reach_pods_without_a_network_of_their_own(stand: &Stand) {
    for node in ["node-1", "node-2", "node-3"] {
        for pod in ["plain/plain-1", "plain/plain-3"] {
            for family in Family::BOTH {
                let address = stand.address_on("default", pod, family);
                let host = stand.node(node).namespace();
                assert!(pings(host, address), "{node} to {pod} at {address}");
            }
        }
    }
}

pub(crate) async fn a_tenant_comes_and_goes_without_a_trace(site: &Site) {
    let usual = nodes(2) + &namespace("plain", false) + &pod("plain/p", "node-1", None);
    let tenant = namespace("red", true)
        + &cluster_network("red", &layer3("Primary", &CUT))
        + &pod("red/red-1", "node-1", None)
        + &pod("red/red-2", "node-2", None);
    let (usual, more) = (folder_of(&usual), folder_of(&(usual.clone() + &tenant)));
    let settings = settings(GatewayMode::Local);
    let mut stand = Stand::with_settings(site, settings, usual.path()).await;
    wait_for_addresses(&stand);
    let before = Snapshot::take(&stand).await;
    stand.apply(more.path()).await;
    stand.green_matrix().await;
    let with_tenant = Snapshot::take(&stand).await;
    for place in ["northbound", "switch Port", "flow", "link", "rule", "route", "object Node"] {
        assert_ne!(before.of(place), with_tenant.of(place), "a tenant left nothing in {place}");
    }
    stand.apply(usual.path()).await;
    Snapshot::wait_forgotten(&stand, "cluster_udn_red");
    let after = Snapshot::take(&stand).await;
    assert_eq!(before.difference(&after), "", "a removed tenant left traces");
}

/// Waits until the kernel has made sure that nobody else has the addresses that it gave itself.
fn wait_for_addresses(stand: &Stand) {
    for node in stand.nodes() {
        let host = stand.node(&node).namespace();
        let tentative = || host.ip(&["-6", "address", "show", "tentative"]).expect("ip answers");
        let is_sure = || tentative().is_empty().then_some(());
        wait_for("the kernel's own addresses", LIMIT, is_sure).expect("nobody else has them");
    }
}

pub(crate) async fn the_example_is_green(site: &Site) {
    let stand = Stand::new(site, &example("layer3")).await;
    println!("{}", stand.green_matrix().await);
}

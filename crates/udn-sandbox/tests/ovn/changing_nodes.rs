//! Nodes come, are drained, go, and come back under other addresses: layer-3 networks and the default
//! network follow, and nothing of a node that went is left with the others.

use udn_lab::witness::Witness;
use udn_model::{Family, GatewayMode};

use crate::layer3::settings;
use crate::rig::Stand;
use crate::rig::manifests::{cluster_network, folder_of, layer3, namespace, pod};
use crate::rig::site::Site;
use crate::rig::snapshot::Snapshot;

const OUTSIDE: [&str; 2] = ["172.18.0.1", "fd00:172:18::1"];
const CUT: [(&str, u8); 2] = [("10.77.0.0/16", 24), ("fd77::/48", 64)];

/// Nodes, and on some of them a pod of each network.
fn manifests(nodes: &[&str], used: &[&str]) -> String {
    let node =
        |name: &&str| format!("apiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\n---\n");
    let mut text: String = nodes.iter().map(node).collect();
    text += &(namespace("plain", false) + &namespace("red", true));
    text += &cluster_network("red", &layer3("Primary", &CUT));
    for node in used {
        text += &pod(&format!("plain/on-{node}"), node, None);
        text += &pod(&format!("red/on-{node}"), node, None);
    }
    text
}

pub(crate) async fn networks_follow(site: &Site) {
    let usual = folder_of(&manifests(&["a1", "a2"], &["a1", "a2"]));
    let mut stand = Stand::with_settings(site, settings(GatewayMode::Shared), usual.path()).await;
    stand.green_matrix().await;
    let before = of_rows(&Snapshot::take(&stand).await);

    let three = ["a1", "a2", "a3"];
    for used in [&three[..], &three[..2]] {
        stand.apply(folder_of(&manifests(&three, used)).path()).await;
        stand.green_matrix().await;
    }
    let with_third = of_rows(&Snapshot::take(&stand).await);
    assert_ne!(before.difference(&with_third), "", "the snapshot would tell");
    stand.apply(usual.path()).await;
    let after = of_rows(&Snapshot::take(&stand).await);
    assert_eq!(before.difference(&after), "", "a node left traces with others");

    // The node in the middle goes; another one gets its addresses, and it comes back under others.
    stand.apply(folder_of(&manifests(&["a1"], &["a1"])).path()).await;
    stand.green_matrix().await;
    let former = Family::BOTH.map(|family| stand.node_address("a1", family));
    stand.apply(folder_of(&manifests(&["a1", "a1b", "a2"], &["a1", "a1b", "a2"])).path()).await;
    stand.green_matrix().await;
    assert_eq!(Family::BOTH.map(|family| stand.node_address("a1", family)), former);
    let outside = Witness::listen(stand.host("outside")).expect("the outside listens");
    for node in ["a1", "a1b", "a2"] {
        for pod in ["plain", "red"].map(|it| format!("{it}/on-{node}")) {
            for (family, address) in Family::BOTH.into_iter().zip(OUTSIDE) {
                let seen = outside.ask(stand.pod(&pod), address.parse().expect("an address"));
                let seen = seen.expect("the outside is reached");
                assert_eq!(seen, stand.node_address(node, family), "{pod} as {address} sees it");
            }
        }
    }
}

/// What the nodes that stay have of networks: rows, routes and rules.
fn of_rows(snapshot: &Snapshot) -> Snapshot {
    let places = ["northbound", "route", "rule", "southbound Chassis"];
    let stays = |line: &&String| line.starts_with("a1 ") || line.starts_with("a2 ");
    let of = places.into_iter().flat_map(|place| snapshot.of(place)).filter(stays);
    Snapshot { lines: of.cloned().collect() }
}

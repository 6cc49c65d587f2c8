//! The stories: everything that users do to networks, in every order that matters.
//!
//! Invariant: a story ends with nothing left to do; who blocks a deletion is gone by then, unless
//! the story is about that.

use serde_json::{Value, json};
use udn_model::{ClusterSettings, PerFamily, Subnet};
use udn_wire::Kind;
use udn_wire::keys::{NETWORK_ID, TUNNEL_KEYS};

use super::ending::MEDDLED;
use super::story::Act::{Create, Delete, Patch, Served, Settle, Start, Status, Stop};
use super::story::{Act, Story};
use crate::kit::objects::{
    attached_pod, cudn, cudn_for, layer2, localnet, nad, namespace, node, primary_namespace,
    report, udn,
};

const CUDN: Kind = Kind::ClusterUserDefinedNetwork;
const UDN: Kind = Kind::UserDefinedNetwork;
const NAD: Kind = Kind::Nad;

/// All stories.
pub(crate) fn all() -> Vec<Story> {
    let made = [
        ("create", creation()),
        ("selector-change", selector_change()),
        ("label-change", label_change()),
        ("drift", drift()),
        ("nad-deleted-by-hand", deleted_by_hand()),
        ("restart-with-other-settings", restart()),
        ("rivals", rivals()),
        ("made-again-under-the-same-name", made_again()),
        ("nodes-and-reports", nodes()),
        ("delete-network-first", delete_network_first()),
        ("delete-namespace-first", delete_namespace_first()),
        ("delete-nad-first", delete_nad_first()),
        ("delete-pods-first", delete_pods_first()),
        ("delete-all-at-once", delete_all_at_once()),
        ("delete-while-stopped", delete_while_stopped()),
        ("maker-forced-away", maker_forced_away()),
        ("nobody-selected-over-a-restart", nobody_selected()),
        ("garbage", garbage()),
    ];
    let plain = made.map(|(name, acts)| Story { name, settings: <_>::default(), acts });
    plain.into_iter().chain([exhaustion(), keys_exhausted()]).collect()
}

/// Two namespaces of team blue with a primary network, and a UDN beside them.
fn blue() -> Vec<Act> {
    vec![
        Create(primary_namespace("blue-1", "blue")),
        Create(primary_namespace("blue-2", "blue")),
        Create(primary_namespace("green", "green")),
        Create(cudn("blue", "blue", layer2("Primary", &["10.10.0.0/16", "fd10::/64"]))),
        Create(udn("green", "green", layer2("Primary", &["10.20.0.0/16"]))),
        Settle,
    ]
}

fn after_blue(acts: Vec<Act>) -> Vec<Act> {
    [blue(), acts, vec![Settle]].concat()
}

fn creation() -> Vec<Act> {
    let written = json!({ "cniVersion": "1.1.0", "type": "ovn-k8s-cni-overlay", "name": "by-hand",
        "topology": "layer2", "role": "primary", "subnets": "10.30.0.0/16",
        "netAttachDefName": "red/by-hand" });
    let everywhere = cudn_for("storage", json!({}), localnet("physnet", 7, &["192.168.7.0/24"]));
    after_blue(vec![
        Create(primary_namespace("red", "red")),
        Create(nad("red", "by-hand", &written.to_string())),
        Create(everywhere),
        Create(node("node-1")),
        Create(node("node-2")),
        Create(cudn("plain", "blue", layer2("Secondary", &["10.40.0.0/24"]))),
    ])
}

fn selector_change() -> Vec<Act> {
    let to = |selector: Value| {
        Patch(CUDN, "", "blue", json!({ "spec": { "namespaceSelector": selector } }))
    };
    let either = json!({ "matchLabels": null,
        "matchExpressions": [{ "key": "team", "operator": "In", "values": ["blue", "red"] }] });
    let none = json!({ "matchExpressions": [{ "key": "team", "operator": "DoesNotExist" },
        { "key": "kubernetes.io/metadata.name", "operator": "NotIn",
          "values": ["default", "kube-system", "kube-public", "kube-node-lease", "ovn-kubernetes"] }] });
    after_blue(vec![
        Create(primary_namespace("red", "red")),
        to(either),
        Settle,
        to(json!({ "matchExpressions": null, "matchLabels": { "team": "red" } })),
        Settle,
        to(json!({ "matchLabels": null, "matchExpressions": none["matchExpressions"] })),
        Settle,
        to(json!({ "matchExpressions": null, "matchLabels": { "team": "blue" } })),
    ])
}

fn label_change() -> Vec<Act> {
    let team = |name, team| {
        Patch(Kind::Namespace, "", name, json!({ "metadata": { "labels": { "team": team } } }))
    };
    after_blue(vec![
        Create(primary_namespace("later", "none")),
        team("later", json!("blue")),
        team("blue-1", json!("none")),
        Settle,
        team("blue-1", json!("blue")),
        team("blue-2", Value::Null),
    ])
}

fn drift() -> Vec<Act> {
    let change = |namespace, name, patch| Patch(NAD, namespace, name, patch);
    let annotations = json!({ NETWORK_ID: "77", TUNNEL_KEYS: "[5,6]", MEDDLED: "yes" });
    after_blue(vec![
        change("blue-1", "blue", json!({ "spec": { "config": "{}" } })),
        change(
            "blue-2",
            "blue",
            json!({ "metadata": { "labels": { "k8s.ovn.org/user-defined-network": "no", "x": "y" } } }),
        ),
        Settle,
        change("green", "green", json!({ "metadata": { "annotations": annotations } })),
        change("blue-1", "blue", json!({ "metadata": { "finalizers": null } })),
        Settle,
        change("blue-2", "blue", json!({ "metadata": { "ownerReferences": null } })),
        Patch(
            CUDN,
            "",
            "blue",
            json!({ "metadata": { "labels": { "copied": "yes" }, "annotations": { "copied": "too" } } }),
        ),
    ])
}

fn deleted_by_hand() -> Vec<Act> {
    after_blue(vec![
        Delete(NAD, "blue-1", "blue"),
        Settle,
        Create(attached_pod("blue-2", "guest", &["blue-2/blue"])),
        Delete(NAD, "blue-2", "blue"),
        Settle,
        Delete(Kind::Pod, "blue-2", "guest"),
    ])
}

fn restart() -> Vec<Act> {
    let subnet = |text| Subnet::parse(text).expect("it is a subnet");
    let join = PerFamily { v4: Some(subnet("100.70.0.0/16")), v6: Some(subnet("fd70::/64")) };
    let transit = PerFamily { v4: Some(subnet("100.90.0.0/16")), v6: Some(subnet("fd90::/64")) };
    let other = ClusterSettings { join, transit, ..ClusterSettings::default() };
    after_blue(vec![
        // A NAD carries the settings of the time when it is made.
        Served,
        Stop,
        Start(Some(Box::new(other))),
        Create(primary_namespace("blue-3", "blue")),
        Create(primary_namespace("late", "late")),
        Create(cudn("late", "late", layer2("Primary", &["10.50.0.0/16"]))),
        Settle,
        Patch(NAD, "blue-1", "blue", json!({ "spec": { "config": "{}" } })),
    ])
}

fn rivals() -> Vec<Act> {
    let foreign = json!({ "cniVersion": "1.1.0", "type": "bridge", "name": "x" }).to_string();
    after_blue(vec![
        Create(namespace("bare", &[("team", "blue")])),
        Create(cudn("second", "blue", layer2("Primary", &["10.60.0.0/16"]))),
        Create(primary_namespace("taken", "third")),
        Create(nad("taken", "third", &foreign)),
        Create(primary_namespace("free", "third")),
        Create(cudn("third", "third", layer2("Primary", &["10.61.0.0/16"]))),
        Settle,
        Delete(NAD, "taken", "third"),
        Delete(CUDN, "", "blue"),
    ])
}

fn made_again() -> Vec<Act> {
    after_blue(vec![
        Delete(CUDN, "", "blue"),
        Settle,
        Create(cudn("blue", "blue", layer2("Primary", &["10.11.0.0/16"]))),
        Settle,
        Delete(UDN, "green", "green"),
        Settle,
        Create(udn("green", "green", layer2("Primary", &["10.21.0.0/16"]))),
    ])
}

fn nodes() -> Vec<Act> {
    let has = |mtu: u32| {
        json!({ "programmedUpTo": "100000000",
        "physicalNetworks": [{ "name": "physnet", "bridge": "br-ex", "mtu": mtu }] })
    };
    after_blue(vec![
        Create(cudn("storage", "blue", localnet("physnet", 7, &["192.168.7.0/24"]))),
        Create(node("node-1")),
        Create(node("node-2")),
        Create(report("node-1", has(1500))),
        Settle,
        Create(report("node-2", has(1400))),
        Settle,
        Status(Kind::Report, "", "node-2", has(9000)),
        Delete(Kind::Node, "", "node-1"),
        Delete(Kind::Report, "", "node-1"),
    ])
}

fn attached_pods() -> Vec<Act> {
    let done = json!({ "phase": "Succeeded" });
    vec![
        Create(attached_pod("blue-1", "guest", &["blue-1/blue"])),
        Create(attached_pod("green", "guest", &["green/green"])),
        Create(attached_pod("blue-2", "done", &["blue-2/blue"])),
        Status(Kind::Pod, "blue-2", "done", done),
    ]
}

fn pods_leave() -> Vec<Act> {
    vec![Delete(Kind::Pod, "blue-1", "guest"), Delete(Kind::Pod, "green", "guest")]
}

fn networks_leave() -> Vec<Act> {
    vec![Delete(CUDN, "", "blue"), Delete(UDN, "green", "green")]
}

fn namespaces_leave() -> Vec<Act> {
    ["blue-1", "blue-2", "green"].map(|name| Delete(Kind::Namespace, "", name)).into()
}

fn nads_leave() -> Vec<Act> {
    [("blue-1", "blue"), ("blue-2", "blue"), ("green", "green")]
        .map(|(namespace, name)| Delete(NAD, namespace, name))
        .into()
}

fn in_order(parts: Vec<Vec<Act>>) -> Vec<Act> {
    let parts = parts.into_iter().map(|part| [part, vec![Settle]].concat());
    [blue(), attached_pods(), parts.collect::<Vec<_>>().concat()].concat()
}

fn delete_network_first() -> Vec<Act> {
    in_order(vec![networks_leave(), pods_leave(), namespaces_leave()])
}

fn delete_namespace_first() -> Vec<Act> {
    in_order(vec![namespaces_leave(), pods_leave(), networks_leave()])
}

fn delete_nad_first() -> Vec<Act> {
    in_order(vec![nads_leave(), networks_leave(), pods_leave(), namespaces_leave()])
}

fn delete_pods_first() -> Vec<Act> {
    in_order(vec![pods_leave(), nads_leave(), namespaces_leave(), networks_leave()])
}

fn delete_all_at_once() -> Vec<Act> {
    in_order(vec![[networks_leave(), namespaces_leave(), nads_leave(), pods_leave()].concat()])
}

fn delete_while_stopped() -> Vec<Act> {
    let all = [vec![Stop], namespaces_leave(), pods_leave(), networks_leave()].concat();
    in_order(vec![[all, vec![Start(None)]].concat()])
}

fn late() -> Vec<Act> {
    vec![
        Create(primary_namespace("late", "late")),
        Create(cudn("late", "late", layer2("Primary", &["10.50.0.0/16"]))),
        Settle,
    ]
}

/// Somebody takes the finalizer off a CUDN whose NAD is in use: the numbers are not free before
/// the NAD is gone.
fn maker_forced_away() -> Vec<Act> {
    let guest = Create(attached_pod("blue-1", "guest", &["blue-1/blue"]));
    let force = Patch(CUDN, "", "blue", json!({ "metadata": { "finalizers": null } }));
    let acts = vec![Stop, guest, Start(None), Settle, Delete(CUDN, "", "blue"), Settle, force];
    let end = vec![Delete(Kind::Pod, "blue-1", "guest")];
    after_blue([acts, vec![Settle], late(), end].concat())
}

/// Without NADs the numbers stand in the status alone; a new controller must not give them to others.
fn nobody_selected() -> Vec<Act> {
    let to = |team: &str| {
        let selector = json!({ "matchLabels": { "team": team } });
        Patch(CUDN, "", "blue", json!({ "spec": { "namespaceSelector": selector } }))
    };
    let acts = vec![to("nobody"), Settle, Stop, Start(None), Settle];
    after_blue([acts, late(), vec![to("blue")]].concat())
}

fn garbage() -> Vec<Act> {
    let bad = json!({ "type": "ovn-k8s-cni-overlay", "name": "odd", "topology": "layer2",
        "role": "primary", "subnets": "10.30.0.0/99", "netAttachDefName": "green/odd" });
    let torn = r#"{"type":"ovn-k8s-cni-overlay","name":"#;
    after_blue(vec![
        Create(nad("green", "odd", &bad.to_string())),
        Create(nad("green", "torn", torn)),
        Create(cudn("overlapping", "blue", layer2("Secondary", &["172.30.0.0/24"]))),
        Settle,
        Delete(NAD, "green", "odd"),
        Delete(CUDN, "", "overlapping"),
    ])
}

/// Small pools: a network waits until another has gone.
fn exhaustion() -> Story {
    let mut settings = ClusterSettings::default();
    settings.pools.last_network = 2;
    let acts = after_blue(vec![
        Create(primary_namespace("late", "late")),
        Create(cudn("late", "late", layer2("Primary", &["10.50.0.0/16"]))),
        Settle,
        Delete(UDN, "green", "green"),
    ]);
    Story { name: "ids-exhausted", settings, acts }
}

fn keys_exhausted() -> Story {
    let mut settings = ClusterSettings::default();
    settings.pools.last_tunnel_key = 16_715_779 + 1;
    let acts = after_blue(vec![
        Create(primary_namespace("late", "late")),
        Create(cudn("late", "late", layer2("Primary", &["10.50.0.0/16"]))),
        Create(cudn("plain", "late", layer2("Secondary", &["10.51.0.0/16"]))),
        Settle,
        Delete(CUDN, "", "blue"),
    ]);
    Story { name: "keys-exhausted", settings, acts }
}

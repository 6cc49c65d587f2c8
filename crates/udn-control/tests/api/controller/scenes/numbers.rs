//! Ids, keys and transit subnets: who gets which, and that they stay.
//!
//! Invariant: every scene names its objects after itself.

use serde_json::{Value, json};
use udn_model::settings::PoolSettings;
use udn_model::{ClusterSettings, PerFamily, Subnet};
use udn_wire::Kind;
use udn_wire::keys::{NETWORK_ID, NETWORK_NAME, NODE_ID, TUNNEL_KEYS};

use super::{
    CUDN, NAD, clear, condition, config, created, is, start_controller, start_controller_with,
};
use crate::kit::objects::{cudn, layer2, nad, node, primary_namespace};
use crate::kit::server::Site;

fn annotation<'a>(object: &'a Value, key: &str) -> &'a str {
    object["metadata"]["annotations"][key].as_str().unwrap_or_default()
}

fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).expect("it is a subnet")
}

/// A published number never changes, and other defaults are for new networks only.
pub(crate) async fn stay_through_restarts_and_other_settings(site: &Site) {
    let controller = start_controller(site);
    for name in ["stay-1", "stay-2"] {
        site.create(primary_namespace(name, name)).await;
        site.create(cudn(name, name, layer2("Primary", &["10.10.0.0/16"]))).await;
        created(site, CUDN, "", name).await;
    }
    let before =
        [site.read(NAD, "stay-1", "stay-1").await, site.read(NAD, "stay-2", "stay-2").await];
    let (first, second) = (before[0].clone().expect("made"), before[1].clone().expect("made"));
    assert_ne!(annotation(&first, NETWORK_ID), annotation(&second, NETWORK_ID));
    let keys: Vec<u32> = serde_json::from_str(annotation(&first, TUNNEL_KEYS)).expect("a list");
    let id: u32 = annotation(&first, NETWORK_ID).parse().expect("a number");
    assert_eq!(keys[0], 16_711_683 + id);
    assert!(keys[1] >= 16_715_779 && keys.len() == 2, "{keys:?}");
    controller.stop().await;
    let other = ClusterSettings {
        join: PerFamily { v4: Some(subnet("100.70.0.0/16")), v6: Some(subnet("fd70::/64")) },
        transit: PerFamily { v4: Some(subnet("100.90.0.0/16")), v6: Some(subnet("fd90::/64")) },
        ..ClusterSettings::default()
    };
    let controller = start_controller_with(site, other);
    site.create(primary_namespace("stay-3", "stay-3")).await;
    site.create(cudn("stay-3", "stay-3", layer2("Primary", &["10.10.0.0/16"]))).await;
    created(site, CUDN, "", "stay-3").await;
    let third = site.read(NAD, "stay-3", "stay-3").await.expect("made");
    assert_eq!(config(&third)["joinSubnet"], "100.70.0.0/16,fd70::/64");
    assert_eq!(config(&third)["transitSubnet"], "100.90.0.0/16");
    let after =
        [site.read(NAD, "stay-1", "stay-1").await, site.read(NAD, "stay-2", "stay-2").await];
    assert_eq!(after, before);
    // A second namespace of a living network gets what the first has.
    site.create(primary_namespace("stay-4", "stay-1")).await;
    let joined = site.until_it((NAD, "stay-4", "stay-1"), "made", Value::is_object).await;
    assert_eq!(config(&joined)["joinSubnet"], config(&first)["joinSubnet"]);
    for key in [NETWORK_ID, TUNNEL_KEYS, NETWORK_NAME] {
        assert_eq!(annotation(&joined, key), annotation(&first, key));
    }
    let networks = ["stay-1", "stay-2", "stay-3"].map(|name| (CUDN, "", name));
    clear(site, &networks, &["stay-1", "stay-2", "stay-3", "stay-4"]).await;
    controller.stop().await;
}

/// A NAD that somebody wrote gets numbers like any other, and nothing else.
pub(crate) async fn of_hand_written_nads(site: &Site) {
    let controller = start_controller(site);
    site.create(primary_namespace("hand", "hand")).await;
    let text = json!({ "cniVersion": "1.1.0", "type": "ovn-k8s-cni-overlay", "name": "by-hand",
        "topology": "layer2", "role": "primary", "subnets": "10.10.0.0/16",
        "netAttachDefName": "hand/mine" })
    .to_string();
    site.create(nad("hand", "mine", &text)).await;
    let is_numbered = |it: &Value| !annotation(it, NETWORK_ID).is_empty();
    let made = site.until_it((NAD, "hand", "mine"), "numbered", is_numbered).await;
    assert_eq!(annotation(&made, NETWORK_NAME), "by-hand");
    let keys: Vec<u32> = serde_json::from_str(annotation(&made, TUNNEL_KEYS)).expect("a list");
    assert_eq!(keys.len(), 2);
    assert_eq!(made["spec"]["config"], text.as_str());
    assert_eq!(made["metadata"]["finalizers"], Value::Null);
    site.create(nad("hand", "torn", r#"{"type":"ovn-k8s-cni-overlay","#)).await;
    site.until("an event about a NAD that cannot be read", async || {
        site.has_event("NetworkAttachmentDefinition", "torn").await
    })
    .await;
    // Further reconciles of the same NAD tell it no second time.
    for count in ["1", "2", "3"] {
        let label = json!({ "metadata": { "labels": { "count": count } } });
        site.patch(NAD, "hand", "torn", label).await;
    }
    site.create(nad("hand", "torn-too", r#"{"type":"ovn-k8s-cni-overlay","#)).await;
    site.until("an event about the NAD after it", async || {
        site.events("NetworkAttachmentDefinition", "torn-too").await > 0
    })
    .await;
    assert_eq!(site.events("NetworkAttachmentDefinition", "torn").await, 1);
    let all = ["mine", "torn", "torn-too"].map(|name| (NAD, "hand", name));
    clear(site, &all, &["hand"]).await;
    controller.stop().await;
}

/// Pools that are too small: told with the limit, and mended by who leaves; the limits are in the
/// manual.
// proves: T-09
pub(crate) async fn that_run_out_are_told(site: &Site) {
    let most = PoolSettings::default();
    let manual = include_str!("../../../../../../docs/controller.md");
    for limit in [
        format!("`--max-networks` (at most {}", most.last_network),
        format!("`--max-nodes` (at most {}", most.last_node),
        format!("`--max-tunnel-key` (at most {}", most.last_tunnel_key),
    ] {
        assert!(manual.contains(&limit), "docs/controller.md lacks {limit}");
    }
    let ids = PoolSettings { last_network: 1, ..most };
    let told = "all 1 network ids that --max-networks allows are in use; delete networks that are not \
                needed, or raise it, to at most 4095";
    runs_out(site, ids, &["Primary", "Secondary"], told).await;
    let keys = PoolSettings { last_tunnel_key: 16_715_779, ..most };
    let told = "all 1 tunnel keys that --max-tunnel-key allows, from 16715779 to 16715779, are in use; \
                delete primary networks that are not needed, or raise it, to at most 16777215";
    runs_out(site, keys, &["Primary"], told).await;
}

/// There is room for one network of a role, and the second is told so.
async fn runs_out(site: &Site, pools: PoolSettings, roles: &[&str], want: &str) {
    let controller = start_controller_with(site, ClusterSettings { pools, ..<_>::default() });
    for role in roles {
        for name in ["few-1", "few-2"] {
            site.create(primary_namespace(name, name)).await;
        }
        site.create(cudn("few-1", "few-1", layer2(role, &["10.10.0.0/16", "fd10::/64"]))).await;
        created(site, CUDN, "", "few-1").await;
        site.create(cudn("few-2", "few-2", layer2(role, &["10.20.0.0/16", "fd20::/64"]))).await;
        let is_told = |it: &Value| is(it, "NetworkAllocationSucceeded", "False");
        let told = site.until_it((CUDN, "", "few-2"), "told", is_told).await;
        let allocation = condition(&told, "NetworkAllocationSucceeded");
        assert_eq!(allocation["reason"], "PoolExhausted", "{told:#}");
        assert_eq!(allocation["message"], want);
        site.until_told((CUDN, "", "few-2"), &[want]).await;
        assert_eq!(site.read(NAD, "few-2", "few-2").await, None);
        clear(site, &[(CUDN, "", "few-1")], &[]).await;
        created(site, CUDN, "", "few-2").await;
        clear(site, &[(CUDN, "", "few-2")], &["few-1", "few-2"]).await;
    }
    controller.stop().await;
}

/// A network on the default transit subnet gets another one, and its status tells which.
// proves: T-18
pub(crate) async fn transit_subnets_keep_clear(site: &Site) {
    let controller = start_controller(site);
    let cases = [
        ("transit-v4", vec!["100.88.0.0/16"], vec!["100.89.0.0/16"]),
        ("transit-v6", vec!["fd97::/64"], vec!["fd97:0:0:1::/64"]),
        (
            "transit-dual",
            vec!["100.88.0.0/15", "fd97::/63"],
            vec!["100.90.0.0/16", "fd97:0:0:2::/64"],
        ),
        (
            "transit-half",
            vec!["10.10.0.0/16", "fd97::/64"],
            vec!["100.88.0.0/16", "fd97:0:0:1::/64"],
        ),
    ];
    for (name, subnets, chosen) in &cases {
        site.create(primary_namespace(name, name)).await;
        site.create(cudn(name, name, layer2("Primary", subnets))).await;
        let told = created(site, CUDN, "", name).await;
        assert_eq!(told["status"]["transitSubnets"], json!(chosen), "{name}");
        let made = site.read(NAD, name, name).await.expect("made");
        assert_eq!(config(&made)["transitSubnet"], chosen.join(","), "{name}");
    }
    let networks = cases.each_ref().map(|(name, ..)| (CUDN, "", *name));
    clear(site, &networks, &cases.each_ref().map(|(name, ..)| *name)).await;
    controller.stop().await;
}

pub(crate) async fn of_nodes(site: &Site) {
    let controller = start_controller(site);
    let mut ids = Vec::new();
    for name in ["num-1", "num-2"] {
        let mut object = node(name);
        object["metadata"]["annotations"] =
            json!({ "k8s.ovn.org/node-gateway-router-lrp-ifaddrs": "{}" });
        site.create(object).await;
        let is_numbered = |it: &Value| !annotation(it, NODE_ID).is_empty();
        let numbered = site.until_it((Kind::Node, "", name), "numbered", is_numbered).await;
        let id: u8 = annotation(&numbered, NODE_ID).parse().expect("a number");
        let port = format!(r#"{{"ipv4":"100.88.0.{id}/16","ipv6":"fd97::{id:x}/64"}}"#);
        let written = annotation(&numbered, "k8s.ovn.org/node-transit-switch-port-ifaddr");
        assert_eq!(written, port);
        assert_eq!(annotation(&numbered, "k8s.ovn.org/node-gateway-router-lrp-ifaddrs"), "");
        ids.push(id);
    }
    assert!(ids[0] >= 2 && ids[0] != ids[1], "{ids:?}");
    clear(site, &[(Kind::Node, "", "num-1"), (Kind::Node, "", "num-2")], &[]).await;
    controller.stop().await;
}

//! NADs: where they are made, how they look, and that they stay so.
//!
//! Invariant: every scene names its objects after itself.

use serde_json::{Value, json};
use udn_wire::Kind;
use udn_wire::keys::{FINALIZER, MADE_LABEL};

use super::{CUDN, NAD, UDN, clear, condition, config, created, is, open, says};
use crate::kit::objects::{
    cudn, cudn_for, layer2, localnet, nad, namespace, primary_namespace, udn,
};
use crate::kit::server::Site;

/// All operators of selectors, and the empty one.
pub(super) async fn of_every_selector(site: &Site) {
    let controller = open(site);
    for (name, tier) in [("sel-a", "gold"), ("sel-b", "silver"), ("sel-c", "none")] {
        site.create(namespace(name, &[("tier", tier), ("sel", "yes")])).await;
    }
    let with = |expressions: Value| {
        let mut all = vec![json!({ "key": "sel", "operator": "Exists" })];
        all.extend(expressions.as_array().cloned().unwrap_or_default());
        json!({ "matchExpressions": all })
    };
    let tier = |operator: &str, values: Value| json!([{ "key": "tier", "operator": operator, "values": values }]);
    let cases = [
        ("sel-labels", json!({ "matchLabels": { "sel": "yes", "tier": "gold" } }), &["sel-a"][..]),
        ("sel-in", with(tier("In", json!(["gold", "silver"]))), &["sel-a", "sel-b"]),
        ("sel-not-in", with(tier("NotIn", json!(["gold"]))), &["sel-b", "sel-c"]),
        ("sel-absent", with(json!([{ "key": "tier", "operator": "DoesNotExist" }])), &[]),
        ("sel-exists", with(json!([])), &["sel-a", "sel-b", "sel-c"]),
    ];
    for (vlan, (name, selector, _)) in (100..).zip(&cases) {
        let network = localnet("physnet", vlan, &["192.168.7.0/24"]);
        site.create(cudn_for(name, selector.clone(), network)).await;
    }
    for (name, _, wanted) in &cases {
        let list = format!("namespaces: [{}]", wanted.join(", "));
        site.until_it((CUDN, "", name), &list, |it| says(it, "NetworkCreated", &list)).await;
        let all = site.all(NAD).await;
        let of_it = all.iter().filter(|it| it["metadata"]["name"] == *name);
        let found: Vec<&str> =
            of_it.filter_map(|it| it["metadata"]["namespace"].as_str()).collect();
        assert_eq!(found, *wanted, "{name}");
    }
    site.create(cudn_for("sel-all", json!({}), localnet("other", 7, &["192.168.7.0/24"]))).await;
    for name in ["sel-a", "sel-b", "sel-c", "default", "kube-system"] {
        site.until_it((NAD, name, "sel-all"), "made everywhere", Value::is_object).await;
    }
    let mut networks: Vec<_> = cases.iter().map(|(name, ..)| (CUDN, "", *name)).collect();
    networks.push((CUDN, "", "sel-all"));
    clear(site, &networks, &["sel-a", "sel-b", "sel-c"]).await;
    controller.close().await;
}

/// Namespaces that come, go, and change their labels.
pub(super) async fn follow_namespaces(site: &Site) {
    let controller = open(site);
    site.create(cudn("follow", "follow", localnet("physnet", 9, &["192.168.9.0/24"]))).await;
    site.create(namespace("follow-1", &[("team", "follow")])).await;
    site.create(namespace("follow-2", &[("team", "other")])).await;
    site.until_it((NAD, "follow-1", "follow"), "made", Value::is_object).await;
    let team = |team: &str| json!({ "metadata": { "labels": { "team": team } } });
    site.patch(Kind::Namespace, "", "follow-2", team("follow")).await;
    site.until_it((NAD, "follow-2", "follow"), "made", Value::is_object).await;
    site.patch(Kind::Namespace, "", "follow-1", team("none")).await;
    site.until_gone(NAD, "follow-1", "follow").await;
    site.delete(Kind::Namespace, "", "follow-2").await;
    site.until_gone(Kind::Namespace, "", "follow-2").await;
    let nothing = |it: &Value| says(it, "NetworkCreated", "namespaces: []");
    site.until_it((CUDN, "", "follow"), "for no namespace", nothing).await;
    clear(site, &[(CUDN, "", "follow")], &["follow-1"]).await;
    controller.close().await;
}

/// How a UDN's NAD looks, to the letter.
pub(super) async fn of_a_udn(site: &Site) {
    let controller = open(site);
    site.create(primary_namespace("solo", "solo")).await;
    let mut network = udn("solo", "net", layer2("Primary", &["10.10.0.0/16", "fd10::/64"]));
    network["metadata"]["labels"] = json!({ "team": "solo" });
    network["metadata"]["annotations"] = json!({ "note": "copied", "k8s.ovn.org/x": "not copied" });
    site.create(network).await;
    let told = created(site, UDN, "solo", "net").await;
    let message = "NetworkAttachmentDefinition has been created";
    assert_eq!(condition(&told, "NetworkCreated")["message"], message);
    assert_eq!(condition(&told, "NetworkCreated")["observedGeneration"], 1);
    let made = site.read(NAD, "solo", "net").await.expect("it was created");
    let text = made["spec"]["config"].as_str().expect("a text");
    assert_eq!(
        text,
        r#"{"cniVersion":"1.1.0","joinSubnet":"100.65.0.0/16,fd99::/64","name":"solo_net","netAttachDefName":"solo/net","role":"primary","subnets":"10.10.0.0/16,fd10::/64","topology":"layer2","transitSubnet":"100.88.0.0/16,fd97::/64","type":"ovn-k8s-cni-overlay"}"#
    );
    let metadata = &made["metadata"];
    assert_eq!(metadata["labels"], json!({ MADE_LABEL: "", "team": "solo" }));
    assert_eq!(metadata["finalizers"], json!([FINALIZER]));
    assert_eq!(metadata["annotations"]["note"], "copied");
    assert_eq!(metadata["annotations"]["k8s.ovn.org/x"], Value::Null);
    let owner = json!([{ "apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "name": "net",
        "uid": told["metadata"]["uid"], "controller": true, "blockOwnerDeletion": true }]);
    assert_eq!(metadata["ownerReferences"], owner);
    clear(site, &[(UDN, "solo", "net")], &["solo"]).await;
    controller.close().await;
}

/// Whatever is changed by hand comes back; a NAD that is deleted does so too.
pub(super) async fn drift_is_repaired(site: &Site) {
    let controller = open(site);
    site.create(namespace("drift", &[("team", "drift")])).await;
    site.create(cudn("drift", "drift", localnet("physnet", 11, &["192.168.11.0/24"]))).await;
    created(site, CUDN, "", "drift").await;
    let right = site.read(NAD, "drift", "drift").await.expect("it was created");
    let essence = |it: &Value| {
        let metadata = &it["metadata"];
        let parts = ["labels", "annotations", "finalizers", "ownerReferences"];
        let parts = parts.map(|part| metadata[part].clone());
        (it["spec"].clone(), parts)
    };
    let changes = [
        json!({ "spec": { "config": "{}" } }),
        json!({ "metadata": { "labels": { MADE_LABEL: "x", "extra": "x" } } }),
        json!({ "metadata": { "annotations": { "k8s.ovn.org/network-id": "99", "extra": "x" } } }),
        json!({ "metadata": { "finalizers": null } }),
        json!({ "metadata": { "ownerReferences": null } }),
    ];
    for change in changes {
        site.patch(NAD, "drift", "drift", change.clone()).await;
        let what = format!("to be as before {change}");
        site.until_it((NAD, "drift", "drift"), &what, |it| essence(it) == essence(&right)).await;
    }
    let uid = right["metadata"]["uid"].clone();
    site.delete(NAD, "drift", "drift").await;
    let is_new = |it: &Value| {
        it.is_object() && it["metadata"]["uid"] != uid && essence(it) == essence(&right)
    };
    site.until_it((NAD, "drift", "drift"), "made again", is_new).await;
    clear(site, &[(CUDN, "", "drift")], &["drift"]).await;
    controller.close().await;
}

/// A foreign NAD, another primary network, a missing label: told for that namespace only.
pub(super) async fn one_namespace_in_the_way_costs_no_other(site: &Site) {
    let controller = open(site);
    for name in ["way-1", "way-2", "way-3"] {
        site.create(primary_namespace(name, "way")).await;
    }
    site.create(namespace("way-4", &[("team", "way")])).await;
    site.create(nad("way-2", "way", r#"{"type":"bridge","name":"x"}"#)).await;
    site.create(udn("way-3", "first", layer2("Primary", &["10.9.0.0/16"]))).await;
    created(site, UDN, "way-3", "first").await;
    site.create(cudn("way", "way", layer2("Primary", &["10.10.0.0/16"]))).await;
    let told = site
        .until_it((CUDN, "", "way"), "told of three", |it| {
            is(it, "NetworkCreated", "False")
                && ["way-2", "way-3", "way-4"].iter().all(|it_| says(it, "NetworkCreated", it_))
        })
        .await;
    assert_eq!(
        condition(&told, "NetworkCreated")["reason"],
        "NetworkAttachmentDefinitionSyncError"
    );
    assert!(says(&told, "NetworkCreated", "following namespaces: [way-1]"), "{told:#}");
    let made = site.read(NAD, "way-1", "way").await.expect("it was created");
    assert_eq!(config(&made)["name"], "cluster_udn_way");
    for name in ["way-3", "way-4"] {
        assert_eq!(site.read(NAD, name, "way").await, None, "{name}");
    }
    site.delete(NAD, "way-2", "way").await;
    site.delete(UDN, "way-3", "first").await;
    for name in ["way-2", "way-3"] {
        site.until_it((NAD, name, "way"), "made at last", Value::is_object).await;
    }
    clear(site, &[(CUDN, "", "way")], &["way-1", "way-2", "way-3", "way-4"]).await;
    controller.close().await;
}

pub(super) async fn the_default_one_always_exists(site: &Site) {
    let controller = open(site);
    let right = json!({ "cniVersion": "1.1.0", "name": "ovn-kubernetes",
        "type": "ovn-k8s-cni-overlay" });
    let place = (NAD, "ovn-kubernetes", "default");
    let is_right = |it: &Value| it.is_object() && config(it) == right;
    site.until_it(place, "there", is_right).await;
    site.patch(NAD, "ovn-kubernetes", "default", json!({ "spec": { "config": "{}" } })).await;
    site.until_it(place, "repaired", is_right).await;
    let first = site.read(NAD, "ovn-kubernetes", "default").await.expect("it is there");
    site.delete(NAD, "ovn-kubernetes", "default").await;
    site.until_it(place, "there again", |it| {
        is_right(it) && it["metadata"]["uid"] != first["metadata"]["uid"]
    })
    .await;
    controller.close().await;
}

/// An object that no rule of the CRD has seen: no NAD, and the status says what is wrong.
pub(super) async fn what_bypassed_admission_is_told(site: &Site) {
    let controller = open(site);
    site.create(namespace("bad", &[("team", "bad")])).await;
    let mut network = localnet("physnet", 12, &["192.168.12.0/24"]);
    network["localnet"]["excludeSubnets"] = json!(["192.168.13.0/28"]);
    site.create_unruled(cudn("bad", "bad", network)).await;
    let told =
        site.until_it((CUDN, "", "bad"), "told", |it| is(it, "NetworkCreated", "False")).await;
    assert!(says(&told, "NetworkCreated", "192.168.13.0/28"), "{told:#}");
    assert_eq!(site.read(NAD, "bad", "bad").await, None);
    site.until("an event about it", async || {
        site.has_event("ClusterUserDefinedNetwork", "bad").await
    })
    .await;
    clear(site, &[(CUDN, "", "bad")], &["bad"]).await;
    controller.close().await;
}

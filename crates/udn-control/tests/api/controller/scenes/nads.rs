//! NADs: where they are made, how they look, and that they stay so.
//!
//! Invariant: every scene names its objects after itself.

use serde_json::{Value, json};
use udn_wire::Kind;
use udn_wire::keys::{FINALIZER, MADE_LABEL};

use super::{CUDN, NAD, UDN, clear, condition, config, created, is, says, start_controller};
use crate::kit::objects::{
    cudn, cudn_for, layer2, localnet, nad, namespace, primary_namespace, udn,
};
use crate::kit::server::Site;

/// All operators of selectors, and the empty one.
pub(crate) async fn of_every_selector(site: &Site) {
    let controller = start_controller(site);
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
    controller.stop().await;
}

/// Namespaces that come, go, and change their labels.
pub(crate) async fn follow_namespaces(site: &Site) {
    let controller = start_controller(site);
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
    controller.stop().await;
}

/// How a UDN's NAD looks, to the letter.
pub(crate) async fn of_a_udn(site: &Site) {
    let controller = start_controller(site);
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
    controller.stop().await;
}

/// How a CUDN's NADs look, where they are, and that success is told.
// proves: L-10, L-24
pub(crate) async fn of_a_cudn(site: &Site) {
    let controller = start_controller(site);
    for (name, team) in [("wide-1", "wide"), ("wide-2", "wide"), ("wide-3", "narrow")] {
        site.create(primary_namespace(name, team)).await;
    }
    let networks = [
        ("wide-layer2", layer2("Primary", &["10.10.0.0/16", "fd10::/64"])),
        ("wide-localnet", localnet("physnet", 10, &["192.168.10.0/24", "fd11::/64"])),
    ];
    for (name, network) in &networks {
        let made = site.create(cudn(name, "wide", network.clone())).await;
        let told = created(site, CUDN, "", name).await;
        let success = condition(&told, "NetworkCreated");
        assert_eq!(success["reason"], "NetworkAttachmentDefinitionCreated");
        assert_eq!(
            success["message"],
            "NetworkAttachmentDefinition has been created in following namespaces: [wide-1, wide-2]"
        );
        let all = site.all(NAD).await;
        let of_it: Vec<&Value> = all.iter().filter(|it| it["metadata"]["name"] == *name).collect();
        let places: Vec<&Value> = of_it.iter().map(|it| &it["metadata"]["namespace"]).collect();
        assert_eq!(places, ["wide-1", "wide-2"]);
        for nad in of_it {
            let metadata = &nad["metadata"];
            let finalizer = "k8s.ovn.org/user-defined-network-protection";
            assert_eq!(metadata["finalizers"], json!([finalizer]));
            assert_eq!(metadata["labels"], json!({ "k8s.ovn.org/user-defined-network": "" }));
            let owner = json!([{ "apiVersion": "k8s.ovn.org/v1",
                "kind": "ClusterUserDefinedNetwork", "name": name,
                "uid": made["metadata"]["uid"], "controller": true, "blockOwnerDeletion": true }]);
            assert_eq!(metadata["ownerReferences"], owner);
        }
    }
    let networks = networks.map(|(name, _)| (CUDN, "", name));
    clear(site, &networks, &["wide-1", "wide-2", "wide-3"]).await;
    controller.stop().await;
}

/// Whatever is changed by hand comes back; a NAD that is deleted does so too.
pub(crate) async fn drift_is_repaired(site: &Site) {
    let controller = start_controller(site);
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
    controller.stop().await;
}

/// A foreign NAD, another primary network, a missing label: told for that namespace only.
pub(crate) async fn one_namespace_in_the_way_costs_no_other(site: &Site) {
    let controller = start_controller(site);
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
    controller.stop().await;
}

// proves: A-19
pub(crate) async fn the_default_one_always_exists(site: &Site) {
    let controller = start_controller(site);
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
    controller.stop().await;
}

/// Refused at admission; and where no rule of the CRD has seen it: no NAD, and the status says which
/// item is wrong and why.
// proves: L-09, L-23
pub(crate) async fn what_bypassed_admission_is_told(site: &Site) {
    let controller = start_controller(site);
    site.create(namespace("bad", &[("team", "bad")])).await;
    let (v4, v6) = ("192.168.12.0/24", "fd12::/64");
    let cases = [
        ("bad-v4", vec![v4], vec!["192.168.13.0/28"], vec![0]),
        ("bad-v6", vec![v6], vec!["fd13::/120"], vec![0]),
        (
            "bad-dual",
            vec![v4, v6],
            vec!["192.168.12.0/28", "fd13::/120", "192.168.13.0/28"],
            vec![1, 2],
        ),
    ];
    for (name, subnets, excluded, wrong) in &cases {
        let mut network = localnet("physnet", 12, subnets);
        network["localnet"]["excludeSubnets"] = json!(excluded);
        let object = cudn(name, "bad", network);
        let refusal = site.try_create(object.clone()).await.expect_err("admission sees it");
        let why =
            "excludeSubnets must be subnetworks of the networks specified in the subnets field";
        assert!(refusal.to_string().contains(why), "{refusal}");
        site.create_unruled(object).await;
        let is_refused = |it: &Value| is(it, "NetworkCreated", "False");
        let told = site.until_it((CUDN, "", name), "told", is_refused).await;
        let item = |index: &usize| {
            format!(
                "{} lies in none of the subnets ({}); \
                 choose one inside or remove it",
                excluded[*index],
                subnets.join(", ")
            )
        };
        let want: Vec<String> = wrong.iter().map(item).collect();
        let created = condition(&told, "NetworkCreated");
        assert_eq!(created["reason"], "NetworkAttachmentDefinitionSyncError");
        assert_eq!(created["message"], want.join("; "));
        let nads = site.all(NAD).await;
        assert!(!nads.iter().any(|it| it["metadata"]["name"] == *name), "{nads:#?}");
        site.until_told((CUDN, "", name), &[&want[0]]).await;
        clear(site, &[(CUDN, "", name)], &[]).await;
    }
    clear(site, &[], &["bad"]).await;
    controller.stop().await;
}

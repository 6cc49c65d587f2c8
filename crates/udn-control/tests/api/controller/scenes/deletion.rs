//! The end of networks: it comes in any order, and never under a living pod.
//!
//! Invariant: nobody takes a finalizer off by hand.

use serde_json::{Value, json};
use udn_wire::Kind;

use super::{CUDN, NAD, UDN, clear, created, is, open, says};
use crate::kit::objects::{attached_pod, cudn, layer2, primary_namespace, udn};
use crate::kit::server::Site;

const POD: Kind = Kind::Pod;
const NAMESPACE: Kind = Kind::Namespace;

async fn build(site: &Site) {
    for name in ["end-1", "end-2"] {
        site.create(primary_namespace(name, "end")).await;
    }
    site.create(primary_namespace("end-3", "none")).await;
    site.create(cudn("end", "end", layer2("Primary", &["10.10.0.0/16"]))).await;
    site.create(udn("end-3", "end", layer2("Primary", &["10.10.0.0/16"]))).await;
    created(site, CUDN, "", "end").await;
    created(site, UDN, "end-3", "end").await;
    site.create(attached_pod("end-1", "guest", &["end-1/end"])).await;
}

/// Everything in every order of a few: what is asked to go goes, whoever is asked first.
pub(super) async fn in_every_order(site: &Site) {
    let controller = open(site);
    let networks = [(CUDN, "", "end"), (UDN, "end-3", "end")];
    let nads = [(NAD, "end-1", "end"), (NAD, "end-2", "end"), (NAD, "end-3", "end")];
    let namespaces = [(NAMESPACE, "", "end-1"), (NAMESPACE, "", "end-2"), (NAMESPACE, "", "end-3")];
    let pods = [(POD, "end-1", "guest")];
    let parts: [&[(Kind, &str, &str)]; 4] = [&networks, &nads, &namespaces, &pods];
    for order in [[0, 1, 2, 3], [2, 0, 1, 3], [1, 2, 3, 0], [3, 2, 1, 0], [2, 3, 0, 1]] {
        build(site).await;
        let wanted = order.into_iter().flat_map(|part| parts[part]);
        for (kind, namespace, name) in wanted.clone() {
            site.delete(*kind, namespace, name).await;
        }
        for (kind, namespace, name) in wanted {
            site.until_gone(*kind, namespace, name).await;
        }
    }
    controller.close().await;
}

/// A running pod keeps its NAD; one that has ended does not.
pub(super) async fn waits_for_living_pods(site: &Site) {
    let controller = open(site);
    build(site).await;
    site.create(attached_pod("end-2", "done", &["end-2/end"])).await;
    site.patch_status(POD, "end-2", "done", json!({ "phase": "Failed" })).await;
    site.delete(CUDN, "", "end").await;
    let told = site
        .until_it((CUDN, "", "end"), "told who blocks", |it| {
            says(it, "NetworkCreated", "in use by the following pods: [end-1/guest]")
        })
        .await;
    assert!(is(&told, "NetworkCreated", "False"));
    site.until_gone(NAD, "end-2", "end").await;
    let kept = site.read(NAD, "end-1", "end").await.expect("a pod uses it");
    assert_eq!(kept["metadata"].get("deletionTimestamp"), None);
    site.patch_status(POD, "end-1", "guest", json!({ "phase": "Succeeded" })).await;
    site.until_gone(CUDN, "", "end").await;
    let all = site.all(NAD).await;
    let left = all.iter().filter(|it| it["metadata"]["name"] == "end");
    let left: Vec<&Value> = left.map(|it| &it["metadata"]["namespace"]).collect();
    assert_eq!(left, ["end-3"]);
    clear(site, &[(UDN, "end-3", "end")], &["end-1", "end-2", "end-3"]).await;
    controller.close().await;
}

/// What was deleted while no controller worked goes when one does.
pub(super) async fn while_nobody_works(site: &Site) {
    let controller = open(site);
    build(site).await;
    controller.close().await;
    for name in ["end-1", "end-2", "end-3"] {
        site.delete(NAMESPACE, "", name).await;
    }
    site.delete(CUDN, "", "end").await;
    site.delete(POD, "end-1", "guest").await;
    let controller = open(site);
    for name in ["end-1", "end-2", "end-3"] {
        site.until_gone(NAMESPACE, "", name).await;
    }
    site.until_gone(CUDN, "", "end").await;
    controller.close().await;
}

//! The end of networks: it comes in any order, and never under a living pod.
//!
//! Invariant: nobody takes a finalizer off by hand.

use futures_util::future::join_all;
use serde_json::{Value, json};
use udn_wire::Kind;

use super::{CUDN, NAD, UDN, clear, created, is, says, start_controller};
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

/// All orders of the four parts: what is asked to go goes, whoever is asked first; and so does what is
/// asked to go while no controller works.
// proves: X-02
pub(crate) async fn in_every_order(site: &Site) {
    let orders = orders();
    assert_eq!(orders.len(), 24);
    let controller = start_controller(site);
    join_all(orders.iter().map(|order| async {
        let set = Set::build(site, order).await;
        set.delete(site, order).await;
        set.gone(site).await;
    }))
    .await;
    let sets = join_all(orders.iter().map(|order| Set::build(site, order))).await;
    controller.stop().await;
    join_all(sets.iter().zip(&orders).map(|(set, order)| set.delete(site, order))).await;
    let controller = start_controller(site);
    join_all(sets.iter().map(|set| set.gone(site))).await;
    controller.stop().await;
    let left: Vec<Value> = site.all(NAD).await;
    let is_ours =
        |it: &&Value| it["metadata"]["name"].as_str().is_some_and(|it| it.starts_with("end"));
    assert_eq!(left.iter().find(is_ours), None);
}

/// Which part goes when: the four numbers in every order.
fn orders() -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..4 {
        let longer = |order: &Vec<usize>| {
            let rest = (0..4).filter(|part| !order.contains(part));
            rest.map(|part| [&order[..], &[part]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

/// A CUDN and a UDN, each with its namespace, NAD and pod, named after the order in which they go.
struct Set {
    name: String,
    other: String,
}

impl Set {
    async fn build(site: &Site, order: &[usize]) -> Self {
        let digits: String = order.iter().map(ToString::to_string).collect();
        let (name, other) = (format!("end-{digits}"), format!("end-{digits}-udn"));
        let network = layer2("Primary", &["10.10.0.0/16", "fd10::/64"]);
        site.create(primary_namespace(&name, &name)).await;
        site.create(primary_namespace(&other, "none")).await;
        site.create(cudn(&name, &name, network.clone())).await;
        site.create(udn(&other, &name, network)).await;
        created(site, CUDN, "", &name).await;
        created(site, UDN, &other, &name).await;
        for namespace in [&name, &other] {
            let pod = attached_pod(namespace, "guest", &[&format!("{namespace}/{name}")]);
            site.create(pod).await;
        }
        Self { name, other }
    }

    /// Networks, NADs, namespaces, pods.
    fn parts(&self) -> [[(Kind, &str, &str); 2]; 4] {
        let Self { name, other } = self;
        [
            [(CUDN, "", name), (UDN, other, name)],
            [(NAD, name, name), (NAD, other, name)],
            [(NAMESPACE, "", name), (NAMESPACE, "", other)],
            [(POD, name, "guest"), (POD, other, "guest")],
        ]
    }

    async fn delete(&self, site: &Site, order: &[usize]) {
        let parts = self.parts();
        for (kind, namespace, name) in order.iter().flat_map(|part| &parts[*part]) {
            site.delete(*kind, namespace, name).await;
        }
    }

    async fn gone(&self, site: &Site) {
        for (kind, namespace, name) in self.parts().as_flattened() {
            site.until_gone(*kind, namespace, name).await;
        }
    }
}

/// A running pod keeps its NAD; one that has ended does not.
pub(crate) async fn waits_for_living_pods(site: &Site) {
    let controller = start_controller(site);
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
    controller.stop().await;
}

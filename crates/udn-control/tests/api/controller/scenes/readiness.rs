//! What the nodes say, in the status of networks.
//!
//! Invariant: every scene names its objects after itself.

use serde_json::{Value, json};
use udn_wire::Kind;

use super::{CUDN, clear, condition, is, says, start_controller};
use crate::kit::objects::{cudn, localnet, namespace, node, report};
use crate::kit::server::Site;

/// Per node: whether the physical network is there, its MTU, and who else uses the VLAN.
pub(crate) async fn of_localnets(site: &Site) {
    let controller = start_controller(site);
    site.create(namespace("local", &[("team", "local")])).await;
    site.create(cudn("local", "local", localnet("tenant", 7, &["192.168.7.0/24"]))).await;
    let place = (CUDN, "", "local");
    site.until_it(place, "without nodes", |it| is(it, "Ready", "Unknown")).await;
    let has = |name: &str, mtu: u32| {
        json!({ "programmedUpTo": "999999999",
        "physicalNetworks": [{ "name": name, "bridge": "br-1", "mtu": mtu }] })
    };
    for name in ["local-1", "local-2"] {
        site.create(node(name)).await;
    }
    site.create(report("local-1", has("tenant", 1500))).await;
    site.create(report("local-2", has("other", 1500))).await;
    let told = site
        .until_it(place, "one node lacks it", |it| {
            // A report stands without its status first, and lacks every network then.
            it["status"]["nodes"]["ready"] == 1
                && says(it, "Ready", "local-2 (PhysicalNetworkMissing")
                && says(it, "Ready", "other")
        })
        .await;
    assert!(is(&told, "Ready", "False"));
    let problem = &told["status"]["nodes"]["problems"][0];
    assert_eq!(problem["node"], "local-2");
    assert!(problem["message"].as_str().is_some_and(|it| it.contains("other")), "{problem}");
    assert_eq!(told["status"]["nodes"]["ready"], 1);
    site.patch_status(Kind::Report, "", "local-2", has("tenant", 1400)).await;
    site.until_it(place, "MTU", |it| says(it, "Ready", "local-2 (MtuTooSmall")).await;
    site.patch_status(Kind::Report, "", "local-2", has("tenant", 9000)).await;
    site.until_it(place, "ready", |it| is(it, "Ready", "True")).await;
    site.create(cudn("local-too", "local", localnet("tenant", 7, &["192.168.8.0/24"]))).await;
    let shared = |it: &Value| condition(it, "Degraded")["reason"] == "VlanShared";
    site.until_it((CUDN, "", "local-too"), "told of the shared VLAN", shared).await;
    site.delete(Kind::Report, "", "local-1").await;
    site.until_it(place, "no report", |it| says(it, "Ready", "local-1 (NoReport")).await;
    let nodes = [
        (Kind::Node, "", "local-1"),
        (Kind::Node, "", "local-2"),
        (Kind::Report, "", "local-2"),
        (CUDN, "", "local"),
        (CUDN, "", "local-too"),
    ];
    clear(site, &nodes, &["local"]).await;
    controller.stop().await;
}

/// What others say in a status stays, whatever the controller writes.
pub(crate) async fn other_writers_conditions_stay(site: &Site) {
    let controller = start_controller(site);
    site.create(namespace("guest", &[("team", "guest")])).await;
    site.create(cudn("guest", "guest", localnet("tenant", 8, &["192.168.8.0/24"]))).await;
    let place = (CUDN, "", "guest");
    site.until_it(place, "created", |it| is(it, "NetworkCreated", "True")).await;
    let theirs = json!({ "type": "TransportAccepted", "status": "True", "reason": "Theirs",
        "message": "theirs", "lastTransitionTime": "2026-01-01T00:00:00Z" });
    site.apply_status(CUDN, "guest", "somebody", json!({ "conditions": [theirs] })).await;
    site.create(namespace("guest-2", &[("team", "guest")])).await;
    let told = site
        .until_it(place, "created in both", |it| says(it, "NetworkCreated", "[guest, guest-2]"))
        .await;
    assert_eq!(condition(&told, "TransportAccepted")["message"], "theirs");
    clear(site, &[place], &["guest", "guest-2"]).await;
    controller.stop().await;
}

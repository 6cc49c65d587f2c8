//! Requests and claims on secondary networks: Layer2, and Localnet with subnets.
//!
//! Invariant: every scene names its objects after itself.

use serde_json::{Value, json};
use udn_wire::keys::CLAIM_MAC;

use super::{CLAIM, POD, addressed, demolish, is, refused, start_controller};
use crate::kit::objects::{cudn, namespace};
use crate::kit::server::Site;
use crate::kit::workloads::{Lan, claim, pod, selecting};

/// A secondary network of each topology and family.
fn networks(name: &str) -> Vec<(Lan, Value)> {
    let lifecycle = json!({ "lifecycle": "Persistent" });
    let mut all = Vec::new();
    for lan in Lan::of_each_family(&format!("{name}-l2")) {
        let layer2 = json!({ "role": "Secondary", "subnets": lan.subnets(), "ipam": lifecycle });
        all.push((lan, json!({ "topology": "Layer2", "layer2": layer2 })));
    }
    for (vlan, lan) in (300..).zip(Lan::of_each_family(&format!("{name}-ln"))) {
        let localnet = json!({ "role": "Secondary", "physicalNetworkName": name,
            "subnets": lan.subnets(), "ipam": lifecycle,
            "vlan": { "mode": "Access", "access": { "id": vlan } } });
        all.push((lan, json!({ "topology": "Localnet", "localnet": localnet })));
    }
    all
}

async fn build_all(site: &Site, name: &str) -> Vec<Lan> {
    let mut lans = Vec::new();
    for (lan, network) in networks(name) {
        site.create(namespace(&lan.name, &[("team", &lan.name)])).await;
        site.create(cudn(&lan.name, &lan.name, network)).await;
        lans.push(lan);
    }
    lans
}

fn on(lan: &Lan, name: &str, request: Value) -> Value {
    let mut selection = json!({ "name": lan.name });
    for (key, value) in request.as_object().into_iter().flatten() {
        selection[key] = value.clone();
    }
    selecting(pod(&lan.name, name), json!([selection]))
}

/// Static IP and MAC, each without the other; the first host is the router's on a localnet.
// proves: X-08
pub(crate) async fn requests_are_honoured(site: &Site) {
    let controller = start_controller(site);
    let lans = build_all(site, "sec").await;
    for lan in &lans {
        let is_localnet = lan.name.contains("-ln-");
        site.create(on(lan, "both", json!({ "ips": lan.cidrs(50), "mac": "02:00:00:00:00:0a" })))
            .await;
        site.create(on(lan, "ip", json!({ "ips": lan.ips(51) }))).await;
        site.create(on(lan, "mac", json!({ "mac": "02:00:00:00:00:0b" }))).await;
        let has = async |name: &str| addressed(site, (&lan.name, name), &lan.key()).await;
        let both = has("both").await;
        assert_eq!(both["ip_addresses"], json!(lan.cidrs(50)));
        assert_eq!(both["mac_address"], "02:00:00:00:00:0a");
        assert_eq!(has("ip").await["ip_addresses"], json!(lan.cidrs(51)));
        let mac = has("mac").await;
        assert_eq!(mac["mac_address"], "02:00:00:00:00:0b");
        let first = json!(lan.cidrs(1));
        assert_eq!(mac["ip_addresses"] == first, !is_localnet, "{mac}");
        if is_localnet {
            site.create(on(lan, "first", json!({ "ips": lan.ips(1) }))).await;
            assert_eq!(has("first").await["ip_addresses"], first);
        }
        let wrong = [
            ("taken", json!({ "ips": lan.ips(50) }), "provided IP is already allocated"),
            ("taken-mac", json!({ "mac": "02:00:00:00:00:0a" }), "MAC address already in use"),
            ("base", json!({ "ips": lan.ips(0) }), "OutOfRange"),
        ];
        for (name, asks, words) in wrong {
            site.create(on(lan, name, asks)).await;
            refused(site, (&lan.name, name), &[words]).await;
        }
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// Addresses outlive pods there as on primary networks.
// proves: V-23
pub(crate) async fn claims_are_honoured(site: &Site) {
    let controller = start_controller(site);
    let lans = build_all(site, "sec-kept").await;
    for lan in &lans {
        site.create(claim(&lan.name, "vm.net", &lan.network())).await;
        let reference = json!({ "ipam-claim-reference": "vm.net" });
        site.create(on(lan, "first", reference.clone())).await;
        let first = addressed(site, (&lan.name, "first"), &lan.key()).await;
        let told = site
            .until_it((CLAIM, &lan.name, "vm.net"), "bound", |it| is(it, "IPsAllocated", "True"))
            .await;
        assert_eq!(told["status"]["ips"], first["ip_addresses"]);
        assert_eq!(told["metadata"]["annotations"][CLAIM_MAC], first["mac_address"]);
        site.delete(POD, &lan.name, "first").await;
        site.create(on(lan, "second", reference)).await;
        let second = addressed(site, (&lan.name, "second"), &lan.key()).await;
        assert_eq!(second["ip_addresses"], first["ip_addresses"]);
        assert_eq!(second["mac_address"], first["mac_address"]);
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

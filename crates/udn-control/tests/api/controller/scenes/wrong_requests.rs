//! Requests that cannot be honoured: the pod has no address, and an event says why.
//!
//! Invariant: every scene names its objects after itself.

use serde_json::json;
use udn_wire::keys::DEFAULT_SELECTION;

use super::{CLAIM, POD, addressed, build, demolish, is, refused, start_controller};
use crate::kit::server::Site;
use crate::kit::workloads::{Lan, annotated, asking, claim, persistent, pod};

/// The gateway, the management port and the rest of their range.
// proves: A-07
pub(crate) async fn for_infrastructure_are_refused(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("infra");
    for lan in &lans {
        let more = json!({ "infrastructureSubnets": lan.parts(0, 2),
            "defaultGatewayIPs": lan.ips(2) });
        build(site, lan, more).await;
        for host in [1, 2, 3] {
            let asks = json!({ "ips": lan.ips(host) });
            site.create(asking(pod(&lan.name, &format!("p-{host}")), asks)).await;
        }
    }
    for lan in &lans {
        for host in [1, 2, 3] {
            let ip = &lan.ips(host)[0];
            refused(site, (&lan.name, &format!("p-{host}")), &["OutOfRange", ip]).await;
        }
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// Outside the subnet, with another prefix length, of another family, the network's own; beside them, a
/// bare address and one with the subnet's prefix length, which both have it.
// proves: A-12
pub(crate) async fn that_do_not_fit_are_refused(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("unfit");
    let (v4, v6) = ("192.168.99.9", "fd99:9::9");
    for lan in &lans {
        build(site, lan, json!({})).await;
        let outside: Vec<&str> = match (lan.is_v4(), lan.subnets().len()) {
            (true, 1) => vec![v4],
            (false, _) => vec![v6],
            (true, _) => vec![v4, v6],
        };
        let other = if lan.is_v4() { "fd70::50" } else { "10.70.0.50" };
        let prefixed: Vec<String> = lan.ips(50).iter().map(|ip| format!("{ip}/20")).collect();
        let cases = [
            ("outside", json!(outside), "OutOfRange"),
            ("prefix", json!(prefixed), "OutOfRange"),
            ("base", json!(lan.ips(0)), "OutOfRange"),
            ("family", json!([other]), "FamilyMismatch"),
        ];
        for (name, ips, _) in &cases {
            site.create(asking(pod(&lan.name, name), json!({ "ips": ips }))).await;
        }
        for (name, ips, reason) in &cases {
            // Of the wrong family, the right ones are told.
            let first = ips[0].as_str().unwrap_or_default();
            let word = if *name == "family" { &*lan.subnets()[0] } else { first };
            refused(site, (&lan.name, name), &[reason, word]).await;
        }
        site.create(asking(pod(&lan.name, "bare"), json!({ "ips": lan.ips(60) }))).await;
        site.create(asking(pod(&lan.name, "equal"), json!({ "ips": lan.cidrs(61) }))).await;
        for (name, host) in [("bare", 60), ("equal", 61)] {
            let entry = addressed(site, (&lan.name, name), &lan.key()).await;
            assert_eq!(entry["ip_addresses"], json!(lan.cidrs(host)));
        }
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// A pod's, a claim's and a stopped workload's addresses and MACs, and the system's own addresses.
// proves: A-13
pub(crate) async fn for_what_others_hold_name_the_holder(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("held");
    let mac = "02:00:00:00:00:0a";
    for lan in &lans {
        build(site, lan, persistent()).await;
        let holds = json!({ "ips": lan.ips(50), "mac": mac });
        site.create(asking(pod(&lan.name, "holder"), holds)).await;
        addressed(site, (&lan.name, "holder"), &lan.key()).await;
        site.create(claim(&lan.name, "kept", &lan.network())).await;
        let bound = json!({ "ips": lan.ips(60), "mac": "02:00:00:00:00:0c",
            "ipam-claim-reference": "kept" });
        site.create(asking(pod(&lan.name, "bound"), bound)).await;
        addressed(site, (&lan.name, "bound"), &lan.key()).await;
        let cases = [
            ("ip", json!({ "ips": lan.ips(50) }), "provided IP is already allocated", "holder"),
            ("mac", json!({ "mac": mac }), "MAC address already in use", "holder"),
            ("of-claim", json!({ "ips": lan.ips(60) }), "provided IP is already allocated", "kept"),
            ("gateway", json!({ "ips": lan.ips(1) }), "OutOfRange", ""),
            ("management", json!({ "ips": lan.ips(2) }), "OutOfRange", ""),
        ];
        for (name, asks, _, _) in &cases {
            site.create(asking(pod(&lan.name, name), asks.clone())).await;
        }
        for (name, asks, words, holder) in &cases {
            let ip = asks["ips"][0].as_str().unwrap_or_default();
            refused(site, (&lan.name, name), &[words, holder, ip]).await;
        }
        // A stopped workload's addresses are its own.
        site.delete(POD, &lan.name, "bound").await;
        site.until_it((CLAIM, &lan.name, "kept"), "used by nobody", |it| {
            it["status"].get("ownerPod").is_none() && is(it, "IPsAllocated", "True")
        })
        .await;
        let stopped = [
            ("of-stopped", json!({ "ips": lan.ips(60) }), "provided IP is already allocated"),
            ("its-mac", json!({ "mac": "02:00:00:00:00:0c" }), "MAC address already in use"),
        ];
        for (name, asks, words) in stopped {
            site.create(asking(pod(&lan.name, name), asks)).await;
            refused(site, (&lan.name, name), &[words, "kept"]).await;
        }
        // Who waits is served when the holder leaves.
        site.delete(POD, &lan.name, "holder").await;
        let entry = addressed(site, (&lan.name, "ip"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(50)));
        let entry = addressed(site, (&lan.name, "mac"), &lan.key()).await;
        assert_eq!(entry["mac_address"], mac);
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// Another pod's, the gateway's, the management ports', the DHCP server's and those of the gateway
/// routers' ports.
// proves: A-14
pub(crate) async fn for_macs_of_the_system_are_refused(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("mac");
    let others = "02:00:00:00:00:0a";
    for lan in &lans {
        build(site, lan, json!({})).await;
        site.create(asking(pod(&lan.name, "holder"), json!({ "mac": others }))).await;
        addressed(site, (&lan.name, "holder"), &lan.key()).await;
        // The first four bytes of the SHA-256 of fd70::1 and fd70::2.
        let of_v6 = [("gateway-v6", "0a:58:d2:35:d8:40"), ("management-v6", "0a:58:ae:49:9e:7f")];
        let of_v4 = [("gateway", "0a:58:0a:46:00:01"), ("management", "0a:58:0a:46:00:02")];
        let mut system = vec![
            ("dhcp", "0a:58:a9:fe:01:01"),
            ("router-2", "0a:58:64:41:00:02"),
            ("router-4999", "0a:58:64:41:13:87"),
        ];
        system.extend(of_v4.iter().filter(|_| lan.is_v4()));
        system.extend(of_v6.iter().filter(|_| !lan.is_v4() || lan.subnets().len() == 2));
        let conflict = "MAC address already in use";
        for (name, mac) in &system {
            site.create(asking(pod(&lan.name, name), json!({ "mac": mac }))).await;
        }
        for (name, mac) in &system {
            refused(site, (&lan.name, name), &[conflict, mac, "network's own"]).await;
        }
        site.create(asking(pod(&lan.name, "second"), json!({ "mac": others }))).await;
        refused(site, (&lan.name, "second"), &[conflict, others, "holder"]).await;
        site.create(asking(pod(&lan.name, "free"), json!({ "mac": "02:00:00:00:00:0b" }))).await;
        let free = addressed(site, (&lan.name, "free"), &lan.key()).await;
        assert_eq!(free["mac_address"], "02:00:00:00:00:0b");
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// The annotation is about the cluster's default network and nothing else, and is one selection.
pub(crate) async fn for_another_default_network_are_refused(site: &Site) {
    let controller = start_controller(site);
    let lan = Lan::plain("astray", 8);
    build(site, &lan, json!({})).await;
    let one = json!({ "name": "default", "namespace": "ovn-kubernetes", "ips": lan.ips(50) });
    let cases = [
        ("name", json!([{ "name": "other", "namespace": "ovn-kubernetes" }])),
        ("namespace", json!([{ "name": "default", "namespace": "other" }])),
        ("two", json!([one, one])),
        ("torn", json!("[{")),
    ];
    for (name, text) in &cases {
        let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
        site.create(annotated(pod(&lan.name, name), DEFAULT_SELECTION, &text)).await;
    }
    for (name, _) in &cases {
        refused(site, (&lan.name, name), &[]).await;
    }
    demolish(site, &[lan]).await;
    controller.stop().await;
}

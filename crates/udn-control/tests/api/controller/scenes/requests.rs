//! Addresses that pods ask for on their primary networks.
//!
//! Invariant: every scene names its objects after itself.

use serde_json::{Value, json};
use udn_model::ClusterSettings;
use udn_wire::keys::DEFAULT_SELECTION;

use super::{
    CUDN, POD, addressed, build, created, demolish, is, refused, says, start_controller,
    start_controller_with,
};
use crate::kit::server::Site;
use crate::kit::workloads::{Lan, asking, asking_plainly, claim_for, persistent, pod};

/// IP alone, MAC alone, both, neither, and a claim; as a list of one and as an object; other fields are
/// ignored.
// proves
pub(crate) async fn for_ip_and_mac_each_without_the_other(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("ask");
    for lan in &lans {
        build(site, lan, persistent()).await;
        let at = |name: &str| pod(&lan.name, name);
        let mac = "02:00:00:00:00:0a";
        site.create(asking(at("ip"), json!({ "ips": lan.cidrs(50) }))).await;
        site.create(asking_plainly(at("mac"), json!({ "mac": mac }))).await;
        let both = json!({ "ips": lan.ips(51), "mac": "02:00:00:00:00:0b",
            "interface": "eth7", "cni-args": { "x": "y" } });
        site.create(asking(at("both"), both)).await;
        site.create(at("neither")).await;
        site.create(claim_for(&lan.name, "vm.net", &lan.network(), &lan.ips(52))).await;
        let reference = json!({ "ipam-claim-reference": "vm.net" });
        site.create(asking_plainly(at("claims"), reference)).await;
    }
    for lan in &lans {
        let has = async |name: &str| addressed(site, (&lan.name, name), &lan.key()).await;
        let ip = has("ip").await;
        assert_eq!(ip["ip_addresses"], json!(lan.cidrs(50)), "{ip}");
        let derived = if lan.is_v4() { "0a:58:0a:46:00:32" } else { "0a:58:a7:b1:b8:49" };
        assert_eq!(ip["mac_address"], derived, "it follows from the first address");
        let mac = has("mac").await;
        assert_eq!(mac["mac_address"], "02:00:00:00:00:0a");
        let both = has("both").await;
        assert_eq!(both["ip_addresses"], json!(lan.cidrs(51)), "a bare IP takes the prefix");
        assert_eq!(both["mac_address"], "02:00:00:00:00:0b");
        let neither = has("neither").await;
        assert_eq!(count(&neither["ip_addresses"]), lan.subnets().len());
        assert_ne!(neither["ip_addresses"], mac["ip_addresses"]);
        assert_eq!(has("claims").await["ip_addresses"], json!(lan.cidrs(52)));
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

fn count(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

/// Hosts 8 to 15 of 16 are reserved, so that 3 to 7 come by themselves, and nothing more.
// proves: A-06
pub(crate) async fn in_reserved_ranges_are_honoured_and_nothing_else_is_there(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::sized("kept", 4);
    for lan in &lans {
        build(site, lan, json!({ "reservedSubnets": lan.parts(8, 3) })).await;
        for number in 3..=7 {
            site.create(pod(&lan.name, &format!("p-{number}"))).await;
        }
    }
    for lan in &lans {
        let mut seen = Vec::new();
        for number in 3..=7 {
            let entry = addressed(site, (&lan.name, &format!("p-{number}")), &lan.key()).await;
            seen.push(entry["ip_addresses"].clone());
        }
        for host in 3..=7 {
            assert!(seen.contains(&json!(lan.cidrs(host))), "{host} of {seen:?}");
        }
        site.create(pod(&lan.name, "late")).await;
        refused(site, (&lan.name, "late"), &["PoolExhausted"]).await;
        site.create(asking(pod(&lan.name, "asks"), json!({ "ips": lan.ips(9) }))).await;
        let entry = addressed(site, (&lan.name, "asks"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(9)));
        // What is given back serves who waits.
        site.delete(POD, &lan.name, "p-5").await;
        addressed(site, (&lan.name, "late"), &lan.key()).await;
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// With another gateway and infrastructure, hosts 1 and 2 are for workloads.
pub(crate) async fn for_what_was_the_gateways(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("free");
    for lan in &lans {
        let more = json!({ "infrastructureSubnets": lan.parts(4, 2),
            "defaultGatewayIPs": lan.ips(5) });
        build(site, lan, more).await;
        for host in [1, 2] {
            let asks = json!({ "ips": lan.ips(host) });
            site.create(asking(pod(&lan.name, &format!("p-{host}")), asks)).await;
        }
    }
    for lan in &lans {
        for host in [1, 2] {
            let entry = addressed(site, (&lan.name, &format!("p-{host}")), &lan.key()).await;
            assert_eq!(entry["ip_addresses"], json!(lan.cidrs(host)));
            assert_eq!(entry["gateway_ips"], json!(lan.ips(5)));
        }
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// The policy of `deploy/policies`: what a pod asked for stays what it says.
pub(crate) async fn cannot_be_changed(site: &Site) {
    let controller = start_controller(site);
    let lan = Lan::plain("fixed", 8);
    build(site, &lan, json!({})).await;
    site.create(asking(pod(&lan.name, "asks"), json!({ "ips": lan.ips(50) }))).await;
    let before = addressed(site, (&lan.name, "asks"), &lan.key()).await;
    site.create(pod(&lan.name, "silent")).await;
    for (name, text) in [("asks", Value::Null), ("asks", json!("[]")), ("silent", json!("[]"))] {
        let patch = json!({ "metadata": { "annotations": { DEFAULT_SELECTION: text } } });
        let done = site.try_patch(POD, &lan.name, name, patch).await;
        let error = done.expect_err("the annotation cannot be changed").to_string();
        assert!(error.contains("cannot be changed after the pod was created"), "{error}");
    }
    assert_eq!(addressed(site, (&lan.name, "asks"), &lan.key()).await, before);
    demolish(site, &[lan]).await;
    controller.stop().await;
}

/// The pod has addresses of our choice then, and is told; it is never silent. A network that sets
/// ranges is told too.
// proves: A-21
pub(crate) async fn switched_off_are_told(site: &Site) {
    let mut settings = ClusterSettings::default();
    settings.features.requested_addresses = false;
    let controller = start_controller_with(site, settings);
    let (lans, ranged) = (Lan::of_each_family("off"), Lan::of_each_family("off-range"));
    let asks = |lan: &Lan| json!({ "ips": lan.ips(50), "mac": "02:00:00:00:00:0a" });
    for lan in &lans {
        build(site, lan, json!({})).await;
        site.create(asking(pod(&lan.name, "asks"), asks(lan))).await;
    }
    for lan in &ranged {
        build(site, lan, json!({ "reservedSubnets": lan.parts(8, 3) })).await;
    }
    for lan in &lans {
        let entry = addressed(site, (&lan.name, "asks"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(3)));
        assert_ne!(entry["mac_address"], "02:00:00:00:00:0a");
        let words = ["RequestIgnored", "switched off in this cluster"];
        site.until_told((POD, &lan.name, "asks"), &words).await;
    }
    for lan in &ranged {
        let is_refused = |it: &Value| is(it, "NetworkCreated", "False");
        let told = site.until_it((CUDN, "", &lan.name), "refused", is_refused).await;
        assert!(says(&told, "NetworkCreated", "switched off in this cluster"), "{told:#}");
    }
    controller.stop().await;
    let controller = start_controller(site);
    for lan in &lans {
        site.create(asking(pod(&lan.name, "again"), asks(lan))).await;
        let entry = addressed(site, (&lan.name, "again"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(50)));
        assert_eq!(entry["mac_address"], "02:00:00:00:00:0a");
    }
    for lan in &ranged {
        created(site, CUDN, "", &lan.name).await;
    }
    demolish(site, &[lans, ranged].concat()).await;
    controller.stop().await;
}

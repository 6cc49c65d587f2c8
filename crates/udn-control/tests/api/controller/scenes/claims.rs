//! Claims: addresses that outlive pods, and what stands in their status.
//!
//! Invariant: every scene names its objects after itself.

use serde_json::{Value, json};
use udn_cluster::WorkItem;
use udn_model::ObjectName;
use udn_wire::keys::CLAIM_MAC;

use super::{
    CLAIM, POD, addressed, build, condition, demolish, is, refused, says, start_controller,
    start_watched_controller,
};
use crate::kit::server::Site;
use crate::kit::workloads::{Lan, asking, claim, claim_for, entry, persistent, pod};

fn using(lan: &Lan, name: &str, claim: &str) -> Value {
    asking(pod(&lan.name, name), json!({ "ipam-claim-reference": claim }))
}

/// Waits until a claim has its addresses; returns it.
async fn bound(site: &Site, lan: &Lan, name: &str) -> Value {
    let is_bound = |it: &Value| is(it, "IPsAllocated", "True");
    site.until_it((CLAIM, &lan.name, name), "bound", is_bound).await
}

async fn owner_of(site: &Site, lan: &Lan, name: &str, owner: &Value) -> Value {
    let is_so = |it: &Value| it["status"]["ownerPod"]["name"] == *owner;
    site.until_it((CLAIM, &lan.name, name), &format!("used by {owner}"), is_so).await
}

/// First use binds, a restart of the workload has the same, and the status follows. With and without
/// `ipRequest`.
// proves: V-15, V-19
pub(crate) async fn keep_addresses_for_the_next_pod(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("claim");
    for lan in &lans {
        build(site, lan, persistent()).await;
        site.create(claim(&lan.name, "vm.net", &lan.network())).await;
        site.create(using(lan, "first", "vm.net")).await;
        let mut asked = claim_for(&lan.name, "asked.net", &lan.network(), &lan.ips(40));
        asked["spec"]["interface"] = json!("ovn-udn1");
        site.create(asked).await;
        site.create(using(lan, "asked", "asked.net")).await;
    }
    for lan in &lans {
        let first = addressed(site, (&lan.name, "first"), &lan.key()).await;
        let told = bound(site, lan, "vm.net").await;
        assert_eq!(told["status"]["ips"], first["ip_addresses"]);
        assert_eq!(told["status"]["ownerPod"]["name"], "first");
        assert_eq!(told["metadata"]["annotations"][CLAIM_MAC], first["mac_address"]);
        let success = condition(&told, "IPsAllocated");
        assert_eq!(success["reason"], "SuccessfulAllocation");
        assert_eq!(success["message"], "IP addresses successfully allocated");
        let asked = bound(site, lan, "asked.net").await;
        assert_eq!(asked["status"]["ips"], json!(lan.cidrs(40)));
        assert_eq!(asked["status"]["ownerPod"], json!({ "name": "asked" }));
        assert_eq!(condition(&asked, "IPsAllocated")["status"], "True");
        let entry = addressed(site, (&lan.name, "asked"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(40)));
        site.delete(POD, &lan.name, "first").await;
        let idle = owner_of(site, lan, "vm.net", &Value::Null).await;
        assert_eq!(idle["status"]["ips"], first["ip_addresses"]);
        // The pool would come round to a free address; this one is not free.
        site.create(pod(&lan.name, "other")).await;
        let other = addressed(site, (&lan.name, "other"), &lan.key()).await;
        assert_ne!(other["ip_addresses"], first["ip_addresses"]);
        site.create(using(lan, "second", "vm.net")).await;
        let second = addressed(site, (&lan.name, "second"), &lan.key()).await;
        assert_eq!(second["ip_addresses"], first["ip_addresses"]);
        assert_eq!(second["mac_address"], first["mac_address"]);
        owner_of(site, lan, "vm.net", &json!("second")).await;
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// The condition says why, the pod waits, and is served when the request is mended. The pod is told
/// once: neither it nor its claim is tried again before something about them changes.
// proves: A-16
// proves: V-17 half: nothing is tried again before the claim changes, so there is no back-off to see
pub(crate) async fn out_of_range_are_mended(site: &Site) {
    let (mut controller, decisions) = start_watched_controller(site, |_| false);
    let lans = Lan::of_each_family("range");
    for lan in &lans {
        build(site, lan, persistent()).await;
        let far: Vec<String> =
            lan.ips(9)
                .iter()
                .map(|ip| {
                    if ip.contains(':') { "fd99:9::9".to_owned() } else { "192.168.9.9".to_owned() }
                })
                .collect();
        site.create(claim_for(&lan.name, "vm.net", &lan.network(), &far)).await;
        site.create(using(lan, "p", "vm.net")).await;
        let told = site
            .until_it((CLAIM, &lan.name, "vm.net"), "refused", |it| is(it, "IPsAllocated", "False"))
            .await;
        let why = condition(&told, "IPsAllocated");
        assert_eq!(why["reason"], "IPAddressOutOfRange", "{told:#}");
        assert!(says(&told, "IPsAllocated", &far[0]), "{told:#}");
        assert_eq!(told["status"]["ips"].as_array().map_or(0, Vec::len), 0);
        refused(site, (&lan.name, "p"), &[&far[0]]).await;
        controller.until_idle(&site.client).await;
        let waiting = [
            WorkItem::Pod(ObjectName::new(&lan.name, "p")),
            WorkItem::Claim(ObjectName::new(&lan.name, "vm.net")),
        ];
        let before = waiting.each_ref().map(|it| decisions.of(it));
        site.create(pod(&lan.name, "other")).await;
        addressed(site, (&lan.name, "other"), &lan.key()).await;
        controller.until_idle(&site.client).await;
        assert_eq!(waiting.each_ref().map(|it| decisions.of(it)), before);
        let mended = json!({ "spec": { "ipRequest": lan.ips(40) } });
        site.patch(CLAIM, &lan.name, "vm.net", mended).await;
        let told = bound(site, lan, "vm.net").await;
        assert_eq!(told["status"]["ips"], json!(lan.cidrs(40)));
        assert_eq!(condition(&told, "IPsAllocated")["reason"], "SuccessfulAllocation");
        let entry = addressed(site, (&lan.name, "p"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(40)));
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// What is bound stays bound, whatever is asked for afterwards; the claim is told, and stays well.
pub(crate) async fn that_ask_for_something_else_later_are_told(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("later");
    for lan in &lans {
        build(site, lan, persistent()).await;
        site.create(claim_for(&lan.name, "vm.net", &lan.network(), &lan.ips(40))).await;
        site.create(using(lan, "p", "vm.net")).await;
        addressed(site, (&lan.name, "p"), &lan.key()).await;
        let before = bound(site, lan, "vm.net").await["status"].clone();
        let other = json!({ "spec": { "ipRequest": lan.ips(41) } });
        site.patch(CLAIM, &lan.name, "vm.net", other).await;
        let words = ["RequestIgnored", &lan.ips(41)[0], &lan.cidrs(40)[0], "another claim"];
        site.until_told((CLAIM, &lan.name, "vm.net"), &words).await;
        assert_eq!(bound(site, lan, "vm.net").await["status"], before);
        site.delete(POD, &lan.name, "p").await;
        owner_of(site, lan, "vm.net", &Value::Null).await;
        // The address that was asked for too late is not the claim's.
        site.create(asking(pod(&lan.name, "free"), json!({ "ips": lan.ips(41) }))).await;
        addressed(site, (&lan.name, "free"), &lan.key()).await;
        site.create(using(lan, "q", "vm.net")).await;
        let entry = addressed(site, (&lan.name, "q"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(40)));
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// What another holds: the same words in the claim's condition and in the pod's event.
// proves: V-18
pub(crate) async fn in_conflict_tell_the_claim_and_the_pod(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("clash");
    let mac = "02:00:00:00:00:0a";
    for lan in &lans {
        build(site, lan, persistent()).await;
        let holds = json!({ "ips": lan.ips(50), "mac": mac });
        site.create(asking(pod(&lan.name, "holder"), holds)).await;
        addressed(site, (&lan.name, "holder"), &lan.key()).await;
        site.create(claim_for(&lan.name, "ip", &lan.network(), &lan.ips(50))).await;
        site.create(using(lan, "by-ip", "ip")).await;
        site.create(claim(&lan.name, "mac", &lan.network())).await;
        let asks = json!({ "mac": mac, "ipam-claim-reference": "mac" });
        site.create(asking(pod(&lan.name, "by-mac"), asks)).await;
    }
    for lan in &lans {
        let ip = &*lan.ips(50)[0];
        let cases = [
            ("ip", "by-ip", "IPAddressConflict", ip),
            ("mac", "by-mac", "MACAddressConflict", mac),
        ];
        for (name, user, reason, held) in cases {
            let is_refused = |it: &Value| condition(it, "IPsAllocated")["reason"] == reason;
            let told = site.until_it((CLAIM, &lan.name, name), reason, is_refused).await;
            let why = condition(&told, "IPsAllocated");
            assert_eq!(why["status"], "False");
            let message = why["message"].as_str().unwrap_or_default();
            assert!(message.contains("holder") && message.contains(held), "{message}");
            refused(site, (&lan.name, user), &[message]).await;
        }
        site.delete(POD, &lan.name, "holder").await;
        let told = bound(site, lan, "ip").await;
        assert_eq!(told["status"]["ips"], json!(lan.cidrs(50)));
        bound(site, lan, "mac").await;
        let entry = addressed(site, (&lan.name, "by-mac"), &lan.key()).await;
        assert_eq!(entry["mac_address"], mac);
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// Neither the addresses nor the MAC of a stopped workload go to anybody, also after a restart.
pub(crate) async fn of_stopped_machines_stay_theirs_over_a_restart(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::sized("asleep", 3);
    for lan in &lans {
        build(site, lan, persistent()).await;
        site.create(claim(&lan.name, "vm.net", &lan.network())).await;
        let asks = json!({ "mac": "02:00:00:00:00:0a", "ipam-claim-reference": "vm.net" });
        site.create(asking(pod(&lan.name, "vm"), asks)).await;
        addressed(site, (&lan.name, "vm"), &lan.key()).await;
        site.delete(POD, &lan.name, "vm").await;
        owner_of(site, lan, "vm.net", &Value::Null).await;
    }
    controller.stop().await;
    for lan in &lans {
        // Of 8 hosts, at most 5 are for pods; the claim has one of them.
        for number in 0..5 {
            site.create(pod(&lan.name, &format!("p-{number}"))).await;
        }
        let mac = json!({ "mac": "02:00:00:00:00:0a" });
        site.create(asking(pod(&lan.name, "mac"), mac)).await;
    }
    let controller = start_controller(site);
    for lan in &lans {
        let kept = bound(site, lan, "vm.net").await["status"]["ips"].clone();
        refused(site, (&lan.name, "mac"), &["MAC address already in use", "vm.net"]).await;
        site.until("the pool to be used up", async || {
            let all = site.all(POD).await;
            let own = all.iter().filter(|it| it["metadata"]["namespace"] == *lan.name);
            let mut waiting = 0;
            for pod in own {
                let entry = entry(pod, &lan.key());
                assert_ne!(entry["ip_addresses"], kept);
                waiting += usize::from(entry.is_null());
            }
            waiting == if lan.is_v4() { 3 } else { 2 }
        })
        .await;
        site.create(using(lan, "again", "vm.net")).await;
        let again = addressed(site, (&lan.name, "again"), &lan.key()).await;
        assert_eq!(again["ip_addresses"], kept);
        assert_eq!(again["mac_address"], "02:00:00:00:00:0a");
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// A claim that goes under a running pod leaves the pod what it has; then it is free.
pub(crate) async fn that_are_deleted_give_back_what_nobody_uses(site: &Site) {
    let controller = start_controller(site);
    let lan = Lan::plain("over", 8);
    build(site, &lan, persistent()).await;
    site.create(claim_for(&lan.name, "vm.net", &lan.network(), &lan.ips(50))).await;
    site.create(using(&lan, "p", "vm.net")).await;
    let before = addressed(site, (&lan.name, "p"), &lan.key()).await;
    site.delete(CLAIM, &lan.name, "vm.net").await;
    site.create(asking(pod(&lan.name, "wants"), json!({ "ips": lan.ips(50) }))).await;
    refused(site, (&lan.name, "wants"), &["provided IP is already allocated"]).await;
    assert_eq!(addressed(site, (&lan.name, "p"), &lan.key()).await, before);
    site.delete(POD, &lan.name, "p").await;
    addressed(site, (&lan.name, "wants"), &lan.key()).await;
    // The other way round: the pod goes first.
    site.create(claim_for(&lan.name, "idle", &lan.network(), &lan.ips(60))).await;
    site.create(using(&lan, "short", "idle")).await;
    addressed(site, (&lan.name, "short"), &lan.key()).await;
    site.delete(POD, &lan.name, "short").await;
    owner_of(site, &lan, "idle", &Value::Null).await;
    site.create(asking(pod(&lan.name, "waits"), json!({ "ips": lan.ips(60) }))).await;
    refused(site, (&lan.name, "waits"), &["provided IP is already allocated", "idle"]).await;
    site.delete(CLAIM, &lan.name, "idle").await;
    addressed(site, (&lan.name, "waits"), &lan.key()).await;
    demolish(site, &[lan]).await;
    controller.stop().await;
}

/// Not there yet, for another network, for another interface; and other addresses than it holds.
pub(crate) async fn that_do_not_fit_are_told(site: &Site) {
    let controller = start_controller(site);
    let lan = Lan::plain("misfit", 8);
    build(site, &lan, persistent()).await;
    site.create(using(&lan, "early", "late")).await;
    refused(site, (&lan.name, "early"), &["ClaimNotFound", "late"]).await;
    site.create(claim(&lan.name, "late", &lan.network())).await;
    addressed(site, (&lan.name, "early"), &lan.key()).await;
    site.create(claim(&lan.name, "elsewhere", "another-network")).await;
    site.create(using(&lan, "astray", "elsewhere")).await;
    refused(site, (&lan.name, "astray"), &["ClaimMismatch", "another-network"]).await;
    let mut other = claim(&lan.name, "interface", &lan.network());
    other["spec"]["interface"] = json!("eth7");
    site.create(other).await;
    site.create(using(&lan, "plugged", "interface")).await;
    refused(site, (&lan.name, "plugged"), &["ClaimMismatch", "eth7"]).await;
    let mut own = claim(&lan.name, "own", &lan.network());
    own["spec"]["interface"] = json!("ovn-udn1");
    own["spec"]["ipRequest"] = json!(lan.ips(40));
    site.create(own).await;
    let asks = json!({ "ips": lan.ips(41), "ipam-claim-reference": "own" });
    site.create(asking(pod(&lan.name, "differs"), asks)).await;
    refused(site, (&lan.name, "differs"), &[&lan.ips(41)[0]]).await;
    demolish(site, &[lan]).await;
    controller.stop().await;
}

/// A claim on a full network says so, and is bound when somebody leaves.
pub(crate) async fn without_free_addresses_wait(site: &Site) {
    let controller = start_controller(site);
    let lan = Lan::plain("full", 3);
    build(site, &lan, persistent()).await;
    for host in 3..=6 {
        let asks = json!({ "ips": lan.ips(host) });
        site.create(asking(pod(&lan.name, &format!("p-{host}")), asks)).await;
        addressed(site, (&lan.name, &format!("p-{host}")), &lan.key()).await;
    }
    site.create(claim(&lan.name, "vm.net", &lan.network())).await;
    site.create(using(&lan, "vm", "vm.net")).await;
    let is_full = |it: &Value| condition(it, "IPsAllocated")["reason"] == "SubnetExhausted";
    site.until_it((CLAIM, &lan.name, "vm.net"), "told", is_full).await;
    site.delete(POD, &lan.name, "p-4").await;
    let told = bound(site, &lan, "vm.net").await;
    assert_eq!(told["status"]["ips"], json!(lan.cidrs(4)));
    addressed(site, (&lan.name, "vm"), &lan.key()).await;
    demolish(site, &[lan]).await;
    controller.stop().await;
}

//! What pods get, when, and how long they keep it.
//!
//! Invariant: every scene names its objects after itself.

use serde_json::{Value, json};
use udn_wire::keys::{NETWORK_ID, NETWORK_NAME, POD_NETWORKS, TUNNEL_KEYS};

use super::{
    CUDN, NAD, POD, addressed, build, clear, created, demolish, is, refused, start_controller,
};
use crate::kit::objects::{cudn, layer2, localnet, nad, primary_namespace};
use crate::kit::server::Site;
use crate::kit::workloads::{Lan, annotated, asking, entry, pod, selecting};

/// Every word of an entry, and other entries byte by byte.
pub(crate) async fn are_annotated_as_on_the_wire(site: &Site) {
    let controller = start_controller(site);
    site.create(primary_namespace("wire", "wire")).await;
    site.create(cudn("wire", "wire", layer2("Primary", &["10.10.0.0/16", "fd10::/64"]))).await;
    let theirs = r#"{"default": {"ip_addresses":["10.244.1.5/24"], "odd": 1}}"#;
    site.create(annotated(pod("wire", "p"), POD_NETWORKS, theirs)).await;
    let mut entry = addressed(site, ("wire", "p"), "wire/wire").await;
    let key = entry["tunnel_id"].take();
    assert!(key.as_u64().is_some_and(|it| it > 0), "{key}");
    let route = |dest: &str, hop: &str| json!({ "dest": dest, "nextHop": hop });
    let routes = json!([
        route("172.30.0.0/16", "10.10.0.1"),
        route("100.65.0.0/16", "10.10.0.1"),
        route("fd02::/112", "fd10::1"),
        route("fd99::/64", "fd10::1"),
    ]);
    assert_eq!(
        entry,
        json!({ "ip_addresses": ["10.10.0.3/16", "fd10::3/64"], "mac_address": "0a:58:0a:0a:00:03",
            "gateway_ips": ["10.10.0.1", "fd10::1"], "routes": routes,
            "ipv6_lla_gateway_ip": "fe80::858:aff:fe0a:1", "tunnel_id": null, "role": "primary" })
    );
    let stands = site.read(POD, "wire", "p").await.expect("it is there");
    let text = stands["metadata"]["annotations"][POD_NETWORKS].as_str().unwrap_or_default();
    assert!(text.contains(r#"{"ip_addresses":["10.244.1.5/24"], "odd": 1}"#), "{text}");
    site.delete(POD, "wire", "p").await;
    clear(site, &[(CUDN, "", "wire")], &["wire"]).await;
    controller.stop().await;
}

/// The primary network, a secondary one twice, and a localnet: one change of the pod.
pub(crate) async fn are_written_once_for_all_their_networks(site: &Site) {
    let controller = start_controller(site);
    site.create(primary_namespace("once", "once")).await;
    let networks = [
        ("once-main", layer2("Primary", &["10.10.0.0/16"])),
        ("once-more", layer2("Secondary", &["10.20.0.0/16"])),
        ("once-wire", localnet("tenant", 77, &["192.168.7.0/24"])),
    ];
    for (name, network) in &networks {
        site.create(cudn(name, "once", network.clone())).await;
        created(site, CUDN, "", name).await;
    }
    let start = site.version().await;
    let selections = json!([{ "name": "once-more" }, { "name": "once-wire" },
        { "name": "once-more", "namespace": "once", "interface": "again" }]);
    site.create(selecting(pod("once", "p"), selections)).await;
    let short = pod("once", "short");
    let short = annotated(short, "k8s.v1.cni.cncf.io/networks", "once-more, once/once-wire@eth7");
    site.create(short).await;
    let keys = ["once/once-main", "once/once-more", "once/once-more/1", "once/once-wire"];
    for key in keys {
        addressed(site, ("once", "p"), key).await;
    }
    for key in ["once/once-main", "once/once-more", "once/once-wire"] {
        addressed(site, ("once", "short"), key).await;
    }
    let stands = site.read(POD, "once", "p").await.expect("it is there");
    assert_eq!(entry(&stands, keys[0])["role"], "primary");
    assert_eq!(entry(&stands, keys[1])["role"], "secondary");
    assert_eq!(entry(&stands, keys[3]).get("tunnel_id"), None, "{stands:#}");
    assert_ne!(entry(&stands, keys[1])["ip_addresses"], entry(&stands, keys[2])["ip_addresses"]);
    assert_ne!(entry(&stands, keys[3])["ip_addresses"], json!(["192.168.7.1/24"]));
    let states = site.history(POD, start).await;
    let text = |it: &Value| it["metadata"]["annotations"][POD_NETWORKS].clone();
    let of_it = states.iter().filter(|(_, it)| it["metadata"]["name"] == "p").map(|(_, it)| it);
    let mut texts: Vec<Value> = of_it.map(text).filter(|it| !it.is_null()).collect();
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
    for name in ["p", "short"] {
        site.delete(POD, "once", name).await;
    }
    clear(site, &networks.map(|(name, _)| (CUDN, "", name)), &["once"]).await;
    controller.stop().await;
}

/// No free address: the next pod has one when another is gone, or has ended for certain.
// proves: A-17
pub(crate) async fn give_their_addresses_back_when_they_end(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::sized("turns", 3);
    for lan in &lans {
        build(site, lan, json!({})).await;
        fill(site, lan).await;
        let first = addressed(site, (&lan.name, "p-0"), &lan.key()).await;
        site.create(pod(&lan.name, "next")).await;
        refused(site, (&lan.name, "next"), &["PoolExhausted"]).await;
        let running = json!([{ "name": "c", "image": "i", "imageID": "", "ready": true,
            "restartCount": 0, "state": { "running": { "startedAt": "2026-01-01T00:00:00Z" } } }]);
        let half = json!({ "phase": "Failed", "containerStatuses": running });
        site.patch_status(POD, &lan.name, "p-0", half).await;
        site.create(pod(&lan.name, "after")).await;
        refused(site, (&lan.name, "after"), &["PoolExhausted"]).await;
        let pod = site.read(POD, &lan.name, "next").await.expect("it is there");
        assert!(entry(&pod, &lan.key()).is_null(), "a container still runs: {pod:#}");
        let ended = json!([{ "name": "c", "image": "i", "imageID": "", "ready": false,
            "restartCount": 0, "state": { "terminated": { "exitCode": 1 } } }]);
        let end = json!({ "phase": "Failed", "containerStatuses": ended });
        site.patch_status(POD, &lan.name, "p-0", end).await;
        let next = addressed(site, (&lan.name, "next"), &lan.key()).await;
        assert_eq!(next["ip_addresses"][0], first["ip_addresses"][0], "nothing else is free");
        site.delete(POD, &lan.name, "p-1").await;
        addressed(site, (&lan.name, "after"), &lan.key()).await;
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// Pods on every address that comes by itself, at least two.
async fn fill(site: &Site, lan: &Lan) {
    for number in 0.. {
        let name = format!("p-{number}");
        site.create(pod(&lan.name, &name)).await;
        let mut is_full = false;
        site.until("addressed or told", async || {
            let pod = site.read(POD, &lan.name, &name).await.unwrap_or_default();
            let notes = site.notes(POD, &lan.name, &name).await;
            is_full = notes.iter().any(|it| it.contains("PoolExhausted"));
            is_full || entry(&pod, &lan.key()).is_object()
        })
        .await;
        if is_full {
            assert!(number >= 2, "{} has room for {number}", lan.name);
            site.delete(POD, &lan.name, &name).await;
            return;
        }
    }
}

/// Everything annotated is known before anything is granted, whatever phase its pod is in.
// proves: A-15
pub(crate) async fn keep_what_they_carry_over_a_restart(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("stays");
    for lan in &lans {
        build(site, lan, json!({})).await;
        created(site, CUDN, "", &lan.name).await;
        for host in [3, 4, 50] {
            let asks = json!({ "ips": lan.ips(host), "mac": format!("02:00:00:00:00:{host:02x}") });
            site.create(asking(pod(&lan.name, &format!("p-{host}")), asks)).await;
        }
        for host in [3, 4, 50] {
            addressed(site, (&lan.name, &format!("p-{host}")), &lan.key()).await;
        }
        site.patch_status(POD, &lan.name, "p-4", json!({ "phase": "Running" })).await;
    }
    controller.stop().await;
    for lan in &lans {
        site.create(asking(pod(&lan.name, "a-taken"), json!({ "ips": lan.ips(50) }))).await;
        let mac = json!({ "mac": "02:00:00:00:00:32" });
        site.create(asking(pod(&lan.name, "a-taken-mac"), mac)).await;
        for number in 0..3 {
            site.create(pod(&lan.name, &format!("a-new-{number}"))).await;
        }
    }
    let controller = start_controller(site);
    for lan in &lans {
        let mut seen = Vec::new();
        for name in ["a-new-0", "a-new-1", "a-new-2", "p-3", "p-4", "p-50"] {
            let entry = addressed(site, (&lan.name, name), &lan.key()).await;
            assert!(!seen.contains(&entry["ip_addresses"]), "{seen:?} {entry}");
            seen.push(entry["ip_addresses"].clone());
        }
        assert_eq!(seen[3..], [3, 4, 50].map(|host| json!(lan.cidrs(host))));
        refused(site, (&lan.name, "a-taken"), &["provided IP is already allocated", "p-50"]).await;
        let words = ["MAC address already in use", "p-50"];
        refused(site, (&lan.name, "a-taken-mac"), &words).await;
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// Hand-edited annotations: the older pod keeps the address, both are told.
pub(crate) async fn that_carry_one_address_are_both_told(site: &Site) {
    let controller = start_controller(site);
    let lan = Lan::plain("twins", 8);
    build(site, &lan, json!({})).await;
    created(site, CUDN, "", &lan.name).await;
    controller.stop().await;
    let carried = json!({ lan.key(): { "ip_addresses": lan.cidrs(9),
        "mac_address": "0a:58:0a:46:00:09", "gateway_ips": lan.ips(1), "tunnel_id": 1,
        "role": "primary" } });
    for name in ["a-older", "b-newer"] {
        let twin = annotated(pod(&lan.name, name), POD_NETWORKS, &carried.to_string());
        site.create(twin).await;
    }
    let controller = start_controller(site);
    let ip = &lan.ips(9)[0];
    let told = site.until_told((POD, &lan.name, "b-newer"), &[ip, "a-older"]).await;
    assert!(told.starts_with("ErrorAllocatingPod: "), "{told}");
    site.until_told((POD, &lan.name, "a-older"), &[ip, "b-newer"]).await;
    // The address stays the older one's: nobody else gets it.
    site.create(asking(pod(&lan.name, "third"), json!({ "ips": [ip] }))).await;
    refused(site, (&lan.name, "third"), &["provided IP is already allocated", "a-older"]).await;
    demolish(site, &[lan]).await;
    controller.stop().await;
}

/// A primary network that somebody described in a NAD has numbers and serves pods as a UDN's does.
// proves: V-27
pub(crate) async fn of_hand_written_nads(site: &Site) {
    let controller = start_controller(site);
    site.create(primary_namespace("manual", "manual")).await;
    let text = json!({ "cniVersion": "1.1.0", "type": "ovn-k8s-cni-overlay", "name": "by-hand",
        "topology": "layer2", "role": "primary", "subnets": "10.10.0.0/16,fd10::/64",
        "allowPersistentIPs": true, "netAttachDefName": "manual/mine" });
    site.create(nad("manual", "mine", &text.to_string())).await;
    site.create(pod("manual", "plain")).await;
    let asks = json!({ "ips": ["10.10.0.77", "fd10::77"], "mac": "02:00:00:00:00:77" });
    site.create(asking(pod("manual", "asks"), asks)).await;
    let plain = addressed(site, ("manual", "plain"), "manual/mine").await;
    assert_eq!(plain["ip_addresses"], json!(["10.10.0.3/16", "fd10::3/64"]));
    let asked = addressed(site, ("manual", "asks"), "manual/mine").await;
    assert_eq!(asked["ip_addresses"], json!(["10.10.0.77/16", "fd10::77/64"]));
    assert_eq!(asked["mac_address"], "02:00:00:00:00:77");
    let nad = site.read(NAD, "manual", "mine").await.expect("it is there");
    let annotation = |key: &str| nad["metadata"]["annotations"][key].as_str().unwrap_or_default();
    let id: u32 = annotation(NETWORK_ID).parse().expect("a number");
    let keys: Vec<u32> = serde_json::from_str(annotation(TUNNEL_KEYS)).expect("a list");
    assert_eq!(keys, [16_711_683 + id, 16_715_779]);
    assert_eq!(annotation(NETWORK_NAME), "by-hand");
    for name in ["plain", "asks"] {
        site.delete(POD, "manual", name).await;
    }
    clear(site, &[(NAD, "manual", "mine")], &["manual"]).await;
    controller.stop().await;
}

/// A pod that is there before its network has its addresses as soon as the network is.
pub(crate) async fn wait_for_their_network(site: &Site) {
    let controller = start_controller(site);
    let lan = Lan::plain("early", 8);
    site.create(primary_namespace(&lan.name, &lan.name)).await;
    site.create(pod(&lan.name, "p")).await;
    site.until_told((POD, &lan.name, "p"), &["ErrorAllocatingPod"]).await;
    site.create(cudn(&lan.name, &lan.name, lan.primary(json!({})))).await;
    addressed(site, (&lan.name, "p"), &lan.key()).await;
    demolish(site, &[lan]).await;
    controller.stop().await;
}

/// Nobody is asked for a network that is there already, even if it may not be; when it is over, who
/// waits for it is told, and has addresses of the next one.
pub(crate) async fn wait_quietly_for_a_network_that_is_refused(site: &Site) {
    let controller = start_controller(site);
    let (lan, refused_one) = (Lan::plain("coming", 8), layer2("Primary", &["172.30.0.0/16"]));
    site.create(primary_namespace(&lan.name, &lan.name)).await;
    site.create(cudn("coming-not", &lan.name, refused_one)).await;
    let is_refused = |it: &Value| is(it, "NetworkCreated", "False");
    site.until_it((CUDN, "", "coming-not"), "refused", is_refused).await;
    let lost = json!([{ "name": "nowhere" }]);
    // What is told of the second is told after all that is told of the first.
    for name in ["p", "q"] {
        site.create(selecting(pod(&lan.name, name), lost.clone())).await;
        refused(site, (&lan.name, name), &["DefinitionNotFound"]).await;
    }
    let notes = site.notes(POD, &lan.name, "p").await;
    assert!(!notes.iter().any(|it| it.contains("Waiting")), "{notes:?}");
    site.delete(CUDN, "", "coming-not").await;
    site.until_told((POD, &lan.name, "p"), &["Waiting", "create a UDN"]).await;
    site.create(cudn(&lan.name, &lan.name, lan.primary(json!({})))).await;
    addressed(site, (&lan.name, "p"), &lan.key()).await;
    demolish(site, &[lan]).await;
    controller.stop().await;
}

/// Two networks of one name: only one may be, and the reconciles of the other leave its NADs ready.
pub(crate) async fn are_served_beside_a_namesake_of_their_network(site: &Site) {
    let controller = start_controller(site);
    let lan = Lan::plain("namesake", 8);
    build(site, &lan, json!({})).await;
    created(site, CUDN, "", &lan.name).await;
    site.create(primary_namespace("namesake-other", "other")).await;
    let text = json!({ "cniVersion": "1.1.0", "type": "ovn-k8s-cni-overlay",
        "name": lan.network(), "topology": "layer2", "subnets": "10.10.0.0/16",
        "netAttachDefName": "namesake-other/mine" });
    site.create(nad("namesake-other", "mine", &text.to_string())).await;
    site.until_told((NAD, "namesake-other", "mine"), &["NameConflict"]).await;
    site.create(pod(&lan.name, "p")).await;
    addressed(site, (&lan.name, "p"), &lan.key()).await;
    clear(site, &[(NAD, "namesake-other", "mine")], &["namesake-other"]).await;
    demolish(site, &[lan]).await;
    controller.stop().await;
}

/// A network that may not be any more takes nobody in, until it is mended; who is there stays.
pub(crate) async fn do_not_come_to_a_network_that_was_spoilt(site: &Site) {
    let controller = start_controller(site);
    site.create(primary_namespace("spoilt", "spoilt")).await;
    let text = |subnets: &str| {
        json!({ "cniVersion": "1.1.0", "type": "ovn-k8s-cni-overlay", "name": "spoilt",
            "topology": "layer2", "role": "primary", "subnets": subnets,
            "netAttachDefName": "spoilt/mine" })
        .to_string()
    };
    let config = |subnets: &str| json!({ "spec": { "config": text(subnets) } });
    site.create(nad("spoilt", "mine", &text("10.10.0.0/16"))).await;
    site.create(pod("spoilt", "early")).await;
    let before = addressed(site, ("spoilt", "early"), "spoilt/mine").await;
    site.patch(NAD, "spoilt", "mine", config("nonsense")).await;
    site.until_told((NAD, "spoilt", "mine"), &["InvalidConfig"]).await;
    let lost = json!([{ "name": "nowhere" }]);
    site.create(selecting(pod("spoilt", "late"), lost)).await;
    refused(site, ("spoilt", "late"), &["DefinitionNotFound"]).await;
    assert_eq!(addressed(site, ("spoilt", "early"), "spoilt/mine").await, before);
    site.patch(NAD, "spoilt", "mine", config("10.10.0.0/16")).await;
    addressed(site, ("spoilt", "late"), "spoilt/mine").await;
    for name in ["early", "late"] {
        site.delete(POD, "spoilt", name).await;
    }
    clear(site, &[(NAD, "spoilt", "mine")], &["spoilt"]).await;
    controller.stop().await;
}

//! Virtual machines: several pods, one holder of addresses.
//!
//! Invariant: owners are objects of the server, so that nobody collects what they own.

use serde_json::{Value, json};
use udn_wire::Kind;

use super::{CLAIM, POD, addressed, build, demolish, is, refused, start_controller};
use crate::kit::server::Site;
use crate::kit::workloads::{
    Lan, asking, claim, launcher, machine, owned_by, persistent, pod, virtual_machine,
};

/// A virtual machine that runs, and its claim; returns what runs.
async fn start(site: &Site, lan: &Lan, name: &str) -> Value {
    let owner = site.create(virtual_machine(&lan.name, name)).await;
    let claim = claim(&lan.name, &format!("{name}.net"), &lan.network());
    site.create(owned_by(claim, &owner)).await;
    site.create(owned_by(machine(&lan.name, name), &owner)).await
}

fn of(lan: &Lan, name: &str, machine: &str) -> Value {
    let reference = json!({ "ipam-claim-reference": format!("{machine}.net") });
    asking(launcher(&lan.name, name, machine), reference)
}

/// Source and target of a migration have the same addresses and MAC, and each its own port.
pub(crate) async fn migrate_with_their_addresses(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("move");
    for lan in &lans {
        build(site, lan, persistent()).await;
        let running = start(site, lan, "vm").await;
        site.create(owned_by(of(lan, "source", "vm"), &running)).await;
        let source = addressed(site, (&lan.name, "source"), &lan.key()).await;
        site.create(owned_by(of(lan, "target", "vm"), &running)).await;
        let target = addressed(site, (&lan.name, "target"), &lan.key()).await;
        assert_eq!(target["ip_addresses"], source["ip_addresses"]);
        assert_eq!(target["mac_address"], source["mac_address"]);
        assert_ne!(target["tunnel_id"], source["tunnel_id"]);
        site.delete(POD, &lan.name, "source").await;
        let told = site
            .until_it((CLAIM, &lan.name, "vm.net"), "used by the target", |it| {
                it["status"]["ownerPod"]["name"] == "target"
            })
            .await;
        assert!(is(&told, "IPsAllocated", "True"));
        assert_eq!(told["status"]["ips"], source["ip_addresses"]);
        // Without a claim too, as long as one of its pods is there.
        let free = json!({ "mac": "02:00:00:00:00:0a", "ips": lan.ips(77) });
        let loose = |name: &str| asking(launcher(&lan.name, name, "loose"), free.clone());
        site.create(loose("loose-source")).await;
        let source = addressed(site, (&lan.name, "loose-source"), &lan.key()).await;
        site.create(loose("loose-target")).await;
        let target = addressed(site, (&lan.name, "loose-target"), &lan.key()).await;
        assert_eq!(target["ip_addresses"], source["ip_addresses"]);
        assert_eq!(target["mac_address"], source["mac_address"]);
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// The pod's machine is nowhere to be read; its name is the name of the claim's owner.
pub(crate) async fn that_cannot_be_read_are_known_by_name(site: &Site) {
    let controller = start_controller(site);
    let lan = Lan::plain("named", 8);
    build(site, &lan, persistent()).await;
    start(site, &lan, "vm").await;
    let unread = site.create(machine("default", "unread")).await;
    site.create(owned_by(of(&lan, "known", "vm"), &unread)).await;
    addressed(site, (&lan.name, "known"), &lan.key()).await;
    site.delete(Kind::Machine, "default", "unread").await;
    demolish(site, &[lan]).await;
    controller.stop().await;
}

/// Another workload's claim is not for a pod, whoever uses it now; for another pod of its owner it is.
// proves: V-16
pub(crate) async fn of_others_are_refused(site: &Site) {
    let controller = start_controller(site);
    let lans = Lan::of_each_family("alien");
    for lan in &lans {
        build(site, lan, persistent()).await;
        let running = start(site, lan, "vm").await;
        let other = start(site, lan, "other").await;
        site.create(owned_by(of(lan, "own", "vm"), &running)).await;
        let own = addressed(site, (&lan.name, "own"), &lan.key()).await;
        let reference = json!({ "ipam-claim-reference": "vm.net" });
        let thief = asking(launcher(&lan.name, "thief", "other"), reference.clone());
        site.create(owned_by(thief, &other)).await;
        site.create(asking(pod(&lan.name, "bare"), reference)).await;
        for name in ["thief", "bare"] {
            refused(site, (&lan.name, name), &["ClaimHeld", "vm"]).await;
        }
        let told = site.read(CLAIM, &lan.name, "vm.net").await.expect("it is there");
        assert_eq!(told["status"]["ownerPod"]["name"], "own");
        site.create(owned_by(of(lan, "target", "vm"), &running)).await;
        let target = addressed(site, (&lan.name, "target"), &lan.key()).await;
        assert_eq!(target["ip_addresses"], own["ip_addresses"]);
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

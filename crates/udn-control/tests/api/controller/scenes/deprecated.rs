//! `k8s.ovn.org/primary-udn-ipamclaim`, the former way for a pod to name its claim.
//!
//! Invariant: every scene names its objects after itself.

use serde_json::{Value, json};
use udn_model::ClusterSettings;
use udn_model::settings::Deprecation;
use udn_wire::keys::PRIMARY_CLAIM;

use super::{POD, addressed, build, demolish, refused, start_controller, start_controller_with};
use crate::kit::server::Site;
use crate::kit::workloads::{Lan, annotated, asking, claim_for, persistent, pod};

/// A pod that names its claim in the former way.
fn naming(lan: &Lan, name: &str, claim: &str) -> Value {
    annotated(pod(&lan.name, name), PRIMARY_CLAIM, claim)
}

/// What the events say after the name of the annotation.
const INSTEAD: &str =
    "write v1.multus-cni.io/default-network with \"ipam-claim-reference\": \"vm.net\" instead";

async fn build_all(site: &Site, name: &str) -> [Lan; 3] {
    let lans = Lan::of_each_family(name);
    for lan in &lans {
        build(site, lan, persistent()).await;
        site.create(claim_for(&lan.name, "vm.net", &lan.network(), &lan.ips(50))).await;
    }
    lans
}

/// Waits for an event of a pod that has these words; returns it as the server holds it.
async fn warning(site: &Site, lan: &Lan, name: &str, reason: &str, words: &str) {
    site.until_told((POD, &lan.name, name), &[&format!("{reason}: "), words]).await;
    let events = site.events_of(POD, &lan.name, name).await;
    let event = events.iter().find(|it| it["reason"] == reason).expect("it was told");
    assert_eq!(event["type"], "Warning", "{event:#}");
    assert!(event["note"].as_str().is_some_and(|it| it.contains(words)), "{event:#}");
}

/// The three stages of its deprecation.
// proves: V-13, A-27
pub(crate) async fn warn_refuse_and_ignore(site: &Site) {
    let stage = |claim_annotation| ClusterSettings { claim_annotation, ..<_>::default() };
    let controller = start_controller_with(site, stage(Deprecation::Warn));
    let lans = build_all(site, "legacy").await;
    for lan in &lans {
        site.create(naming(lan, "warned", "vm.net")).await;
        let entry = addressed(site, (&lan.name, "warned"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(50)));
        warning(site, lan, "warned", "Deprecated", INSTEAD).await;
        site.delete(POD, &lan.name, "warned").await;
    }
    controller.stop().await;
    let controller = start_controller_with(site, stage(Deprecation::Refuse));
    for lan in &lans {
        site.create(naming(lan, "refused", "vm.net")).await;
        let why = format!("{PRIMARY_CLAIM} is no longer supported; {INSTEAD}");
        refused(site, (&lan.name, "refused"), &[&why]).await;
        site.delete(POD, &lan.name, "refused").await;
    }
    controller.stop().await;
    let controller = start_controller_with(site, stage(Deprecation::Ignore));
    for lan in &lans {
        site.create(naming(lan, "ignored", "vm.net")).await;
        let entry = addressed(site, (&lan.name, "ignored"), &lan.key()).await;
        assert_ne!(entry["ip_addresses"], json!(lan.cidrs(50)));
        let why = format!("{PRIMARY_CLAIM} has no effect; {INSTEAD}");
        warning(site, lan, "ignored", "RequestIgnored", &why).await;
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

/// Honoured with a warning by default; ignored where the pod has `v1.multus-cni.io/default-network`.
// proves: A-20
pub(crate) async fn come_after_the_annotation_of_today(site: &Site) {
    let controller = start_controller(site);
    let lans = build_all(site, "former").await;
    for lan in &lans {
        site.create(naming(lan, "alone", "vm.net")).await;
        let entry = addressed(site, (&lan.name, "alone"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(50)));
        let why = format!(
            "{PRIMARY_CLAIM} is deprecated and will be removed in a future release; {INSTEAD}"
        );
        warning(site, lan, "alone", "Deprecated", &why).await;
        site.create(claim_for(&lan.name, "new.net", &lan.network(), &lan.ips(51))).await;
        let reference = json!({ "ipam-claim-reference": "new.net" });
        site.create(asking(naming(lan, "both", "vm.net"), reference)).await;
        let entry = addressed(site, (&lan.name, "both"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(51)));
        site.create(asking(naming(lan, "set", "vm.net"), json!({ "ips": lan.ips(52) }))).await;
        let entry = addressed(site, (&lan.name, "set"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(52)), "the annotation is ignored");
    }
    demolish(site, &lans).await;
    controller.stop().await;
}

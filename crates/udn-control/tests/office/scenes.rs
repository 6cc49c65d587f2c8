//! What users see of the office, scene by scene.
//!
//! Invariant: a scene leaves no network behind, so that the next one starts with free numbers.

use serde_json::Value;
use udn_control::cluster::server::OfficeSettings;
use udn_kube::Kind;
use udn_model::ClusterSettings;

use super::server::Site;
use super::staff::Staff;

mod definitions;
mod deletion;
mod isolation;
mod numbers;
mod readiness;

pub(super) const CUDN: Kind = Kind::ClusterUserDefinedNetwork;
pub(super) const UDN: Kind = Kind::UserDefinedNetwork;
pub(super) const NAD: Kind = Kind::Definition;

/// Plays all scenes, one after the other.
pub(crate) async fn all(site: &Site) {
    macro_rules! play {
        ($($scene:path),* $(,)?) => {$(
            println!("{}", stringify!($scene));
            $scene(site).await;
        )*};
    }
    play!(
        definitions::of_every_selector,
        definitions::follow_namespaces,
        definitions::of_a_udn,
        definitions::drift_is_repaired,
        definitions::one_namespace_in_the_way_costs_no_other,
        definitions::the_default_one_always_exists,
        definitions::what_bypassed_admission_is_told,
        numbers::stay_through_restarts_and_other_settings,
        numbers::of_hand_written_definitions,
        numbers::that_run_out_are_told,
        numbers::transit_subnets_keep_clear,
        numbers::of_nodes,
        readiness::of_localnets,
        readiness::other_writers_conditions_stay,
        deletion::in_every_order,
        deletion::waits_for_living_pods,
        deletion::while_nobody_works,
        isolation::garbage_costs_no_other,
    );
}

/// An office with ordinary settings.
pub(super) fn open(site: &Site) -> Staff {
    open_with(site, ClusterSettings::default())
}

pub(super) fn open_with(site: &Site, settings: ClusterSettings) -> Staff {
    Staff::open(&site.client, OfficeSettings::new(settings))
}

/// The configuration of a NAD.
pub(super) fn config(nad: &Value) -> Value {
    let text = nad["spec"]["config"].as_str().expect("a NAD has a configuration");
    serde_json::from_str(text).expect("ours is JSON")
}

/// A condition of a network.
pub(super) fn condition<'a>(network: &'a Value, name: &str) -> &'a Value {
    let all = network["status"]["conditions"].as_array();
    let found = all.into_iter().flatten().find(|it| it["type"] == name);
    found.unwrap_or(&Value::Null)
}

pub(super) fn is(network: &Value, name: &str, status: &str) -> bool {
    condition(network, name)["status"] == status
}

/// Whether the condition says this, among other things.
pub(super) fn says(network: &Value, name: &str, words: &str) -> bool {
    condition(network, name)["message"].as_str().is_some_and(|it| it.contains(words))
}

/// Waits until a network was created and has its numbers.
pub(super) async fn created(site: &Site, kind: Kind, namespace: &str, name: &str) -> Value {
    site.until_it((kind, namespace, name), "created and allocated", |it| {
        is(it, "NetworkCreated", "True") && is(it, "NetworkAllocationSucceeded", "True")
    })
    .await
}

/// Deletes networks and namespaces, and waits until they are gone.
pub(super) async fn clear(site: &Site, networks: &[(Kind, &str, &str)], namespaces: &[&str]) {
    for (kind, namespace, name) in networks {
        site.delete(*kind, namespace, name).await;
    }
    for (kind, namespace, name) in networks {
        site.until_gone(*kind, namespace, name).await;
    }
    for name in namespaces {
        site.delete(Kind::Namespace, "", name).await;
    }
    for name in namespaces {
        site.until_gone(Kind::Namespace, "", name).await;
    }
}

//! What users see of the controller, scene by scene.
//!
//! Invariant: a scene leaves no network behind, so that the next one starts with free numbers.

use serde_json::Value;
use udn_control::cluster::ControllerSettings;
use udn_model::ClusterSettings;
use udn_wire::Kind;
use udn_wire::keys::POD_NETWORKS;

use crate::kit::objects::{cudn, primary_namespace};
use crate::kit::server::Site;
use crate::kit::staff::Staff;
use crate::kit::workloads::{Lan, entry};

mod claims;
mod deletion;
mod isolation;
mod machines;
mod nads;
mod numbers;
mod pods;
mod readiness;
mod requests;
mod secondary;
mod wrong_requests;

pub(super) const CUDN: Kind = Kind::ClusterUserDefinedNetwork;
pub(super) const UDN: Kind = Kind::UserDefinedNetwork;
pub(super) const NAD: Kind = Kind::Nad;
pub(super) const POD: Kind = Kind::Pod;
pub(super) const CLAIM: Kind = Kind::Claim;

/// Plays scenes one after the other; with `ONLY` set, those whose name has it.
macro_rules! play {
    ($site:ident: $($scene:path),* $(,)?) => {
        let only = std::env::var("ONLY").unwrap_or_default();
        $(if stringify!($scene).contains(&only) {
            println!("{}", stringify!($scene));
            $scene($site).await;
        })*
    };
}

/// Everything about networks.
pub(crate) async fn of_networks(site: &Site) {
    play!(site:
        nads::of_every_selector,
        nads::follow_namespaces,
        nads::of_a_udn,
        nads::drift_is_repaired,
        nads::one_namespace_in_the_way_costs_no_other,
        nads::the_default_one_always_exists,
        nads::what_bypassed_admission_is_told,
        numbers::stay_through_restarts_and_other_settings,
        numbers::of_hand_written_nads,
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

/// Everything about addresses.
pub(crate) async fn of_addresses(site: &Site) {
    play!(site:
        isolation::workloads_that_panic_cost_no_other,
        pods::are_annotated_as_on_the_wire,
        pods::are_written_once_for_all_their_networks,
        pods::give_their_addresses_back_when_they_end,
        pods::keep_what_they_carry_over_a_restart,
        pods::that_carry_one_address_are_both_told,
        pods::of_hand_written_nads,
        pods::wait_for_their_network,
        pods::wait_quietly_for_a_network_that_is_refused,
        pods::are_served_beside_a_namesake_of_their_network,
        pods::do_not_come_to_a_network_that_was_spoilt,
        requests::for_ip_and_mac_each_without_the_other,
        requests::in_reserved_ranges_are_honoured_and_nothing_else_is_there,
        requests::for_what_was_the_gateways,
        requests::cannot_be_changed,
        requests::switched_off_are_told,
        wrong_requests::for_infrastructure_are_refused,
        wrong_requests::that_do_not_fit_are_refused,
        wrong_requests::for_what_others_hold_name_the_holder,
        wrong_requests::for_another_default_network_are_refused,
        secondary::requests_are_honoured,
        secondary::claims_are_honoured,
        claims::keep_addresses_for_the_next_pod,
        claims::out_of_range_are_mended,
        claims::that_ask_for_something_else_later_are_told,
        claims::in_conflict_tell_the_claim_and_the_pod,
        claims::of_stopped_machines_stay_theirs_over_a_restart,
        claims::that_are_deleted_give_back_what_nobody_uses,
        claims::that_do_not_fit_are_told,
        claims::without_free_addresses_wait,
        claims::by_the_deprecated_annotation,
        machines::migrate_with_their_addresses,
        machines::that_cannot_be_read_are_known_by_name,
        machines::of_others_are_refused,
    );
}

/// A controller with ordinary settings.
pub(super) fn open(site: &Site) -> Staff {
    open_with(site, ClusterSettings::default())
}

pub(super) fn open_with(site: &Site, settings: ClusterSettings) -> Staff {
    Staff::open(&site.client, ControllerSettings::new(settings))
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

/// Makes a primary network and its namespace.
pub(super) async fn build(site: &Site, lan: &Lan, more: Value) {
    site.create(primary_namespace(&lan.name, &lan.name)).await;
    site.create(cudn(&lan.name, &lan.name, lan.primary(more))).await;
}

/// Takes it away, with everybody who is on it.
pub(super) async fn demolish(site: &Site, lans: &[Lan]) {
    for kind in [POD, CLAIM] {
        for object in site.all(kind).await {
            let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default();
            if lans.iter().any(|lan| lan.name == text("namespace")) {
                site.delete(kind, text("namespace"), text("name")).await;
            }
        }
    }
    let networks: Vec<_> = lans.iter().map(|lan| (CUDN, "", lan.name.as_str())).collect();
    let namespaces: Vec<_> = lans.iter().map(|lan| lan.name.as_str()).collect();
    clear(site, &networks, &namespaces).await;
}

/// Waits until a pod has something on a network; returns what.
pub(super) async fn addressed(site: &Site, (namespace, name): (&str, &str), key: &str) -> Value {
    let place = (POD, namespace, name);
    let pod = site.until_it(place, "annotated", |it| entry(it, key).is_object()).await;
    entry(&pod, key)
}

/// Waits until a pod is told why it has nothing on its network.
pub(super) async fn refused(
    site: &Site,
    (namespace, name): (&str, &str),
    words: &[&str],
) -> String {
    let told = site.until_told((POD, namespace, name), words).await;
    assert!(told.starts_with("ErrorAllocatingPod: "), "{told}");
    let pod = site.read(POD, namespace, name).await.expect("it is there");
    assert_eq!(pod["metadata"]["annotations"][POD_NETWORKS], Value::Null, "{told}");
    told
}

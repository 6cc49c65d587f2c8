//! Pods that come, end and go: what is granted, and what is free again.

use serde_json::{Value, json};
use udn_model::{ObjectName, Subnet};
use udn_wire::{PodNetwork, keys};

use super::cases::Case;
use super::controller::{Controller, HOME, settings};

const KEY: &str = "namespace/nad";

pub(crate) fn difference(case: &Case) -> Result<(), String> {
    let mut controller = Controller::new(settings(true));
    controller.put_network("nad", &network(case));
    let is_freed = case.is("/expected/id_release") || case.is("/expected/ip_release");
    if is_freed || case.is("/input/already_released") {
        return leave(case, &mut controller);
    }
    come(case, &mut controller)
}

/// A pod that comes, if it does.
fn come(case: &Case, controller: &mut Controller) -> Result<(), String> {
    if case.text("/input/mac_registry_behaviour/reserve_error").ends_with("already in use") {
        controller.put_pod("a-holder", &asks("0a:0a:0a:0a:0a:0a", &[]));
        let earlier = controller.reconcile_pod(&named("a-holder"), KEY);
        assert!(earlier.entry.is_some(), "{:?}", earlier.findings);
    }
    if !case.at("/input/new_pod").is_null() {
        controller.put(pod(case));
    }
    put_claim(case, controller);
    let outcome = controller.reconcile_pod(&named("pod"), KEY);
    let told = outcome.findings.first().map(ToString::to_string);
    let fails = !case.text("/expected/error_substring").is_empty();
    match (told, fails) {
        (Some(_), true) => return Ok(()),
        (Some(told), false) => return Err(format!("failed ({told})")),
        (None, true) => return Err("worked, but the case says error".to_owned()),
        (None, false) => (),
    }
    let is_granted = outcome.entry.is_some();
    if is_granted != case.is("/expected/allocate") {
        return Err(format!("granted: {is_granted}"));
    }
    let mac = outcome.entry.map(|entry| entry.mac.to_string());
    let want = case.at("/expected/mac_reserved").as_str().map(ToOwned::to_owned);
    if want.is_some() && mac != want {
        return Err(format!("{mac:?} instead of {want:?}"));
    }
    holder(case, controller)
}

/// Who is taken for the holder: the pod, or the virtual machine in it.
fn holder(case: &Case, controller: &Controller) -> Result<(), String> {
    let want = case.text("/expected/mac_owner_id");
    let intent = controller.read().1.value;
    let attachment = intent.attachments.values().flat_map(|it| it.values()).next();
    let holder = attachment.map(|it| it.machine.as_ref().unwrap_or(&it.key.pod).to_string());
    match holder {
        Some(holder) if !want.is_empty() && holder != want => {
            Err(format!("held by {holder} instead of {want}"))
        }
        Some(_) | None => Ok(()),
    }
}

/// A pod that lived, and has ended or gone: who comes then gets its addresses and MAC, or not.
fn leave(case: &Case, controller: &mut Controller) -> Result<(), String> {
    let pod = pod(case);
    let mut living = pod.clone();
    living.as_object_mut().unwrap().remove("status");
    let is_mismatched =
        case.text("/input/mac_registry_behaviour/release_error").contains("different owner");
    let has_sibling = case.is("/input/sibling_vm_pod_running");
    if is_mismatched || has_sibling {
        let mut other = living.clone();
        other["metadata"]["name"] = "a-other".into();
        other["metadata"]["uid"] = "other".into();
        controller.put(other);
    }
    controller.put(living);
    put_claim(case, controller);
    let entry = controller.reconcile_pod(&named("pod"), KEY).entry.ok_or("nothing was granted")?;
    controller.remove_pod(&named("pod"));
    let has_claim = !case.texts("/input/ipam_claim/status/ips").is_empty();
    let is_free = !is_mismatched && !has_sibling && !has_claim;
    if case.is("/input/already_released") {
        assert!(newcomer(controller, "first", &entry), "what was released is free");
        controller.remove_pod(&named("pod"));
        let is_held = !newcomer(controller, "second", &entry);
        return if is_held { Ok(()) } else { Err("released twice".to_owned()) };
    }
    // One that ended is still there, and asks for nothing.
    if !case.at("/input/new_pod").is_null() {
        controller.put(pod);
        assert!(controller.reconcile_pod(&named("pod"), KEY).findings.is_empty());
    }
    let got = newcomer(controller, "first", &entry);
    if got == is_free { Ok(()) } else { Err(format!("free afterwards: {got}")) }
}

/// Whether somebody else can have the same.
fn newcomer(controller: &mut Controller, name: &str, entry: &PodNetwork) -> bool {
    let addresses: Vec<String> = entry.addresses.iter().map(ToString::to_string).collect();
    controller.put_pod(name, &asks(&entry.mac.to_string(), &addresses));
    controller.reconcile_pod(&named(name), KEY).entry.is_some()
}

fn asks(mac: &str, addresses: &[String]) -> Value {
    let mut element = json!({"name": "nad", "mac": mac});
    if !addresses.is_empty() {
        element["ips"] = json!(addresses);
    }
    json!({keys::SELECTION: json!([element]).to_string()})
}

/// The pod; one that has its claim's addresses, or those of a claim that is not found, carries them.
fn pod(case: &Case) -> Value {
    let mut pod = case.at("/input/new_pod").clone();
    if pod.is_null() {
        pod = case.at("/input/old_pod").clone();
    }
    pod["apiVersion"] = "v1".into();
    pod["kind"] = "Pod".into();
    if case.id.ends_with("not-found-ip-released") {
        let entry = json!({KEY: {"ip_addresses": ["10.1.130.5/24"],
            "mac_address": "0a:58:0a:01:82:05"}});
        pod["metadata"]["annotations"][keys::POD_NETWORKS] = entry.to_string().into();
    }
    if case.is("/input/release_completed") {
        give_addresses(case, &mut pod);
    }
    pod
}

/// Those annotations have no address where the network has a subnet; an entry of ours has one.
fn give_addresses(case: &Case, pod: &mut Value) {
    let has_subnets = !case.at("/input/network_config/subnets").is_null();
    let text = &mut pod["metadata"]["annotations"][keys::POD_NETWORKS];
    let Some(entry) = text.as_str().filter(|_| has_subnets) else { return };
    *text = entry.replace(":null", ":[\"10.1.130.5/24\"]").into();
}

/// The claim, unless the case is that it is not found.
fn put_claim(case: &Case, controller: &mut Controller) {
    let mut claim = case.at("/input/ipam_claim").clone();
    if claim["status"]["ips"].is_null() {
        return;
    }
    claim["spec"]["network"] = "nad".into();
    claim["apiVersion"] = "k8s.cni.cncf.io/v1alpha1".into();
    claim["kind"] = "IPAMClaim".into();
    controller.put(claim);
}

/// The network; its subnet is that of the claim's addresses, and a primary one needs a subnet.
fn network(case: &Case) -> Value {
    let mut config = case.at("/input/network_config").clone();
    if let Some(address) = case.texts("/input/ipam_claim/status/ips").first() {
        config["subnets"] = Subnet::parse(address).unwrap().to_string().into();
    }
    if config["role"] == "primary" {
        config["subnets"] = "10.1.130.0/24".into();
    }
    config
}

fn named(name: &str) -> ObjectName {
    ObjectName::new(HOME, name)
}

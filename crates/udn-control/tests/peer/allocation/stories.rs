//! Whole stories: pods with predefined addresses, virtual machines with claims.

use serde_json::json;
use udn_model::{Finding, ObjectName, Reason, Subnet};
use udn_wire::keys;

use super::cases::{Case, texts};
use super::controller::{Controller, HOME, Outcome, annotation, settings};

pub(crate) fn difference(case: &Case) -> Result<(), String> {
    let mut controller = Controller::new(settings(true));
    controller.label();
    if case.id.starts_with("e2e-vm-") {
        return machines(case, &mut controller);
    }
    let mut manifest = case.at("/input/manifest").clone();
    manifest["metadata"]["namespace"] = HOME.into();
    let key = format!("{HOME}/{}", manifest["metadata"]["name"].as_str().unwrap());
    controller.put(manifest);
    let pods = case.at("/input/pods").as_array().cloned().unwrap_or_default();
    if pods.is_empty() {
        controller.put_pod("pod", &json!({}));
        return plain(case, &controller.reconcile_pod(&ObjectName::new(HOME, "pod"), &key));
    }
    let mut outcomes = pods.iter().map(|pod| {
        let name = pod["name"].as_str().unwrap();
        controller.put_pod(name, &pod["annotations"]);
        controller.reconcile_pod(&ObjectName::new(HOME, name), &key)
    });
    let (first, second) = (outcomes.next().unwrap(), outcomes.next().unwrap());
    let entry = first.entry.ok_or("the first pod has nothing")?;
    let addresses: Vec<String> = entry.addresses.iter().map(|it| it.addr().to_string()).collect();
    let want = case.texts("/expected/first_pod/network_status_default_ips");
    if addresses != want {
        return Err(format!("{addresses:?} instead of {want:?}"));
    }
    told(&second.findings, case.text("/expected/second_pod_event/message_substring"))
}

/// A pod without a request.
fn plain(case: &Case, outcome: &Outcome) -> Result<(), String> {
    let entry = outcome.entry.as_ref().ok_or_else(|| format!("{:?}", outcome.findings))?;
    let gateways: Vec<String> = entry.gateways.iter().map(ToString::to_string).collect();
    let want = case.texts("/expected/pod_networks_annotation_gateway_ips_contain");
    if gateways != want {
        return Err(format!("{gateways:?} instead of {want:?}"));
    }
    let reserved = case.texts("/input/manifest/spec/layer2/reservedSubnets");
    let reserved: Vec<Subnet> = reserved.iter().map(|it| Subnet::parse(it).unwrap()).collect();
    let is_reserved =
        entry.addresses.iter().any(|it| reserved.iter().any(|range| range.contains(it.addr())));
    if is_reserved { Err(format!("{:?} is reserved", entry.addresses)) } else { Ok(()) }
}

/// One virtual machine, or two that ask for the same.
fn machines(case: &Case, controller: &mut Controller) -> Result<(), String> {
    let given = case.at("/input/cudn");
    let subnets = texts(&given["subnets"]).join(",");
    controller.put_network(
        "net1",
        &json!({"name": "net1", "topology": "layer2", "role": "primary",
        "subnets": subnets, "allowPersistentIPs": given["ipam_lifecycle"] == "Persistent"}),
    );
    let first = start(case, controller, "one");
    let expected = case.at("/expected");
    if !expected["pod_event"].is_null() {
        let want = expected["pod_event"]["message_substring"].as_str().unwrap();
        return told(&first.findings, want);
    }
    let entry = first.entry.ok_or_else(|| format!("{:?}", first.findings))?;
    let addresses: Vec<String> = entry.addresses.iter().map(|it| it.addr().to_string()).collect();
    let want = texts(&expected["vmi_addresses"]);
    if !want.is_empty() && addresses != want {
        return Err(format!("{addresses:?} instead of {want:?}"));
    }
    if expected["second_pod_event"].is_null() {
        return Ok(());
    }
    let second = start(case, controller, "two");
    if second.entry.is_some() {
        return Err("the second machine has addresses".to_owned());
    }
    told(&second.findings, expected["second_pod_event"]["message_substring"].as_str().unwrap())
}

/// A launcher pod with the claim of its machine.
fn start(case: &Case, controller: &mut Controller, machine: &str) -> Outcome {
    let mut element = json!({"ipam-claim-reference": format!("{machine}.net1")});
    for (key, field) in [("vm_requested_ips", "ips"), ("vm_requested_mac", "mac")] {
        let asked = case.at(&format!("/input/{key}"));
        if !asked.is_null() {
            element[field] = asked.clone();
        }
    }
    let owner = |kind: &str, uid: &str| {
        json!([{"apiVersion": "kubevirt.io/v1", "kind": kind, "name": machine, "uid": uid,
            "controller": true}])
    };
    let (maker, running) = (format!("{machine}-vm"), format!("{machine}-vmi"));
    controller.put(json!({"apiVersion": "k8s.cni.cncf.io/v1alpha1", "kind": "IPAMClaim",
        "metadata": {"name": format!("{machine}.net1"), "namespace": HOME,
            "ownerReferences": owner("VirtualMachine", &maker)},
        "spec": {"network": "net1", "interface": ""}}));
    controller.put(json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance",
        "metadata": {"name": machine, "namespace": HOME, "uid": running,
            "ownerReferences": owner("VirtualMachine", &maker)}}));
    let (key, text) = annotation(&element, true);
    let name = format!("virt-launcher-{machine}");
    controller.put(json!({"apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": "node"},
        "metadata": {"name": name, "namespace": HOME,
            "labels": {keys::LAUNCHER_LABEL: keys::LAUNCHER},
            "annotations": {key: text, keys::MACHINE_NAME: machine},
            "ownerReferences": owner("VirtualMachineInstance", &running)}}));
    controller.reconcile_pod(&ObjectName::new(HOME, &name), &format!("{HOME}/net1"))
}

/// Whether the findings have the reason that the other project's words stand for.
fn told(findings: &[Finding], words: &str) -> Result<(), String> {
    let reason = match words {
        "provided IP is already allocated" => Reason::AddressTaken,
        "MAC address already in use" => Reason::MacTaken,
        "subnet address pool exhausted" => Reason::PoolExhausted,
        _ => Reason::FamilyMismatch,
    };
    if findings.iter().any(|it| it.reason == reason) {
        return Ok(());
    }
    Err(format!("{findings:?} instead of {reason:?}"))
}

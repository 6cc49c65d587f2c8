//! Virtual machines: which runs in a pod, which a claim belongs to, and whose pods are one owner's.
//!
//! Invariant: a pod belongs to the owner of a claim by uid; by name only where its machine cannot
//! be read.

use udn_model::ObjectName;
use udn_wire::keys::{LAUNCHER, LAUNCHER_LABEL, MACHINE_NAME};
use udn_wire::object::{IpamClaim, OwnerReference, Pod};

use crate::world::World;

/// The kinds of owners that are virtual machines.
// compat: kubevirt.io/v1, a VirtualMachine makes a VirtualMachineInstance, which makes pods
const MACHINE: &str = "VirtualMachineInstance";
const MACHINE_MAKER: &str = "VirtualMachine";

/// The virtual machine that runs in a pod.
pub(super) fn machine_of(pod: &Pod) -> Option<ObjectName> {
    let is_launcher = pod.metadata.labels.get(LAUNCHER_LABEL).is_some_and(|it| it == LAUNCHER);
    let name = machine_name(pod).filter(|_| is_launcher)?;
    Some(ObjectName::new(&pod.metadata.namespace, name))
}

/// The virtual machine that a claim belongs to.
pub(super) fn machine_of_claim(claim: &IpamClaim) -> Option<ObjectName> {
    let owner = owner_of(claim)?;
    let is_machine = [MACHINE, MACHINE_MAKER].contains(&owner.kind.as_str());
    is_machine.then(|| ObjectName::new(&claim.metadata.namespace, &owner.name))
}

/// For whom a claim was made.
pub(super) fn owner_of(claim: &IpamClaim) -> Option<&OwnerReference> {
    claim.metadata.controller().or_else(|| claim.metadata.owner_references.first())
}

/// Whether a pod belongs to the owner of a claim in a namespace.
pub(super) fn is_of(world: &World, pod: &Pod, (namespace, owner): (&str, &OwnerReference)) -> bool {
    let own = pod.metadata.controller();
    if own.is_some_and(|own| own.uid == owner.uid) {
        return true;
    }
    let machine = own.filter(|own| own.kind == MACHINE).and_then(|own| {
        let name = ObjectName::new(&pod.metadata.namespace, &own.name);
        world.machines.get(&name).filter(|machine| machine.metadata.uid == own.uid)
    });
    match machine {
        Some(machine) => machine.metadata.controller().is_some_and(|it| it.uid == owner.uid),
        None => machine_name(pod) == Some(&owner.name) && pod.metadata.namespace == namespace,
    }
}

/// Whether two pods have the same owner.
pub(super) fn are_of_one(first: &Pod, second: &Pod) -> bool {
    let uid = |pod: &Pod| pod.metadata.controller().map(|owner| owner.uid.clone());
    uid(first).is_some_and(|first| Some(first) == uid(second))
}

fn machine_name(pod: &Pod) -> Option<&str> {
    let label = || pod.metadata.labels.get(MACHINE_NAME).map(String::as_str);
    pod.metadata.annotation(MACHINE_NAME).or_else(label).filter(|name| !name.is_empty())
}

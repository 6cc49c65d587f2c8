//! Which attachments of a pod an ADD means, and whether everything is known of them.
//!
//! Reads the request and what is known of the pod; returns the facts to wire, or what is missing.
//! Invariant: a pod gets all links that a request stands for, or none.

use udn_cni::net_conf::NetAttachDef;
use udn_cni::{CniError, Code, PodInterface};
use udn_host::PodFacts;
use udn_host::survey::{PodPlace, bandwidth, interface, pod_facts};
use udn_model::{ClusterSettings, ObjectName};
use udn_wire::keys::{POD_NETWORKS, STATIC_POD_HASH};

use super::pods::{KnownAttachment, KnownPod};

#[cfg(test)]
mod tests;

/// What there is besides the pod.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) settings: &'a ClusterSettings,
    /// What the switch's database says of bridges and physical networks.
    pub(super) mappings: &'a str,
    pub(super) place: &'a PodPlace,
}

/// What becomes of a request, as far as is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// These links are to be made, in this order.
    Ready(Vec<PodFacts>),
    /// For what to wait, and what to do if it does not come.
    Waits(String),
    Refused(CniError),
}

/// The pod that a request is about.
pub(super) fn pod_of(request: &PodInterface) -> ObjectName {
    ObjectName::new(&request.arguments.namespace, &request.arguments.pod)
}

/// Judges a request; `pod` is what is known of its pod.
pub(super) fn judge(request: &PodInterface, pod: Option<&KnownPod>, scene: Scene<'_>) -> Judgement {
    let name = pod_of(request);
    let Some(pod) = pod else {
        return Judgement::Waits(
            "word of it from the API server; if it exists, see whether udn node reaches the API \
             server"
                .to_owned(),
        );
    };
    if !is_same(request, pod) {
        return other_life(request, &name, pod);
    }
    if let Err(error) = bandwidth(&pod.metadata) {
        return Judgement::Refused(CniError::new(
            Code::InvalidConfig,
            format!("pod {name}: {error}"),
        ));
    }
    let found = match nad_of(request, scene.settings) {
        None => on_default(&name, pod, scene.settings),
        Some(nad) => through_nad(request, nad, pod),
    };
    match found {
        Ok(wanted) => facts(request, pod, &wanted, scene),
        Err(judgement) => judgement,
    }
}

/// Whether the request is about this life of the pod; old runtimes do not tell.
fn is_same(request: &PodInterface, pod: &KnownPod) -> bool {
    let uid = request.arguments.uid.as_deref();
    uid.is_none_or(|uid| uid == pod.uid || pod.metadata.annotation(STATIC_POD_HASH) == Some(uid))
}

fn other_life(request: &PodInterface, name: &ObjectName, pod: &KnownPod) -> Judgement {
    let asked = request.arguments.uid.as_deref().unwrap_or_default();
    if pod.is_leaving {
        return Judgement::Waits(format!(
            "the pod of uid {} to be gone, which had the name before; see what holds it",
            pod.uid
        ));
    }
    let message = format!(
        "pod {name} has the uid {} and not {asked}: the pod that was asked for is gone; its kubelet \
         starts the new one by itself",
        pod.uid
    );
    Judgement::Refused(CniError::new(Code::UnknownContainer, message))
}

/// The NAD of a request; none for the default network, however it is named.
fn nad_of<'a>(request: &'a PodInterface, settings: &ClusterSettings) -> Option<&'a NetAttachDef> {
    let ObjectName { namespace, name } = &settings.default_nad;
    let is_default = |nad: &&NetAttachDef| nad.namespace == **namespace && nad.name == **name;
    request.conf.net_attach_def.as_ref().filter(|nad| !is_default(nad))
}

/// The links of a pod that its runtime asks for by itself: into the default network, and into the
/// main network of its namespace, if that is another.
fn on_default<'a>(
    name: &ObjectName,
    pod: &'a KnownPod,
    settings: &ClusterSettings,
) -> Result<Vec<&'a KnownAttachment>, Judgement> {
    if !settings.builds_default_network {
        let message = format!(
            "pod {name}: the default network of this cluster is another plugin's; make that plugin \
             the first in the folder of CNI configurations"
        );
        return Err(Judgement::Refused(CniError::new(Code::InvalidConfig, message)));
    }
    let default = pod.attachments.iter().find(|it| it.network.is_default());
    let Some(default) = default else {
        return Err(Judgement::Waits(
            "a port on the default network; see what udn node tells of the pod and its namespace"
                .to_owned(),
        ));
    };
    if default.attachment.lock.is_none() {
        return Ok(vec![default]);
    }
    // The default network has the role of a primary one too.
    let is_primary = |it: &&KnownAttachment| it.network.is_primary() && !it.network.is_default();
    match pod.attachments.iter().find(is_primary) {
        Some(primary) => Ok(vec![default, primary]),
        None => Err(Judgement::Waits(format!(
            "the primary network of namespace {}; see the status of its UDN or CUDN",
            name.namespace
        ))),
    }
}

/// The link of a pod through a NAD that it names.
fn through_nad<'a>(
    request: &PodInterface,
    nad: &NetAttachDef,
    pod: &'a KnownPod,
) -> Result<Vec<&'a KnownAttachment>, Judgement> {
    let wanted = ObjectName::new(&nad.namespace, &nad.name);
    let all: Vec<&KnownAttachment> =
        pod.attachments.iter().filter(|it| it.attachment.key.nad == wanted).collect();
    let asked = request.attachment.interface.as_str();
    let is_asked =
        |it: &&&KnownAttachment| interface(&it.attachment, &it.network, &pod.metadata) == asked;
    match (all.iter().find(is_asked), all.as_slice()) {
        (Some(found), _) => Ok(vec![found]),
        // A NAD that is named once is meant, whatever the link is to be called.
        (None, [only]) if !only.network.is_primary() => Ok(vec![only]),
        (None, _) => Err(Judgement::Waits(format!(
            "an attachment {asked} through NAD {nad}; see what udn node tells of the pod, and whether \
             the NAD leads to a network"
        ))),
    }
}

fn facts(
    request: &PodInterface,
    pod: &KnownPod,
    wanted: &[&KnownAttachment],
    scene: Scene<'_>,
) -> Judgement {
    let mut all = Vec::with_capacity(wanted.len());
    for (position, KnownAttachment { attachment, network }) in wanted.iter().enumerate() {
        let name = &network.name;
        if let Some(localnet) = network.localnet()
            && !is_mapped(scene.mappings, &localnet.physical_network)
        {
            let physical = &localnet.physical_network;
            let message = format!(
                "pod {} on {name}: this node has no bridge for physical network {physical}; add \
                 {physical}:<bridge> to its bridge mappings (external_ids:ovn-bridge-mappings)",
                attachment.key.pod
            );
            return Judgement::Refused(CniError::new(Code::TryAgainLater, message));
        }
        let found = pod_facts(scene.settings, (attachment, network), &pod.metadata, scene.place);
        let Some(mut found) = found else {
            let key = attachment.key.nad_key();
            let who = if network.layer3().is_some() { "udn node" } else { "udn controller" };
            return Judgement::Waits(format!(
                "the entry \"{key}\" of annotation {POD_NETWORKS}, its addresses on {name}; {who} \
                 writes it, so see the pod's events and the log of {who}"
            ));
        };
        // The first is the one that was asked for, by this name.
        if position == 0 {
            request.attachment.interface.as_str().clone_into(&mut found.interface);
        }
        all.push(found);
    }
    Judgement::Ready(all)
}

/// Whether bridge mappings, `physical:bridge,…`, name a physical network.
fn is_mapped(mappings: &str, physical_network: &str) -> bool {
    let named = mappings.split(',').filter_map(|it| it.split_once(':'));
    named.into_iter().any(|(name, bridge)| name.trim() == physical_network && !bridge.is_empty())
}

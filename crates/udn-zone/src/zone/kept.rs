//! Which objects a zone keeps.
//!
//! Invariant: what a zone does not keep could change none of its rows: pods elsewhere that have no
//! addresses yet, and services that networks may not reach.

use udn_model::{ClusterSettings, NodeName, ObjectName};
use udn_wire::keys::POD_NETWORKS;
use udn_wire::object::{AnyObject, Pod};
use udn_wire::pod_networks::PodNetworks;

/// Whether the zone of a node keeps this state of an object.
pub(crate) fn is_kept(object: &AnyObject, node: &NodeName, settings: &ClusterSettings) -> bool {
    match object {
        AnyObject::Namespace(_) | AnyObject::Node(_) | AnyObject::Nad(_) => true,
        AnyObject::Service(service) => {
            let metadata = &service.metadata;
            let name = ObjectName::new(&metadata.namespace, &metadata.name);
            settings.allowed_services.contains(&name)
        }
        AnyObject::Pod(pod) => {
            pod.is_on_networks() && (pod.spec.node_name == node.as_str() || has_addresses(pod))
        }
        // Networks reach a zone as NADs, and addresses on pods.
        AnyObject::UserDefinedNetwork(_)
        | AnyObject::ClusterUserDefinedNetwork(_)
        | AnyObject::Report(_)
        | AnyObject::Claim(_)
        | AnyObject::Machine(_) => false,
    }
}

/// Whether the pod runs somewhere and carries addresses of a network besides the default one.
fn has_addresses(pod: &Pod) -> bool {
    let networks = pod.metadata.annotation(POD_NETWORKS).map(PodNetworks::decode);
    let is_given = |it: PodNetworks| it.keys().any(|key| key.contains('/'));
    !pod.spec.node_name.is_empty() && networks.is_some_and(|it| it.is_ok_and(is_given))
}

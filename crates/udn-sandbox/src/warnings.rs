//! What the cluster controller told on objects that is not as it should be.
//!
//! Reads conditions and warning events; returns [`Warning`]s.
//! Invariant: what an object has got over since is not told: an event that is older than the newest
//! state of its object is about another state, and so is one that comes late, about addresses that
//! the pod has by now.

use std::fmt;

use k8s_openapi::api::events::v1::Event;
use kube::Client;
use kube::api::{Api, ListParams};
use udn_control::cluster::FIELD_MANAGER;
use udn_control::zone::Listing;
use udn_model::ObjectName;
use udn_wire::api::{Condition, ConditionStatus, NetworkStatus};
use udn_wire::keys::POD_NETWORKS;
use udn_wire::{Kind, Target};

#[cfg(test)]
mod tests;

/// The one condition that is bad if it is true.
const DEGRADED: &str = "Degraded";

/// The type of events that call for somebody.
const WARNING: &str = "Warning";

/// The reason of events about pods that have no addresses.
const NOT_ALLOCATED: &str = "ErrorAllocatingPod";

/// Something that people should know of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    pub about: Target,
    pub reason: String,
    pub message: String,
}

/// All warnings about what is there, in order.
pub(crate) async fn warnings(
    client: &Client,
    listing: &Listing,
) -> Result<Vec<Warning>, kube::Error> {
    let all: Api<Event> = Api::all(client.clone());
    let events = all.list(&ListParams::default()).await?;
    let mut warnings = of_conditions(listing);
    warnings.extend(events.iter().filter_map(|event| of_event(event, listing)));
    warnings.sort();
    warnings.dedup();
    Ok(warnings)
}

/// Conditions of networks that are not as they should be.
fn of_conditions(listing: &Listing) -> Vec<Warning> {
    let world = &listing.world;
    let narrow = world.networks.iter().map(|(name, it)| {
        let (namespace, name) = (name.namespace.to_string(), name.name.to_string());
        (Target { kind: Kind::UserDefinedNetwork, namespace, name }, &it.status)
    });
    let wide = world.cluster_networks.iter().map(|(name, it)| {
        let (namespace, name) = (String::new(), name.clone());
        (Target { kind: Kind::ClusterUserDefinedNetwork, namespace, name }, &it.status)
    });
    narrow.chain(wide).flat_map(|(about, status)| bad(&about, status)).collect()
}

fn bad(about: &Target, status: &NetworkStatus) -> Vec<Warning> {
    let is_bad = |it: &&Condition| match it.condition_type.as_str() {
        DEGRADED => it.status != ConditionStatus::False,
        _ => it.status != ConditionStatus::True,
    };
    let conditions = status.conditions.iter().flatten().filter(is_bad);
    let told = conditions.map(|it| {
        let reason = format!("{} is {}: {}", it.condition_type, it.status.as_str(), it.reason);
        Warning { about: about.clone(), reason, message: it.message.clone() }
    });
    told.collect()
}

/// A warning event about an object as it is now; networks have conditions, which tell more.
fn of_event(event: &Event, listing: &Listing) -> Option<Warning> {
    let is_ours = event.reporting_controller.as_deref() == Some(FIELD_MANAGER);
    if event.type_.as_deref() != Some(WARNING) || !is_ours {
        return None;
    }
    let object = event.regarding.as_ref()?;
    let kind = Kind::find(object.api_version.as_deref()?, object.kind.as_deref()?)?;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let about = Target { kind, namespace: text(&object.namespace), name: text(&object.name) };
    let has_conditions = matches!(kind, Kind::UserDefinedNetwork | Kind::ClusterUserDefinedNetwork);
    let told: u64 = event.metadata.resource_version.as_deref()?.parse().ok()?;
    let is_current = listing.versions.get(&about).is_some_and(|version| *version < told);
    let warning = Warning { about, reason: text(&event.reason), message: text(&event.note) };
    let is_overcome = warning.reason == NOT_ALLOCATED && is_allocated(&warning.about, listing);
    (is_current && !has_conditions && !is_overcome).then_some(warning)
}

/// Whether a pod has its addresses: it gets those of all its networks at once.
fn is_allocated(pod: &Target, listing: &Listing) -> bool {
    let name = ObjectName::new(&pod.namespace, &pod.name);
    let pod = listing.world.pods.get(&name);
    pod.is_some_and(|it| it.metadata.annotation(POD_NETWORKS).is_some())
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { about: Target { kind, namespace, name }, reason, message } = self;
        match namespace.as_str() {
            "" => write!(f, "{kind} {name}: {reason}: {message}"),
            namespace => write!(f, "{kind} {namespace}/{name}: {reason}: {message}"),
        }
    }
}

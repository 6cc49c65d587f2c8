//! What one work item's reconcile finds about pods and claims of others: that they hold what it carries too.
//!
//! Reads the whole world, for who they are; returns [`Event`]s.
//! Invariant: nobody is told who is not there.

use udn_model::{Finding, ObjectName, Subject};
use udn_wire::Target;
use udn_wire::kind::Kind;
use udn_wire::object::Metadata;

use crate::claim;
use crate::world::World;
use crate::write::{Event, EventType};

#[cfg(test)]
mod tests;

/// What others are told of such findings.
pub(crate) fn events_of_others(world: &World, findings: &[Finding]) -> Vec<Event> {
    let tell = |finding: &Finding| {
        match &finding.subject {
            Subject::Pod(name) => {
                let message = format!("{}: {}", finding.reason, finding.message);
                let metadata = &world.pods.get(name)?.metadata;
                // compat: pkg/clustermanager/network_cluster_controller.go, recordPodErrorEvent
                Some(warning(Kind::Pod, name, metadata, ("ErrorAllocatingPod", message)))
            }
            Subject::Claim(name) => {
                let metadata = &world.claims.get(name)?.metadata;
                let words = (&*claim::reason(finding.reason), finding.message.clone());
                Some(warning(Kind::Claim, name, metadata, words))
            }
            Subject::Manifest(_)
            | Subject::Nad(_)
            | Subject::Network(_)
            | Subject::Node(_)
            | Subject::Namespace(_) => None,
        }
    };
    findings.iter().filter_map(tell).collect()
}

fn warning(
    kind: Kind,
    name: &ObjectName,
    metadata: &Metadata,
    (reason, message): (&str, String),
) -> Event {
    let about = Target { kind, namespace: name.namespace.to_string(), name: name.name.to_string() };
    let (uid, reason) = (metadata.uid.clone(), reason.to_owned());
    Event { about, uid, kind: EventType::Warning, reason, message }
}

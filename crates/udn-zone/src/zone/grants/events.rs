//! What people are told of pods that do not get what they ask for.
//!
//! Invariant: nothing is told twice in a row of the same pod.

use udn_cluster::{Event, EventType};
use udn_model::{Finding, Findings, ObjectName, Subject};
use udn_wire::Target;

use super::Zone;

/// The reason of events about pods that get no addresses.
// compat: pkg/clustermanager/network_cluster_controller.go, recordPodErrorEvent
const NOT_ALLOCATED: &str = "ErrorAllocatingPod";

/// The reason of events about ports that cannot be opened as a pod asks.
// compat: pkg/retry/obj_retry.go, recordErrorEvent for an update
const NOT_UPDATED: &str = "ErrorUpdatingResource";

impl Zone {
    /// Keeps what was found about a pod's addresses; tells what is new.
    pub(super) fn tell_addresses(&mut self, name: &ObjectName, findings: Findings) {
        let before = match findings.is_empty() {
            true => self.told.addresses.remove(name),
            false => self.told.addresses.insert(name.clone(), findings.clone()),
        };
        let (before, subject) = (before.unwrap_or_default(), Subject::Pod(name.clone()));
        let is_news = |it: &&Finding| it.subject == subject && !before.contains(it);
        let news: Findings = findings.iter().filter(is_news).cloned().collect();
        self.tell_pod(name, NOT_ALLOCATED, &news);
    }

    /// The same of an annotation that opens ports, which nobody but the pod's zone reads.
    pub(in crate::zone) fn tell_closed(&mut self, name: &ObjectName, news: &[Finding]) {
        self.tell_pod(name, NOT_UPDATED, news);
    }

    fn tell_pod(&mut self, name: &ObjectName, reason: &str, news: &[Finding]) {
        let Some(pod) = self.world.pods.get(name) else { return };
        let uid = pod.metadata.uid.clone();
        self.own.events.extend(news.iter().map(|finding| Event {
            about: Target::pod(name),
            uid: uid.clone(),
            kind: EventType::Warning,
            reason: reason.to_owned(),
            message: format!("{}: {}", finding.reason.as_str(), finding.message),
        }));
    }
}

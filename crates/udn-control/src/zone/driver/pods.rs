//! Answers who waits for a pod of the node to change.
//!
//! Invariant: a waiter costs nothing until its own pod changes; one that lost interest is forgotten.

use std::collections::BTreeMap;

use udn_model::ObjectName;

use super::super::brain::ZoneBrain;
use super::super::handle::{PodNews, PodQuestion};
use super::Driver;

/// Who waits, by pod.
#[derive(Debug, Default)]
pub(super) struct Waiters(BTreeMap<ObjectName, Vec<PodQuestion>>);

impl Waiters {
    fn add(&mut self, question: PodQuestion) {
        let waiting = self.0.entry(question.pod.clone()).or_default();
        waiting.retain(|it| !it.reply.is_closed());
        waiting.push(question);
    }

    /// Those who lost interest in pods that never change need not be kept for ever.
    pub(super) fn forget_gone(&mut self) {
        self.0.values_mut().for_each(|all| all.retain(|it| !it.reply.is_closed()));
        self.0.retain(|_, all| !all.is_empty());
    }
}

impl<B: ZoneBrain> Driver<B> {
    /// Answers at once if the pod is not as it is known, else when it changes.
    pub(super) fn wait_for_pod(&mut self, question: PodQuestion) {
        let revision = self.brain.zone().pod_revision(&question.pod);
        if question.known == Some(revision) {
            self.waiters.add(question);
        } else {
            self.tell_of_pod(question);
        }
    }

    /// Answers those whose pods have changed.
    pub(super) fn answer_waiters(&mut self) {
        for pod in self.brain.zone_mut().take_pod_news() {
            let waiting = self.waiters.0.remove(&pod).unwrap_or_default();
            // A pod may have come and gone since: then nothing is new.
            waiting.into_iter().for_each(|question| self.wait_for_pod(question));
        }
    }

    fn tell_of_pod(&self, question: PodQuestion) {
        let PodQuestion { pod: name, reply, .. } = question;
        let zone = self.brain.zone();
        let mut pod = zone.own_pod(&name);
        if let Some(pod) = &mut pod {
            pod.waits.extend(self.publishing.finding(&name).map(|it| it.message.clone()));
        }
        // Whoever asked may have lost interest.
        let _ = reply.send(PodNews { revision: zone.pod_revision(&name), pod });
    }
}

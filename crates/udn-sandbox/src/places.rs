//! Stands in for the container runtime: a network namespace for each pod.
//!
//! Reads which pods run; returns where they are.
//! Invariant: a pod has one namespace for as long as it is named with the same uid.

use std::collections::BTreeMap;

use udn_host::survey::PodPlace;
use udn_lab::janitor::Janitor;
use udn_lab::namespaces::{Entrance, Namespace, NamespaceError};
use udn_model::{Intent, ObjectName};

/// The pods of all nodes.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pods: BTreeMap<ObjectName, (String, Namespace)>,
}

impl Places {
    /// Makes the namespaces that are missing.
    pub(crate) fn add(&mut self, intent: &Intent, janitor: &Janitor) -> Result<(), NamespaceError> {
        for attachment in intent.attachments.values().flat_map(BTreeMap::values) {
            let pod = &attachment.key.pod;
            let stands = self.pods.get(pod).is_some_and(|(uid, _)| *uid == attachment.pod_uid);
            if !stands {
                let namespace = Namespace::create(janitor, &pod.name)?;
                self.pods.insert(pod.clone(), (attachment.pod_uid.clone(), namespace));
            }
        }
        Ok(())
    }

    /// Removes the namespaces of pods that are gone.
    pub(crate) fn remove_gone(&mut self, intent: &Intent) {
        let attachments = intent.attachments.values().flat_map(BTreeMap::values);
        let present: std::collections::BTreeSet<&ObjectName> =
            attachments.map(|attachment| &attachment.key.pod).collect();
        self.pods.retain(|pod, _| present.contains(pod));
    }

    /// Where each pod is.
    pub(crate) fn all(&self) -> BTreeMap<ObjectName, PodPlace> {
        let place = |(pod, (uid, namespace)): (&ObjectName, &(String, Namespace))| {
            let place = PodPlace {
                namespace: namespace.path().to_owned(),
                // A runtime would draw it by lot; ours has the pod's uid to tell lives apart.
                sandbox: uid.replace('-', ""),
            };
            (pod.clone(), place)
        };
        self.pods.iter().map(place).collect()
    }

    /// The ways into the pods.
    pub(crate) fn entrances(&self) -> BTreeMap<ObjectName, Entrance> {
        self.pods.iter().map(|(pod, (_, namespace))| (pod.clone(), namespace.entrance())).collect()
    }

    /// The namespace of a pod.
    pub(crate) fn namespace(&self, pod: &ObjectName) -> Option<&Namespace> {
        self.pods.get(pod).map(|(_, namespace)| namespace)
    }
}

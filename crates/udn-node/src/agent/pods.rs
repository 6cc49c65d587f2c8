//! What the zone controller knows of pods, as the CNI server asks for it.
//!
//! Invariant: nothing is kept here; every question goes to the zone controller.

use udn_control::zone::{HostNews, PodNews, ZoneHandle};
use udn_model::ObjectName;
use udn_zone::OwnPod;

use crate::cni::{Ended, KnownAttachment, KnownPod, PodView, Pods};

/// The pods of the node, as its zone controller knows them.
#[derive(Debug, Clone)]
pub(crate) struct ZonePods(pub(crate) ZoneHandle);

impl Pods for ZonePods {
    async fn next(&self, pod: &ObjectName, known: Option<u64>) -> Result<PodView, Ended> {
        let PodNews { revision, pod } = self.0.pod(pod, known).await.map_err(|_| Ended)?;
        Ok(PodView { revision, pod: pod.map(known_pod) })
    }

    fn is_synced(&self) -> bool {
        let HostNews { is_synced, .. } = *self.0.host_news().borrow();
        is_synced
    }
}

fn known_pod(pod: OwnPod) -> KnownPod {
    let OwnPod { uid, is_leaving, metadata, attachments, waits } = pod;
    let known = |(attachment, network)| KnownAttachment { attachment, network };
    let attachments = attachments.into_iter().map(known).collect();
    KnownPod { uid, is_leaving, metadata, attachments, waits }
}

//! Accepts what the pods of one node carry of a layer-3 network.
//!
//! Reads an intent with the pods of that node; returns what they may keep.
//! Invariant: accepted addresses are of the node's subnets, and of two pods with one address the
//! older has it.

use std::collections::BTreeMap;
use std::sync::Arc;

use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ClusterSettings, Intent, NetworkName, NodeName,
    PerFamily, Subnet, Told,
};

use crate::addresses::{Settled, settle_pod};
use crate::ledger::Ledger;
use crate::node_addresses::{attachment_on_node, network_on_node};

type Accepted = BTreeMap<AttachmentKey, AttachmentGrant>;

pub(super) fn accept_on_node(
    intent: &Intent,
    name: &NetworkName,
    subnets: Option<&BTreeMap<NodeName, PerFamily<Subnet>>>,
    settings: &ClusterSettings,
) -> Told<Accepted> {
    let mut told = Told::<Accepted>::default();
    let carriers = carriers(intent, name);
    let of_node = carriers.values().next().and_then(|it| subnets?.get(&it.node));
    let (Some(network), Some(of_node)) = (intent.networks.get(name), of_node) else { return told };
    let mut here = Intent::default();
    here.networks.insert(name.clone(), Arc::new(network_on_node(network, of_node)));
    here.published.attachments.clone_from(&intent.published.attachments);
    here.attachments.insert(name.clone(), carriers.clone());
    let mut ledger = Ledger::new(settings);
    ledger.open_network(&here, name, settings);
    let attached = |key: &AttachmentKey| intent.attachment(name, key).is_some();
    here.attachments.entry(name.clone()).or_default().retain(|key, _| attached(key));
    for key in carriers.keys().filter(|key| attached(key)) {
        let Settled { value, findings, .. } = settle_pod(&here, &key.pod, &mut ledger, settings);
        told.findings.extend(findings);
        let granted = value.attachment(name, key).cloned();
        told.value.extend(granted.map(|it| (key.clone(), it)));
    }
    told
}

/// Who carries something of the network, whether on it still or not.
fn carriers(intent: &Intent, name: &NetworkName) -> BTreeMap<AttachmentKey, Attachment> {
    let carried = intent.published.attachments.get(name).into_iter().flat_map(BTreeMap::keys);
    let carrier = |key: &AttachmentKey| {
        let all = || intent.attachments.values().flat_map(BTreeMap::values);
        let other = || all().find(|it| it.key.pod == key.pod);
        let attachment = intent.attachment(name, key).or_else(other)?;
        let own = Attachment { key: key.clone(), network: name.clone(), ..attachment.clone() };
        Some((key.clone(), attachment_on_node(own)))
    };
    carried.filter_map(carrier).collect()
}

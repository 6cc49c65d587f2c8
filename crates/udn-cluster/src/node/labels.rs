//! Labels of nodes: the physical networks that a node has, so that workloads can be kept to it.
//!
//! Reads a node and its report; returns the labels to write and to remove.
//! Invariant: labels of others are never touched.

use std::collections::{BTreeMap, BTreeSet};

use udn_model::{Finding, Findings, NodeName, Reason, Subject};
use udn_wire::api::PhysicalNetwork;
use udn_wire::keys::PHYSICAL_NETWORK_LABEL;
use udn_wire::object::{Node, NodeNetworkReport};

#[cfg(test)]
mod tests;

/// The longest name within a label's key.
const LONGEST_NAME: usize = 63;

/// What must change in the labels of a node; `None` removes one.
///
/// Without a report the node has no physical network that anybody vouches for.
pub(crate) fn physical_network_labels(
    node: &Node,
    report: Option<&NodeNetworkReport>,
) -> BTreeMap<String, Option<String>> {
    let named = networks(report).iter().map(|it| it.name.as_str()).filter(|it| is_label_name(it));
    let wanted: BTreeSet<String> =
        named.map(|name| format!("{PHYSICAL_NETWORK_LABEL}{name}")).collect();
    let labels = &node.metadata.labels;
    let ours = labels.keys().filter(|key| key.starts_with(PHYSICAL_NETWORK_LABEL));
    let gone = ours.filter(|key| !wanted.contains(*key)).map(|key| (key.to_owned(), None));
    let gone: Vec<(String, Option<String>)> = gone.collect();
    let is_new = |key: &String| labels.get(key).is_none_or(|text| !text.is_empty());
    let new = wanted.into_iter().filter(is_new).map(|key| (key, Some(String::new())));
    new.chain(gone).collect()
}

/// The physical networks of a node that no label can name.
pub(crate) fn unlabelled_physical_networks(
    node: &NodeName,
    report: &NodeNetworkReport,
) -> Findings {
    let named = networks(Some(report)).iter().map(|it| &it.name);
    let unfit: BTreeSet<&String> = named.filter(|it| !is_label_name(it)).collect();
    let tell = |name: &String| {
        let message = format!(
            "physical network \"{}\" gets no label, as a label's name has at most {LONGEST_NAME} \
             letters, digits, '-', '_' and '.', with a letter or digit at both ends; rename it in \
             ovn-bridge-mappings",
            name.escape_default()
        );
        Finding::new(Subject::Node(node.clone()), Reason::NotSupported, message)
    };
    unfit.into_iter().map(tell).collect()
}

fn networks(report: Option<&NodeNetworkReport>) -> &[PhysicalNetwork] {
    report.and_then(|it| it.status.physical_networks.as_deref()).unwrap_or_default()
}

fn is_label_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    (1..=LONGEST_NAME).contains(&bytes.len())
        && bytes.iter().all(is_inner)
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
}

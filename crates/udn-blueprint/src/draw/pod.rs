//! Draws the port of one pod on one network.
//!
//! Invariant: the addresses that a port may send from are those it has, and a port of a guarded network
//! is in its guard, and a locked one in its lock, from the first moment on.

use std::collections::BTreeSet;

use ovn::Sheet;
use ovn::northbound::{LogicalSwitch, LogicalSwitchPort};
use udn_model::Topology;

use super::isolation;
use super::rows::{layer2_switch, localnet_switch, marks, node_switch, texts, with};
use crate::input::DrawingInput;
use crate::names::{self, ids};
use crate::ready::ReadyPod;

// compat: pkg/ovn/base_network_controller_pods.go, addLogicalPortToNetwork
pub(super) fn draw_port(sheet: &mut Sheet, input: &DrawingInput<'_>, pod: &ReadyPod<'_>) {
    let (network, attachment) = (pod.network.network, pod.attachment);
    let mut options =
        texts([("requested-chassis", pod.chassis.as_str()), ("iface-id-ver", &attachment.pod_uid)]);
    if let Some(key) = pod.key {
        options.extend(texts([("requested-tnl-key", &key.to_string())]));
    }
    let key = &attachment.key;
    let mut external_ids =
        with(marks(network), [(ids::NAMESPACE, &*key.pod.namespace), (ids::POD, "true")]);
    if !network.is_default() {
        external_ids.extend(texts([(ids::NAD, &key.nad_key())]));
    }
    let r#type = if input.is_own(&attachment.node) { "" } else { "remote" };
    let addresses = BTreeSet::from([addresses(pod)]);
    let port = LogicalSwitchPort {
        name: names::pod_port(key),
        r#type: r#type.to_owned(),
        port_security: addresses.clone(),
        addresses,
        options,
        external_ids,
        ..LogicalSwitchPort::default()
    };
    let switch = match network.topology {
        Topology::Layer2(_) => layer2_switch(&pod.network.prefix),
        Topology::Layer3(_) => node_switch(&pod.network.prefix, &attachment.node),
        Topology::Localnet(_) => localnet_switch(&pod.network.prefix),
    };
    let port = sheet.draw_under(&port, &switch, LogicalSwitch::PORTS);
    if let (true, Some(lock)) = (network.is_default(), &attachment.lock) {
        isolation::lock(sheet, network, (attachment, lock), &port);
    }
}

/// The MAC and the addresses; without IPAM the MAC alone.
fn addresses(pod: &ReadyPod<'_>) -> String {
    let ips = pod.grant.addresses.iter().map(|address| address.addr().to_string());
    let words: Vec<String> = [pod.grant.mac.to_string()].into_iter().chain(ips).collect();
    words.join(" ")
}

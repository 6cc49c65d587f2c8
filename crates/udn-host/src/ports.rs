//! Ports of the integration bridge: the host's own, and those of pods.
//!
//! Reads facts; returns sheets of the switch's database, one for each part.
//! Invariant: every port shows in its `external_ids` whose it is, so that what is no longer drawn
//! can be taken away, and nothing else can.

use std::collections::BTreeMap;
use std::fmt;

use ovn::drawn::{Record, RowRef};
use ovn::key::PRIMARY_ID;
use ovn::open_vswitch::{Bridge, DATABASE, Interface, Port, QoS};
use ovn::{Key, Owner, Rules, Sheet};
use ovsdb::cache::{Index, RowView};
use udn_model::{AttachmentKey, NetworkName, ObjectName};

use crate::facts::{HostFacts, NetworkFacts, PodFacts};
use crate::links::host_link_name;

/// The `external_ids` entry in which a port shows whose it is.
pub const OWNER: &str = "udn-owner";
/// The `external_ids` entry by which ovn-controller says that a port's flows are in place.
pub const INSTALLED: &str = "ovn-installed";
/// The `external_ids` entry of a pod's port that tells the container runtime's name for the pod.
pub const SANDBOX: &str = "sandbox";
/// The `external_ids` entry of a pod's port that tells the name of its link inside the pod.
pub const INTERFACE: &str = "pod-if-name";
/// The `external_ids` entry of a pod's port that tells the file of the pod's network namespace, so
/// that an agent that starts anew finds it.
pub const NAMESPACE: &str = "udn-netns";
/// The `external_ids` entry of a port that tells its name in OVN.
pub const LOGICAL_PORT: &str = "iface-id";
/// The index that finds the interfaces of a sandbox.
pub const SANDBOX_INDEX: &str = "sandbox";
/// The index that finds the interfaces of a port by OVN's name for it.
pub const LOGICAL_PORT_INDEX: &str = "logical port";
/// The `external_ids` entry of a pod's port that tells its MAC.
pub const MAC: &str = "attached_mac";
/// The `external_ids` entry of a pod's port that tells its addresses, each with its prefix length.
pub const ADDRESSES: &str = "ip_addresses";
/// What may come at once at least, in kilobits, which is also what the switch takes by default.
const LEAST_BURST: i64 = 8000;

// compat: pkg/types/const.go, NetworkExternalID and NADExternalID
pub const NETWORK: &str = "k8s.ovn.org/network";
pub const NAD: &str = "k8s.ovn.org/nad";

/// The unit in which ports come and go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostPart {
    /// The host's own port in a network.
    Network(NetworkName),
    /// One attachment of a pod.
    Pod(AttachmentKey),
}

impl HostPart {
    /// The part as rows show it.
    pub fn owner(&self) -> Owner {
        Owner::new(&self.to_string())
    }

    /// What is drawn for a part that is gone.
    pub fn empty(&self) -> Sheet {
        Sheet::new(self.owner())
    }
}

impl HostPart {
    /// Reads the part that a row shows; `None` for what nobody of ours has written.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(' ')?;
        match kind {
            "network" => Some(Self::Network(NetworkName::new(rest))),
            "pod" => parse_attachment(rest).map(Self::Pod),
            _ => None,
        }
    }
}

/// Reads `namespace/pod on default`, `… on namespace/nad` and `… on namespace/nad/1`.
fn parse_attachment(text: &str) -> Option<AttachmentKey> {
    let (pod, nad) = text.split_once(" on ")?;
    let (namespace, name) = pod.split_once('/')?;
    let on_default = AttachmentKey::on_default_network(ObjectName::new(namespace, name));
    if nad == on_default.nad_key() {
        return Some(on_default);
    }
    let (namespace, rest) = nad.split_once('/')?;
    let (name, index) = match rest.split_once('/') {
        Some((name, index)) => (name, index.parse().ok()?),
        None => (rest, 0),
    };
    Some(AttachmentKey { nad: ObjectName::new(namespace, name), index, ..on_default })
}

impl fmt::Display for HostPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(network) => write!(f, "network {network}"),
            Self::Pod(attachment) => write!(f, "pod {attachment}"),
        }
    }
}

/// How rows of the switch's database are told apart and whose they are.
pub fn rules() -> Rules {
    let owner = |row: RowView<'_>| row.entry("external_ids", OWNER).map(Owner::new);
    // The lists that hold ports are found for compare already.
    let by = |index, entry| Index::by_entry(index, Interface::TABLE.name, "external_ids", entry);
    Rules::new(&DATABASE, owner)
        .with_indexes([by(SANDBOX_INDEX, SANDBOX), by(LOGICAL_PORT_INDEX, LOGICAL_PORT)])
}

pub(crate) fn draw(facts: &HostFacts) -> Vec<Sheet> {
    let bridge = Key::named(Bridge::TABLE, &facts.node.integration_bridge);
    let networks = facts.networks.iter().map(|network| draw_network(network, &bridge));
    let pods = facts.pods.iter().map(|pod| draw_pod(&facts.node.integration_bridge, pod));
    networks.chain(pods).collect()
}

fn draw_network(network: &NetworkFacts, bridge: &Key) -> Sheet {
    let link = host_link_name(network.id);
    let mut interface = Interface {
        name: link.clone(),
        r#type: "internal".to_owned(),
        mac: Some(network.management_mac.to_string()),
        mtu_request: Some(network.mtu.get().into()),
        external_ids: entries([(LOGICAL_PORT, network.management_port.clone())]),
        ..Interface::default()
    };
    // compat: the default network's ports do not tell it
    if !network.is_default() {
        interface.external_ids.insert(NETWORK.to_owned(), network.name.to_string());
    }
    let port = Port { name: link, ..Port::default() };
    let mut sheet = HostPart::Network(network.name.clone()).empty();
    draw_port(&mut sheet, port, &interface, bridge);
    sheet
}

// compat: pkg/cni/helper_linux.go, ConfigureOVS
pub(crate) fn draw_pod(integration_bridge: &str, pod: &PodFacts) -> Sheet {
    let mut sheet = HostPart::Pod(pod.key.clone()).empty();
    let bridge = Key::named(Bridge::TABLE, integration_bridge);
    let qos = draw_ingress(&mut sheet, pod);
    let mut interface = Interface {
        name: pod.link.clone(),
        external_ids: pod_entries(pod),
        ..Interface::default()
    };
    if let Some(egress) = pod.bandwidth.egress {
        // What the pod sends comes into the switch; the columns count kilobits.
        interface.ingress_policing_rate = kilobits(egress);
        interface.ingress_policing_burst = (kilobits(egress) / 10).max(LEAST_BURST);
    }
    // The switch forgets transient ports when the machine starts anew, and so do pods.
    let other_config = entries([("transient", "true".to_owned())]);
    let port = Port { name: pod.link.clone(), other_config, qos, ..Port::default() };
    draw_port(&mut sheet, port, &interface, &bridge);
    sheet
}

fn pod_entries(pod: &PodFacts) -> BTreeMap<String, String> {
    let mut external_ids = entries([
        (MAC, pod.mac.to_string()),
        (LOGICAL_PORT, pod.logical_port.clone()),
        ("iface-id-ver", pod.pod_uid.clone()),
        (SANDBOX, pod.sandbox.clone()),
        (INTERFACE, pod.interface.clone()),
        (NAMESPACE, pod.namespace.display().to_string()),
    ]);
    if !pod.key.is_on_default_network() {
        external_ids.insert(NETWORK.to_owned(), pod.network.to_string());
        external_ids.insert(NAD.to_owned(), pod.key.nad_key());
    }
    let addresses: Vec<String> = pod.addresses.iter().map(ToString::to_string).collect();
    if !addresses.is_empty() {
        external_ids.insert(ADDRESSES.to_owned(), addresses.join(","));
    }
    external_ids
}

/// What the switch may send to a pod, which is a queue before the pod's link.
// compat: pkg/cni/bandwidth.go, setPodBandwidth
fn draw_ingress(sheet: &mut Sheet, pod: &PodFacts) -> RowRef {
    let Some(ingress) = pod.bandwidth.ingress else { return RowRef(None) };
    let part = HostPart::Pod(pod.key.clone()).to_string();
    let external_ids = entries([
        (PRIMARY_ID, format!("{} {part}", pod.sandbox)),
        (OWNER, part),
        (SANDBOX, pod.sandbox.clone()),
    ]);
    let other_config = entries([("max-rate", ingress.to_string())]);
    let qos = QoS { r#type: "linux-htb".to_owned(), external_ids, other_config, ..QoS::default() };
    RowRef(Some(sheet.draw(&qos)))
}

fn kilobits(bits: u64) -> i64 {
    i64::try_from(bits / 1000).unwrap_or(i64::MAX)
}

fn draw_port(sheet: &mut Sheet, mut port: Port, interface: &Interface, bridge: &Key) {
    port.external_ids.insert(OWNER.to_owned(), sheet.owner.to_string());
    let port = sheet.draw_under(&port, bridge, Bridge::PORTS);
    sheet.draw_under(interface, &port, Port::INTERFACES);
}

fn entries<const N: usize>(pairs: [(&str, String); N]) -> BTreeMap<String, String> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

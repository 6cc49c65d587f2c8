//! Ports of the integration bridge: the host's own, and those of pods.
//!
//! Reads facts; returns sheets of the switch's database, one for each part.
//! Invariant: every port shows in its `external_ids` whose it is, so that what is no longer drawn
//! can be taken away, and nothing else can.

use std::collections::BTreeMap;
use std::fmt;

use ovn::drawn::Record;
use ovn::open_vswitch::{Bridge, DATABASE, Interface, Port};
use ovn::{Key, Owner, Rules, Sheet};
use ovsdb::cache::RowView;
use udn_model::{AttachmentKey, NetworkName};

use crate::facts::{HostFacts, NetworkFacts, PodFacts};
use crate::links::host_link_name;

/// The `external_ids` entry in which a port shows whose it is.
pub const OWNER: &str = "udn-owner";
/// The `external_ids` entry by which ovn-controller says that a port's flows are in place.
pub const INSTALLED: &str = "ovn-installed";

// compat: pkg/types/const.go, NetworkExternalID and NADExternalID
const NETWORK: &str = "k8s.ovn.org/network";
const NAD: &str = "k8s.ovn.org/nad";

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
    Rules::new(&DATABASE, owner)
}

pub(crate) fn draw(facts: &HostFacts) -> Vec<Sheet> {
    let bridge = Key::named(Bridge::TABLE, &facts.node.integration_bridge);
    let networks = facts.networks.iter().map(|network| draw_network(network, &bridge));
    let pods = facts.pods.iter().map(|pod| draw_pod(pod, &bridge));
    networks.chain(pods).collect()
}

fn draw_network(network: &NetworkFacts, bridge: &Key) -> Sheet {
    let link = host_link_name(network.id);
    let mut interface = Interface {
        name: link.clone(),
        r#type: "internal".to_owned(),
        mac: Some(network.management_mac.to_string()),
        mtu_request: Some(network.mtu.get().into()),
        external_ids: entries([("iface-id", network.management_port.clone())]),
        ..Interface::default()
    };
    // compat: the default network's ports do not tell it
    if !network.is_default() {
        interface.external_ids.insert(NETWORK.to_owned(), network.name.to_string());
    }
    let port = Port { name: link, ..Port::default() };
    draw_port(&HostPart::Network(network.name.clone()), port, &interface, bridge)
}

// compat: pkg/cni/helper_linux.go, ConfigureOVS
fn draw_pod(pod: &PodFacts, bridge: &Key) -> Sheet {
    let addresses: Vec<String> = pod.addresses.iter().map(ToString::to_string).collect();
    let mut external_ids = entries([
        ("attached_mac", pod.mac.to_string()),
        ("iface-id", pod.logical_port.clone()),
        ("iface-id-ver", pod.pod_uid.clone()),
        ("sandbox", pod.sandbox.clone()),
        ("pod-if-name", pod.interface.clone()),
    ]);
    if !pod.key.is_on_default_network() {
        external_ids.insert(NETWORK.to_owned(), pod.network.to_string());
        external_ids.insert(NAD.to_owned(), pod.key.nad_key());
    }
    if !addresses.is_empty() {
        external_ids.insert("ip_addresses".to_owned(), addresses.join(","));
    }
    let interface = Interface { name: pod.link.clone(), external_ids, ..Interface::default() };
    // The switch forgets transient ports when the machine starts anew, and so do pods.
    let other_config = entries([("transient", "true".to_owned())]);
    let port = Port { name: pod.link.clone(), other_config, ..Port::default() };
    draw_port(&HostPart::Pod(pod.key.clone()), port, &interface, bridge)
}

fn draw_port(part: &HostPart, mut port: Port, interface: &Interface, bridge: &Key) -> Sheet {
    let mut sheet = part.empty();
    port.external_ids.insert(OWNER.to_owned(), part.to_string());
    let port = sheet.draw_under(&port, bridge, Bridge::PORTS);
    sheet.draw_under(interface, &port, Port::INTERFACES);
    sheet
}

fn entries<const N: usize>(pairs: [(&str, String); N]) -> BTreeMap<String, String> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

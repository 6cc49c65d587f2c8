//! The machines and wires of a sandbox: nodes, the host outside, the provider's network.
//!
//! Reads names and layouts; returns running things.
//! Invariant: nothing here knows of networks beyond the physical ones that nodes are wired to.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use udn_lab::fabric::Fabric;
use udn_lab::host::Host as LabHost;
use udn_lab::janitor::Janitor;
use udn_lab::node::{EXTERNAL_BRIDGE, EXTERNAL_NETWORK, Node, NodeError};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::provider::Provider;
use udn_lab::run::run;
use udn_model::{Intent, NetworkName, NodeName, Vlan};
use udn_wire::api::PhysicalNetwork;

use crate::layout;
use crate::matrix::{Host, Reach};

/// The longest name of a bridge, which is also a link.
const LONGEST_BRIDGE: usize = 15;

/// The lab of one sandbox. The fields are dropped from top to bottom: programs before wires.
#[derive(Debug)]
pub(crate) struct Lab {
    pub(crate) nodes: BTreeMap<NodeName, Node>,
    vlan_hosts: BTreeMap<NetworkName, (Host, LabHost)>,
    provider: Option<Provider>,
    wired: BTreeSet<(NodeName, String)>,
    outside: LabHost,
    fabric: Fabric,
    pub(crate) root: OvnRoot,
    pub(crate) janitor: Janitor,
}

impl Lab {
    /// A lab without nodes.
    pub(crate) fn start(root: OvnRoot, janitor: Janitor) -> Result<Self, NodeError> {
        let fabric = Fabric::create_with(janitor.clone())?;
        let outside = fabric.host(&root, layout::outside())?;
        Ok(Self {
            nodes: BTreeMap::new(),
            vlan_hosts: BTreeMap::new(),
            provider: None,
            wired: BTreeSet::new(),
            outside,
            fabric,
            root,
            janitor,
        })
    }

    /// Starts the nodes that are missing, side by side, and stops those that are not named.
    pub(crate) fn keep_nodes(&mut self, wanted: &[NodeName]) -> Result<(), NodeError> {
        self.nodes.retain(|name, _| wanted.contains(name));
        self.wired.retain(|(name, _)| wanted.contains(name));
        let missing = wanted.iter().enumerate().filter(|(_, it)| !self.nodes.contains_key(*it));
        let (root, fabric) = (&self.root, &self.fabric);
        let started: Vec<Result<(NodeName, Node), NodeError>> = thread::scope(|scope| {
            let starts: Vec<_> = missing
                .map(|(position, name)| {
                    scope.spawn(move || {
                        let settings = layout::node(position, name);
                        Ok((name.clone(), Node::start_with(root, fabric, settings)?))
                    })
                })
                .collect();
            let joined = starts.into_iter().map(thread::ScopedJoinHandle::join);
            joined.map(|it| it.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        for node in started {
            let (name, node) = node?;
            self.nodes.insert(name, node);
        }
        Ok(())
    }

    /// Wires the nodes to the physical networks that localnets name, with a host on each VLAN.
    pub(crate) fn keep_provider(&mut self, intent: &Intent) -> Result<(), NodeError> {
        self.vlan_hosts.retain(|name, _| intent.networks.contains_key(name));
        for network in intent.networks.values() {
            let Some(localnet) = network.localnet() else { continue };
            if localnet.physical_network == EXTERNAL_NETWORK {
                continue;
            }
            self.wire(&localnet.physical_network)?;
            if !self.vlan_hosts.contains_key(&network.name) {
                let addresses = layout::host_addresses(network);
                let vlan = localnet.vlan.map(Vlan::get);
                let texts: Vec<String> = addresses.iter().map(ToString::to_string).collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let host = self.provider()?.host(vlan, &texts)?;
                let name = self.host_name(vlan);
                let reach = Reach::Localnet(network.name.clone());
                let told = Host { name, addresses, reach };
                self.vlan_hosts.insert(network.name.clone(), (told, host));
            }
        }
        Ok(())
    }

    /// Lets every node know every other one's place on the underlay.
    pub(crate) fn introduce_nodes(&self) -> Result<(), NodeError> {
        introduce(self.nodes.values())
    }

    /// The physical networks of a node.
    pub(crate) fn physical_networks(&self, node: &NodeName) -> Vec<PhysicalNetwork> {
        let named = |name: &str, bridge: String| PhysicalNetwork {
            name: name.to_owned(),
            bridge,
            ..PhysicalNetwork::default()
        };
        let own = std::iter::once(named(EXTERNAL_NETWORK, EXTERNAL_BRIDGE.to_owned()));
        let wired = self.wired.iter().filter(|(wired, _)| wired == node);
        own.chain(wired.map(|(_, name)| named(name, bridge_name(name)))).collect()
    }

    /// The hosts that are no pods.
    pub(crate) fn hosts(&self) -> Vec<Host> {
        let addresses = layout::on_interface(&layout::outside());
        let outside = Host { name: "outside".to_owned(), addresses, reach: Reach::Outside };
        let others = self.vlan_hosts.values().map(|(host, _)| host.clone());
        std::iter::once(outside).chain(others).collect()
    }

    /// The namespaces of the hosts, by name.
    pub(crate) fn host_namespaces(&self) -> BTreeMap<String, &udn_lab::namespaces::Namespace> {
        let others = self.vlan_hosts.values();
        let others = others.map(|(host, lab)| (host.name.clone(), lab.namespace()));
        let outside = ("outside".to_owned(), self.outside.namespace());
        std::iter::once(outside).chain(others).collect()
    }

    /// What the host of a VLAN is called; two networks may be on one VLAN.
    fn host_name(&self, vlan: Option<u16>) -> String {
        let name = vlan.map_or("untagged-host".to_owned(), |vlan| format!("vlan{vlan}-host"));
        let is_taken = |name: &String| self.vlan_hosts.values().any(|(host, _)| host.name == *name);
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or(name)
    }

    fn wire(&mut self, physical_network: &str) -> Result<(), NodeError> {
        let names: Vec<NodeName> = self.nodes.keys().cloned().collect();
        for name in names {
            let wire = (name, physical_network.to_owned());
            if !self.wired.contains(&wire) {
                self.provider()?;
                let provider = self.provider.as_ref().expect("it was started just now");
                let node = &self.nodes[&wire.0];
                provider.connect(node, &bridge_name(physical_network), physical_network)?;
                self.wired.insert(wire);
            }
        }
        Ok(())
    }

    fn provider(&mut self) -> Result<&Provider, NodeError> {
        if self.provider.is_none() {
            self.provider = Some(Provider::start_with(&self.root, self.janitor.clone())?);
        }
        Ok(self.provider.as_ref().expect("it was started just now"))
    }
}

/// Lets every node know every other one's place on the underlay.
///
/// A userspace switch drops the packets of a tunnel until it has overheard the other end's answer to
/// ARP, which nodes of a cluster that talk to each other have long done. Pings would not bring it
/// about for sure: of two nodes that ask at once only one gets an answer, because the other one's
/// question tells enough.
pub(crate) fn introduce<'n>(
    nodes: impl Iterator<Item = &'n Node> + Clone,
) -> Result<(), NodeError> {
    for node in nodes.clone() {
        for other in nodes.clone().filter(|it| it.name() != node.name()) {
            let (address, mac) = (other.address().to_string(), other.settings().mac());
            let mut tell = node.vswitchd().appctl();
            run(tell.args(["tnl/neigh/set", EXTERNAL_BRIDGE, &address, &mac]))?;
        }
    }
    Ok(())
}

/// The bridge on nodes that leads to a physical network.
fn bridge_name(physical_network: &str) -> String {
    let plain = physical_network.chars().filter(char::is_ascii_alphanumeric);
    let name: String = "br-".chars().chain(plain).collect();
    name.chars().take(LONGEST_BRIDGE).collect()
}

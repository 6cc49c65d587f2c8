//! Nodes with real OVN, networks drawn over them, and hosts that follow host plans.
//!
//! Reads sketches of networks and pods; returns an [`Overlay`] whose nodes know each other.
//! Invariant: the host side is made by `udn-node` alone; the rig makes what surrounds it.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use std::net::IpAddr;

use udn_host::facts::{Bandwidth, Guest, patch_port};
use udn_host::{Datapath, HostFacts, NetworkFacts, NodeFacts, PodFacts};
use udn_lab::fabric::Addresses;
use udn_lab::host::Host as PlainHost;
use udn_lab::namespaces::Namespace;
use udn_lab::node::{EXTERNAL_BRIDGE, Fabric, Node, NodeSettings, UPLINK};
use udn_lab::ovn_root::OvnRoot;
use udn_model::{
    AttachmentKey, Family, Gateway, GatewayMode, MacAddress, Mtu, NetworkId, NetworkName, NodeId,
    ObjectName, PerFamily, PlatformAddresses,
};
use udn_node::host::HostSettings;
use udn_node::{Host, Program};

use crate::topology::{Place, draw, masquerade, settle, subnet};

const INTEGRATION: &str = "br-int";
pub(crate) const OUTSIDE: ([u8; 4], &str) = ([172, 18, 0, 1], "fd18::1");

/// A network of the test; all have the same subnets.
#[derive(Debug, Clone)]
pub(crate) struct NetworkSketch {
    pub(crate) name: &'static str,
    pub(crate) id: NetworkId,
    pub(crate) addresses: Vec<PlatformAddresses>,
    pub(crate) pods: Vec<PodSketch>,
}

/// A pod of the test.
#[derive(Debug, Clone)]
pub(crate) struct PodSketch {
    /// By which its addresses are numbered.
    pub(crate) number: u8,
    pub(crate) node: &'static str,
}

impl NetworkSketch {
    pub(crate) fn new(name: &'static str, id: u16, pods: Vec<PodSketch>) -> Self {
        let id = NetworkId::new(id).expect("the test's ids are within bounds");
        let own = |text| {
            let subnet = subnet(text);
            let at = |offset| subnet.address(offset).expect("the test's subnets are large");
            PlatformAddresses { subnet, gateway: at(1), management: at(2) }
        };
        Self { name, id, addresses: vec![own("10.10.0.0/16"), own("fd10:10::/64")], pods }
    }

    pub(crate) fn prefix(&self) -> String {
        format!("cluster_udn_{}_", self.name)
    }

    pub(crate) fn switch(&self) -> String {
        format!("{}ovn_layer2_switch", self.prefix())
    }

    pub(crate) fn transit_router(&self) -> String {
        format!("{}transit_router", self.prefix())
    }

    pub(crate) fn gateway_router(&self, node: &str) -> String {
        format!("GR_{}{node}", self.prefix())
    }

    pub(crate) fn bridge_port(&self, node: &str) -> String {
        format!("{EXTERNAL_BRIDGE}_{}{node}", self.prefix())
    }

    pub(crate) fn management_port(&self, node: &str) -> String {
        format!("k8s-{}{node}", self.prefix())
    }

    pub(crate) fn management_mac(&self) -> MacAddress {
        MacAddress::from_ip(self.addresses[0].management)
    }

    pub(crate) fn management_addresses(&self) -> String {
        let ips: Vec<String> = self.addresses.iter().map(|it| it.management.to_string()).collect();
        format!("{} {}", self.management_mac(), ips.join(" "))
    }
}

impl PodSketch {
    pub(crate) fn ips(&self, network: &NetworkSketch) -> Vec<IpAddr> {
        let ip = |it: &PlatformAddresses| it.subnet.address(self.number.into());
        network.addresses.iter().filter_map(ip).collect()
    }

    pub(crate) fn mac(&self, network: &NetworkSketch) -> MacAddress {
        MacAddress::from_ip(self.ips(network)[0])
    }

    pub(crate) fn port(&self, network: &NetworkSketch) -> String {
        format!("a.{}_a_pod{}", network.name, self.number)
    }

    pub(crate) fn uid(&self, network: &NetworkSketch) -> String {
        format!("uid-{}-{}", network.name, self.number)
    }
}

/// A node, the host of it, and the namespaces of its pods.
pub(crate) struct Member {
    pub(crate) host: Host,
    pub(crate) node: Node,
    pub(crate) id: NodeId,
    pods: Vec<(&'static str, u8, Namespace)>,
}

impl Member {
    async fn new(node: Node, number: u8, networks: &[NetworkSketch]) -> Self {
        let workplace = node.workplace();
        let remote = node.open_vswitch().remote().parse().expect("the rig's own address");
        let settings = HostSettings {
            namespace: node.namespace().path().to_owned(),
            open_vswitch: vec![remote],
            ofctl: Program::from(&node.ofctl()),
            ethtool: Program::from(&workplace.root.command("ethtool")),
        };
        let host = Host::new(settings).await.expect("the host can be served");
        let mut pods = Vec::new();
        for network in networks {
            for pod in network.pods.iter().filter(|pod| pod.node == node.name()) {
                let namespace = Namespace::create(&workplace.janitor, "pod");
                pods.push((network.name, pod.number, namespace.expect("a namespace can be made")));
            }
        }
        let id = NodeId::new(u16::from(number) + 1).expect("the test's ids are within bounds");
        Self { host, node, id, pods }
    }

    pub(crate) fn place(&self) -> Place<'_> {
        Place { node: &self.node, id: self.id }
    }

    /// The namespace of a pod on this node.
    pub(crate) fn pod(&self, network: &str, number: u8) -> &Namespace {
        let found = self.pods.iter().find(|(name, pod, _)| *name == network && *pod == number);
        found.map(|(_, _, namespace)| namespace).expect("the pod is on this node")
    }

    /// What is known of this node and of these networks on it.
    pub(crate) async fn facts(&self, networks: &[NetworkSketch]) -> HostFacts {
        let number = |port: String| async move {
            self.host.switch().wait_port_number(&port).await.expect("the port comes")
        };
        let settings = self.node.settings();
        let gateway = Gateway {
            bridge: EXTERNAL_BRIDGE.to_owned(),
            mac: settings.mac().parse().expect("the rig's MAC addresses are sound"),
            addresses: settings
                .addresses
                .with_lengths()
                .iter()
                .map(|text| text.parse().expect("the rig's addresses are sound"))
                .collect(),
            next_hops: settings.next_hops.clone(),
            vlan: None,
            serves_node_ports: false,
        };
        let node = NodeFacts {
            integration_bridge: INTEGRATION.to_owned(),
            gateway,
            gateway_mode: GatewayMode::Shared,
            uplink: number(UPLINK.to_owned()).await,
            service_subnets: vec![subnet("172.30.0.0/16")],
            masquerade: PerFamily::default(),
            datapath: Datapath::Userspace,
        };
        let mut facts = HostFacts { node, networks: Vec::new(), pods: Vec::new() };
        for network in networks {
            let port = patch_port(&network.bridge_port(self.node.name()), INTEGRATION);
            facts.networks.push(self.network_facts(network, number(port).await));
            let ours = network.pods.iter().filter(|pod| pod.node == self.node.name());
            facts.pods.extend(ours.map(|pod| self.pod_facts(network, pod)));
        }
        facts
    }

    fn network_facts(&self, network: &NetworkSketch, patch: udn_host::PortNumber) -> NetworkFacts {
        NetworkFacts {
            name: NetworkName::new(&format!("cluster_udn_{}", network.name)),
            id: network.id,
            management_port: network.management_port(self.node.name()),
            management_mac: network.management_mac(),
            addresses: network.addresses.clone(),
            ranges: network.addresses.iter().map(|it| it.subnet).collect(),
            masquerade: PerFamily {
                v4: Some(masquerade(Family::V4, network.id)),
                v6: Some(masquerade(Family::V6, network.id)),
            },
            mtu: mtu(),
            patch: Some(patch),
        }
    }

    fn pod_facts(&self, network: &NetworkSketch, pod: &PodSketch) -> PodFacts {
        let addresses = network.addresses.iter().zip(pod.ips(network));
        PodFacts {
            key: AttachmentKey {
                pod: ObjectName::new("a", &format!("pod{}", pod.number)),
                nad: ObjectName::new("a", network.name),
                index: 0,
            },
            network: NetworkName::new(&format!("cluster_udn_{}", network.name)),
            pod_uid: pod.uid(network),
            sandbox: format!("sandbox-{}-{}", network.name, pod.number),
            logical_port: pod.port(network),
            link: link(network.name, pod.number),
            interface: "ovn-udn1".to_owned(),
            namespace: self.pod(network.name, pod.number).path().to_owned(),
            mac: pod.mac(network),
            addresses: addresses.map(|(own, ip)| own.subnet.on_interface(ip)).collect(),
            gateways: network.addresses.iter().map(|it| it.gateway).collect(),
            routes: Vec::new(),
            mtu: mtu(),
            is_one_of_several: false,
            is_guarded: true,
            router: None,
            guest: Guest::None,
            bandwidth: Bandwidth::default(),
            lock: None,
        }
    }
}

/// The name of a pod's cable on its node.
pub(crate) fn link(network: &str, number: u8) -> String {
    format!("{network}{number}_1")
}

fn mtu() -> Mtu {
    Mtu::new(1400).expect("1400 is within bounds")
}

/// Nodes with networks over them, and somebody outside.
pub(crate) struct Overlay {
    pub(crate) members: Vec<Member>,
    pub(crate) outside: PlainHost,
    _fabric: Fabric,
}

impl Overlay {
    /// Starts nodes of these names that know each other, and draws the networks.
    pub(crate) async fn build(names: &[&str], networks: &[NetworkSketch]) -> Self {
        let root = OvnRoot::find().expect("the OVN root is set up");
        let fabric = Fabric::create().expect("a fabric can be made");
        let (four, six) = (OUTSIDE.0, OUTSIDE.1.parse::<std::net::Ipv6Addr>());
        let addresses = Addresses::dual(four, six.expect("the address is sound"));
        let outside = fabric.host(&root, addresses).expect("a host can be made");
        let nodes: Vec<Node> = std::thread::scope(|scope| {
            let start = |(name, number): (&str, u8)| {
                let six = [0xfd18, 0, 0, 0, 0, 0, 0, 10 + u16::from(number)];
                let mut settings =
                    NodeSettings::new(name, Addresses::dual([172, 18, 0, 10 + number], six));
                settings.next_hops = addresses.iter().collect();
                Node::start_with(&root, &fabric, settings).expect("the node starts")
            };
            let starts: Vec<_> =
                names.iter().copied().zip(1..).map(|it| scope.spawn(move || start(it))).collect();
            starts.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        for (node, other) in nodes.iter().flat_map(|it| nodes.iter().map(move |other| (it, other)))
        {
            if node.name() != other.name() {
                node.meet(other).expect("the nodes meet");
            }
        }
        let mut members = Vec::new();
        for (node, number) in nodes.into_iter().zip(1..) {
            members.push(Member::new(node, number, networks).await);
        }
        let overlay = Self { members, outside, _fabric: fabric };
        overlay.draw(networks);
        overlay.members.iter().for_each(|member| settle(&member.node));
        overlay
    }

    /// Draws networks into every node's database.
    fn draw(&self, networks: &[NetworkSketch]) {
        for member in &self.members {
            let others = self.members.iter().filter(|it| it.id != member.id);
            let others: Vec<Place<'_>> = others.map(Member::place).collect();
            draw(member.place(), &others, networks);
        }
    }
}

//! The worked examples of the wire's descriptions, for tests: networks on two nodes.
//!
//! Invariant: every number in it is also in the description.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ChassisName, ClusterSettings, ClusterSubnet,
    Family, Gateway, Grants, Intent, Layer3, Localnet, Lock, MacAddress, Network, NetworkGrant,
    NetworkId, NetworkName, Node, NodeId, NodeName, ObjectName, OpenPort, Origin, PerFamily,
    PortKey, Primary, Role, Subnet, Subnets, Topology, TunnelKey,
};

use crate::DrawingInput;

/// Why nothing here can be refused.
const SOUND: &str = "the examples are well formed";

/// All that a zone is drawn from.
#[derive(Clone)]
pub(crate) struct Example {
    pub(crate) intent: Intent,
    pub(crate) grants: Grants,
    pub(crate) settings: ClusterSettings,
    pub(crate) zone: NodeName,
}

impl Example {
    /// CUDN `red`, IPv4, with pods `a/p1` on the own node `n1` and `a/p2` on `n2`.
    pub(crate) fn red() -> Self {
        let mut example = Self::with_nodes();
        let name = NetworkName::new("cluster_udn_red");
        let topology = Topology::Layer2(Role::Primary(primary()));
        example.add_network(&name, topology, &["10.10.0.0/16"]);
        let keys = [16_711_684, 16_715_779].map(|key| TunnelKey::new(key).expect(SOUND));
        let transit = PerFamily { v4: Some(subnet("100.88.0.0/16")), v6: None };
        let id = NetworkId::new(1).expect(SOUND);
        let grant = NetworkGrant { id, tunnel_keys: keys.to_vec(), transit };
        example.grants.networks.insert(name.clone(), grant);
        example.add_pod(&name, ("p1", "n1"), &["10.10.0.3/16"], Some(10));
        example.add_pod(&name, ("p2", "n2"), &["10.10.0.4/16"], Some(11));
        example
    }

    /// The network, to be changed.
    pub(crate) fn network_mut(&mut self) -> &mut Network {
        Arc::make_mut(self.intent.networks.values_mut().next().expect(SOUND))
    }

    /// The same with both families.
    pub(crate) fn red_dual() -> Self {
        let mut example = Self::red();
        example.make_dual();
        let network = example.network_mut();
        let subnets = ["10.10.0.0/16", "fd10::/64"].map(subnet);
        network.subnets = Subnets::new(subnets.to_vec()).expect(SOUND);
        let grant = example.grants.networks.values_mut().next().expect(SOUND);
        grant.transit.v6 = Some(subnet("fd97::/64"));
        example
    }

    /// Gives the cluster and the own node both families.
    fn make_dual(&mut self) {
        self.settings.families = BTreeSet::from(Family::BOTH);
        let gateway = self.node_mut("n1").gateway.as_mut().expect(SOUND);
        gateway.addresses.push("fc00:f853::3/64".parse().expect(SOUND));
        gateway.next_hops.push("fc00:f853::1".parse().expect(SOUND));
    }

    /// A localnet without IPAM, with a pod on either node.
    pub(crate) fn localnet() -> Self {
        let mut example = Self::with_nodes();
        let name = NetworkName::new("cluster_udn_blue");
        let localnet = Localnet { physical_network: "tenant".to_owned(), vlan: None };
        example.add_network(&name, Topology::Localnet(localnet), &[]);
        example.add_plain_grant(&name);
        example.add_pod(&name, ("p1", "n1"), &[], None);
        example.add_pod(&name, ("p2", "n2"), &[], None);
        example
    }

    /// CUDN `net`, layer 3, IPv4, with pods `a/p1` on the own node and `a/p2` on the other.
    pub(crate) fn layer3(role: Role) -> Self {
        let mut example = Self::with_nodes();
        let name = NetworkName::new("cluster_udn_net");
        let subnets = vec![cut("10.77.0.0/16", 24)];
        example.add_network(&name, Topology::Layer3(Layer3 { subnets, role }), &[]);
        example.add_plain_grant(&name);
        example.cut(&name, "n1", &["10.77.1.0/24"]);
        example.cut(&name, "n2", &["10.77.2.0/24"]);
        example.add_pod(&name, ("p1", "n1"), &["10.77.1.3/24"], None);
        example.add_pod(&name, ("p2", "n2"), &["10.77.2.3/24"], None);
        example
    }

    /// The same, primary, with both families.
    pub(crate) fn layer3_dual() -> Self {
        let mut example = Self::layer3(Role::Primary(primary()));
        example.make_dual();
        example.layer3_mut().subnets.push(cut("fd10::/48", 64));
        let name = example.network();
        example.cut(&name, "n1", &["10.77.1.0/24", "fd10:0:0:1::/64"]);
        example.cut(&name, "n2", &["10.77.2.0/24", "fd10:0:0:2::/64"]);
        example
    }

    /// The default network, IPv4, with pod `a/p1` on the own node, and locked pod `a/p2` beside it.
    pub(crate) fn default_network() -> Self {
        let mut example = Self::with_nodes();
        example.settings.builds_default_network = true;
        example.settings.cluster_subnets = vec![cut("10.128.0.0/14", 23)];
        let network = Network::of_settings(&example.settings).expect(SOUND);
        let name = network.name.clone();
        example.intent.networks.insert(name.clone(), network.into());
        let (tunnel_keys, transit) = (Vec::new(), PerFamily::default());
        let grant = NetworkGrant { id: NetworkId::DEFAULT, tunnel_keys, transit };
        example.grants.networks.insert(name.clone(), grant);
        example.cut(&name, "n1", &["10.128.0.0/23"]);
        example.cut(&name, "n2", &["10.129.0.0/23"]);
        example.add_pod(&name, ("p1", "n1"), &["10.128.0.3/23"], None);
        example.add_pod(&name, ("p2", "n1"), &["10.128.0.4/23"], None);
        let pods = example.intent.attachments.get_mut(&name).expect(SOUND);
        let locked = pods.last_entry().expect(SOUND).into_mut();
        locked.lock = Some(Lock { open_ports: vec![OpenPort::Tcp(80), OpenPort::Icmp] });
        example
    }

    /// The same with both families.
    pub(crate) fn default_dual() -> Self {
        let mut example = Self::default_network();
        example.make_dual();
        example.settings.cluster_subnets.push(cut("fd01::/48", 64));
        *example.network_mut() = Network::of_settings(&example.settings).expect(SOUND);
        let name = example.network();
        example.cut(&name, "n1", &["10.128.0.0/23", "fd01:0:0:1::/64"]);
        example.cut(&name, "n2", &["10.129.0.0/23", "fd01:0:0:2::/64"]);
        example
    }

    /// The attachment of pod `a/<name>`.
    pub(crate) fn pod(&self, name: &str) -> AttachmentKey {
        let pods = &self.intent.attachments[&self.network()];
        pods.keys().find(|key| &*key.pod.name == name).expect(SOUND).clone()
    }

    /// The same, to be changed.
    pub(crate) fn pod_mut(&mut self, name: &str) -> &mut Attachment {
        let (network, key) = (self.network(), self.pod(name));
        self.intent.attachments.get_mut(&network).expect(SOUND).get_mut(&key).expect(SOUND)
    }

    /// What only a layer-3 network has, to be changed.
    pub(crate) fn layer3_mut(&mut self) -> &mut Layer3 {
        match &mut self.network_mut().topology {
            Topology::Layer3(layer3) => layer3,
            Topology::Layer2(_) | Topology::Localnet(_) => panic!("it is another topology"),
        }
    }

    /// Gives a node its subnets in a layer-3 network.
    pub(crate) fn cut(&mut self, network: &NetworkName, node: &str, subnets: &[&str]) {
        let mut own = PerFamily::default();
        for subnet in subnets.iter().map(|text| subnet(text)) {
            own.put(subnet.family(), subnet);
        }
        let of_network = self.grants.node_subnets.entry(network.clone()).or_default();
        of_network.insert(NodeName::new(node), own);
    }

    pub(crate) fn input(&self) -> DrawingInput<'_> {
        DrawingInput {
            intent: &self.intent,
            grants: &self.grants,
            settings: &self.settings,
            zone: &self.zone,
        }
    }

    /// The network's name.
    pub(crate) fn network(&self) -> NetworkName {
        self.intent.networks.keys().next().expect(SOUND).clone()
    }

    pub(crate) fn node_mut(&mut self, name: &str) -> &mut Node {
        self.intent.nodes.get_mut(&NodeName::new(name)).expect(SOUND)
    }

    fn with_nodes() -> Self {
        let settings = ClusterSettings {
            families: BTreeSet::from([Family::V4]),
            ..ClusterSettings::default()
        };
        let (intent, grants) = (Intent::default(), Grants::default());
        let mut example = Self { intent, grants, settings, zone: NodeName::new("n1") };
        example.add_node(["n1", "c1"], 2, 3);
        example.add_node(["n2", "c2"], 3, 4);
        example
    }

    fn add_node(&mut self, [name, chassis]: [&str; 2], id: u16, host: u8) {
        let name = NodeName::new(name);
        let gateway = Gateway {
            bridge: "br-ex".to_owned(),
            mac: MacAddress::new([0x02, 0x42, 0xac, 0x12, 0x00, host]),
            addresses: vec![format!("172.18.0.{host}/16").parse().expect(SOUND)],
            next_hops: vec!["172.18.0.1".parse().expect(SOUND)],
            vlan: None,
            serves_node_ports: true,
        };
        let node = Node {
            name: name.clone(),
            chassis: Some(ChassisName::new(chassis)),
            addresses: gateway.addresses.clone(),
            gateway: Some(gateway),
            tunnel_addresses: vec![format!("172.18.0.{host}").parse().expect(SOUND)],
            uses_transit_router: true,
        };
        self.intent.nodes.insert(name.clone(), node);
        self.grants.nodes.insert(name, NodeId::new(id).expect(SOUND));
    }

    fn add_network(&mut self, name: &NetworkName, topology: Topology, subnets: &[&str]) {
        let subnets = subnets.iter().map(|text| subnet(text)).collect();
        let network = Network {
            name: name.clone(),
            origin: Origin::Nads,
            topology,
            subnets: Subnets::new(subnets).expect(SOUND),
            excluded: Vec::new(),
            mtu: None,
            has_persistent_addresses: false,
            nads: vec![nad(name)],
        };
        self.intent.networks.insert(name.clone(), network.into());
    }

    fn add_plain_grant(&mut self, name: &NetworkName) {
        let (tunnel_keys, transit) = (Vec::new(), PerFamily::default());
        let grant = NetworkGrant { id: NetworkId::new(1).expect(SOUND), tunnel_keys, transit };
        self.grants.networks.insert(name.clone(), grant);
    }

    fn add_pod(
        &mut self,
        network: &NetworkName,
        (pod, node): (&str, &str),
        addresses: &[&str],
        port_key: Option<u16>,
    ) {
        let pod_uid = format!("uid-{pod}");
        let pod = ObjectName::new("a", pod);
        let key = match network.as_str() {
            Network::DEFAULT => AttachmentKey::on_default_network(pod),
            _ => AttachmentKey { pod, nad: nad(network), index: 0 },
        };
        let addresses: Vec<_> = addresses.iter().map(|text| text.parse().expect(SOUND)).collect();
        let first = addresses.first().map(udn_model::InterfaceAddress::addr);
        let mac = first.map_or(MacAddress::from_text(&pod_uid), MacAddress::from_ip);
        let port_key = port_key.and_then(PortKey::new);
        let grant = AttachmentGrant { addresses, mac, port_key };
        let (network, node) = (network.clone(), NodeName::new(node));
        let of_network = self.grants.attachments.entry(network.clone()).or_default();
        of_network.insert(key.clone(), grant);
        let attachment = Attachment::new(key.clone(), network.clone(), node, pod_uid);
        self.intent.attachments.entry(network).or_default().insert(key, attachment);
    }
}

/// `a/red` for `cluster_udn_red`.
fn nad(network: &NetworkName) -> ObjectName {
    let name = network.as_str().rsplit('_').next().expect(SOUND);
    ObjectName::new("a", name)
}

pub(crate) fn primary() -> Primary {
    Primary { join: ClusterSettings::default().join, ..Primary::default() }
}

pub(crate) fn cut(text: &str, host_prefix_len: u8) -> ClusterSubnet {
    ClusterSubnet { subnet: subnet(text), host_prefix_len }
}

pub(crate) fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).expect(SOUND)
}

//! The worked example of the wire's description, for tests: network `red` on two nodes.
//!
//! Invariant: every number in it is also in the description.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ChassisName, ClusterSettings, Family, Gateway,
    Grants, Intent, Localnet, MacAddress, Network, NetworkGrant, NetworkId, NetworkName, Node,
    NodeId, NodeName, ObjectName, Origin, PerFamily, PortKey, Primary, Role, Subnet, Subnets,
    Topology, TunnelKey,
};

use crate::DrawingInput;

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
        example.add_network(&name, primary(), &["10.10.0.0/16"]);
        let keys = [16_711_684, 16_715_779].map(|key| TunnelKey::new(key).unwrap());
        let transit = PerFamily { v4: Some(subnet("100.88.0.0/16")), v6: None };
        let id = NetworkId::new(1).unwrap();
        let grant = NetworkGrant { id, tunnel_keys: keys.to_vec(), transit };
        example.grants.networks.insert(name.clone(), grant);
        example.add_pod(&name, ("p1", "n1"), &["10.10.0.3/16"], Some(10));
        example.add_pod(&name, ("p2", "n2"), &["10.10.0.4/16"], Some(11));
        example
    }

    /// The network, to be changed.
    pub(crate) fn network_mut(&mut self) -> &mut Network {
        Arc::make_mut(self.intent.networks.values_mut().next().unwrap())
    }

    /// The same with both families.
    pub(crate) fn red_dual() -> Self {
        let mut example = Self::red();
        example.settings.families = BTreeSet::from(Family::BOTH);
        let network = example.network_mut();
        let subnets = ["10.10.0.0/16", "fd10::/64"].map(subnet);
        network.subnets = Subnets::new(subnets.to_vec()).unwrap();
        let grant = example.grants.networks.values_mut().next().unwrap();
        grant.transit.v6 = Some(subnet("fd97::/64"));
        let own = example.intent.nodes.get_mut(&NodeName::new("n1")).unwrap();
        own.gateway.as_mut().unwrap().addresses.push("fc00:f853::3/64".parse().unwrap());
        own.gateway.as_mut().unwrap().next_hops.push("fc00:f853::1".parse().unwrap());
        example
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
        self.intent.networks.keys().next().unwrap().clone()
    }

    pub(crate) fn node_mut(&mut self, name: &str) -> &mut Node {
        self.intent.nodes.get_mut(&NodeName::new(name)).unwrap()
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
            addresses: vec![format!("172.18.0.{host}/16").parse().unwrap()],
            next_hops: vec!["172.18.0.1".parse().unwrap()],
            vlan: None,
            serves_node_ports: true,
        };
        let node = Node {
            name: name.clone(),
            chassis: Some(ChassisName::new(chassis)),
            addresses: gateway.addresses.clone(),
            gateway: Some(gateway),
            tunnel_addresses: vec![format!("172.18.0.{host}").parse().unwrap()],
            uses_transit_router: true,
        };
        self.intent.nodes.insert(name.clone(), node);
        self.grants.nodes.insert(name, NodeId::new(id).unwrap());
    }

    fn add_network(&mut self, name: &NetworkName, topology: Topology, subnets: &[&str]) {
        let subnets = subnets.iter().map(|text| subnet(text)).collect();
        let network = Network {
            name: name.clone(),
            origin: Origin::Nads,
            topology,
            subnets: Subnets::new(subnets).unwrap(),
            excluded: Vec::new(),
            mtu: None,
            has_persistent_addresses: false,
            nads: vec![nad(name)],
        };
        self.intent.networks.insert(name.clone(), network.into());
    }

    fn add_plain_grant(&mut self, name: &NetworkName) {
        let (tunnel_keys, transit) = (Vec::new(), PerFamily::default());
        let grant = NetworkGrant { id: NetworkId::new(1).unwrap(), tunnel_keys, transit };
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
        let key = AttachmentKey { pod, nad: nad(network), index: 0 };
        let addresses: Vec<_> = addresses.iter().map(|text| text.parse().unwrap()).collect();
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
    let name = network.as_str().rsplit('_').next().unwrap();
    ObjectName::new("a", name)
}

fn primary() -> Topology {
    Topology::Layer2(Role::Primary(Primary {
        join: ClusterSettings::default().join,
        chosen_gateways: PerFamily::default(),
        reserved: Vec::new(),
        infrastructure: Vec::new(),
    }))
}

pub(crate) fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).unwrap()
}

//! Random clusters: what proptest varies, and how it becomes intent and grants.

use std::collections::BTreeSet;

use proptest::prelude::*;
use udn_blueprint::DrawingInput;
use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ChassisName, ClusterSettings, Family, Gateway,
    GatewayMode, Grants, Intent, Localnet, MacAddress, Mtu, Network, NetworkGrant, NetworkId,
    NetworkName, Node, NodeId, NodeName, ObjectName, Origin, PerFamily, PortKey, Primary, Role,
    Subnet, Subnets, Topology, TunnelKey, Vlan,
};

/// Names that are easily taken for each other, or for a fixed half of OVN's names.
pub(crate) const NAMES: [&str; 8] =
    ["red", "red_n1", "red-n1", "cluster_udn_red", "k8s-ns_net", "ext", "GR", "ovn_layer2_switch"];

#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    pub(crate) networks: Vec<NetworkRecipe>,
    pub(crate) nodes: Vec<NodeRecipe>,
    pub(crate) pods: Vec<PodRecipe>,
    pub(crate) is_dual: bool,
    pub(crate) is_local: bool,
    pub(crate) has_services: bool,
    /// Whether secondary networks have the router guard.
    pub(crate) is_guarded: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct NetworkRecipe {
    /// Which of the names.
    pub(crate) name: u8,
    pub(crate) kind: Kind,
    pub(crate) subnets: Stack,
    pub(crate) has_mtu: bool,
    pub(crate) is_granted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Primary,
    Secondary,
    Localnet,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stack {
    V4,
    V6,
    Dual,
    DualV6First,
    /// No addresses; a primary network takes it for IPv4.
    None,
}

#[derive(Debug, Clone)]
pub(crate) struct NodeRecipe {
    /// Part of its name and of its numbers.
    pub(crate) number: u8,
    pub(crate) has_id: bool,
    pub(crate) has_chassis: bool,
    pub(crate) has_gateway: bool,
    pub(crate) is_upgraded: bool,
    pub(crate) has_more_addresses: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct PodRecipe {
    pub(crate) network: u8,
    pub(crate) number: u8,
    pub(crate) node: u8,
    pub(crate) index: u8,
    pub(crate) is_granted: bool,
}

pub(crate) fn recipe() -> impl Strategy<Value = Recipe> {
    (
        prop::collection::vec(network(), 0..6),
        prop::collection::vec(node(), 1..5),
        prop::collection::vec(pod(), 0..12),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(networks, nodes, pods, is_dual, is_local, has_services, is_guarded)| {
            Recipe { networks, nodes, pods, is_dual, is_local, has_services, is_guarded }
        })
}

fn network() -> impl Strategy<Value = NetworkRecipe> {
    let kind = prop_oneof![3 => Just(Kind::Primary), 1 => Just(Kind::Secondary), 1 => Just(Kind::Localnet)];
    let subnets = prop_oneof![
        Just(Stack::V4),
        Just(Stack::V6),
        Just(Stack::Dual),
        Just(Stack::DualV6First),
        Just(Stack::None)
    ];
    (0..NAMES.len() as u8, kind, subnets, any::<bool>(), mostly()).prop_map(
        |(name, kind, subnets, has_mtu, is_granted)| NetworkRecipe {
            name,
            kind,
            subnets,
            has_mtu,
            is_granted,
        },
    )
}

fn node() -> impl Strategy<Value = NodeRecipe> {
    (0..4_u8, mostly(), mostly(), mostly(), mostly(), any::<bool>()).prop_map(
        |(number, has_id, has_chassis, has_gateway, is_upgraded, has_more_addresses)| NodeRecipe {
            number,
            has_id,
            has_chassis,
            has_gateway,
            is_upgraded,
            has_more_addresses,
        },
    )
}

fn pod() -> impl Strategy<Value = PodRecipe> {
    (0..NAMES.len() as u8, 0..4_u8, 0..4_u8, 0..2_u8, mostly()).prop_map(
        |(network, number, node, index, is_granted)| PodRecipe {
            network,
            number,
            node,
            index,
            is_granted,
        },
    )
}

fn mostly() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.9)
}

/// What a zone is drawn from.
#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    pub(crate) intent: Intent,
    pub(crate) grants: Grants,
    pub(crate) settings: ClusterSettings,
    pub(crate) zone: NodeName,
}

impl Cluster {
    pub(crate) fn of(recipe: &Recipe) -> Self {
        let dual = BTreeSet::from(Family::BOTH);
        let families = if recipe.is_dual { dual } else { BTreeSet::from([Family::V4]) };
        let gateway_mode = if recipe.is_local { GatewayMode::Local } else { GatewayMode::Shared };
        let mut settings = ClusterSettings { families, gateway_mode, ..ClusterSettings::default() };
        settings.features.secondary_router_guard = recipe.is_guarded;
        let (intent, grants) = (Intent::default(), Grants::default());
        let mut cluster = Self { intent, grants, settings, zone: node_name(0) };
        recipe.networks.iter().for_each(|it| cluster.add_network(it));
        recipe.nodes.iter().for_each(|it| cluster.add_node(it));
        recipe.pods.iter().for_each(|it| cluster.add_pod(it));
        if recipe.has_services {
            let ips = ["172.30.0.10", "fd02::a"].map(|ip| ip.parse().unwrap());
            let name = ObjectName::new("kube-system", "kube-dns");
            cluster.intent.allowed_services.insert(name, ips.to_vec());
        }
        cluster
    }

    pub(crate) fn input(&self) -> DrawingInput<'_> {
        DrawingInput {
            intent: &self.intent,
            grants: &self.grants,
            settings: &self.settings,
            zone: &self.zone,
        }
    }

    pub(crate) fn remove_network(&mut self, name: &NetworkName) {
        self.intent.networks.remove(name);
        self.intent.attachments.remove(name);
        self.grants.networks.remove(name);
        self.grants.attachments.remove(name);
    }

    fn add_network(&mut self, recipe: &NetworkRecipe) {
        let name = network_name(recipe.name);
        let subnets = subnets(recipe);
        let network = Network {
            name: name.clone(),
            origin: Origin::Nads,
            topology: topology(recipe.kind),
            subnets: Subnets::new(subnets.clone()).unwrap(),
            excluded: Vec::new(),
            mtu: Mtu::new(9000).filter(|_| recipe.has_mtu),
            has_persistent_addresses: false,
            nads: vec![nad(recipe.name)],
        };
        let is_primary = recipe.kind == Kind::Primary;
        let mut transit = PerFamily::default();
        for subnet in subnets.into_iter().filter(|_| is_primary) {
            let base = self.settings.transit.of(subnet.family()).copied().unwrap();
            transit.put(subnet.family(), base);
        }
        let keys = [16_711_684, 16_715_779].map(|key| TunnelKey::new(key + u32::from(recipe.name)));
        let keys = keys.into_iter().flatten().filter(|_| is_primary).collect();
        let id = NetworkId::new(u16::from(recipe.name) + 1).unwrap();
        if recipe.is_granted {
            let grant = NetworkGrant { id, tunnel_keys: keys, transit };
            self.grants.networks.insert(name.clone(), grant);
        } else {
            self.grants.networks.remove(&name);
        }
        self.intent.networks.insert(name, network.into());
    }

    fn add_node(&mut self, recipe: &NodeRecipe) {
        let (name, number) = (node_name(recipe.number), recipe.number);
        let addresses = [format!("172.18.0.{number}/16"), format!("fc00::{number}/64")];
        let addresses: Vec<_> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        let more = ["10.99.0.7/24", "fe80::1/64", "fd33::7/64"].map(|text| text.parse().unwrap());
        let gateway = Gateway {
            bridge: "br_ex".to_owned(),
            mac: MacAddress::new([2, 0, 0, 0, 0, number]),
            addresses: addresses.clone(),
            next_hops: ["172.18.255.1", "fc00::1:1"].map(|ip| ip.parse().unwrap()).to_vec(),
            vlan: Vlan::new(number.into()),
            serves_node_ports: number.is_multiple_of(2),
        };
        let node = Node {
            name: name.clone(),
            chassis: recipe.has_chassis.then(|| ChassisName::new(&format!("chassis-{number}"))),
            gateway: recipe.has_gateway.then_some(gateway),
            addresses: if recipe.has_more_addresses { more.to_vec() } else { addresses },
            tunnel_addresses: vec![format!("172.18.0.{number}").parse().unwrap()],
            uses_transit_router: recipe.is_upgraded,
        };
        self.grants.nodes.remove(&name);
        if recipe.has_id {
            self.grants.nodes.insert(name.clone(), NodeId::new(u16::from(number) + 2).unwrap());
        }
        self.intent.nodes.insert(name, node);
    }

    fn add_pod(&mut self, recipe: &PodRecipe) {
        let network = network_name(recipe.network);
        let Some(found) = self.intent.networks.get(&network) else { return };
        let offset = 10 + 2 * u128::from(recipe.number) + u128::from(recipe.index);
        let addresses = found.subnets.iter().filter_map(|it| it.interface_address(offset));
        let grant = AttachmentGrant {
            addresses: addresses.collect(),
            mac: MacAddress::new([0x0a, 0x58, recipe.network, recipe.number, recipe.index, 1]),
            port_key: PortKey::new(offset as u16).filter(|_| found.localnet().is_none()),
        };
        let key = AttachmentKey {
            pod: ObjectName::new("my-ns", &format!("pod-{}", recipe.number)),
            nad: nad(recipe.network),
            index: recipe.index.into(),
        };
        let pod_uid = format!("uid-{}", recipe.number);
        let node = node_name(recipe.node);
        let attachment = Attachment::new(key.clone(), network.clone(), node, pod_uid);
        let grants = self.grants.attachments.entry(network.clone()).or_default();
        grants.remove(&key);
        grants.extend(recipe.is_granted.then(|| (key.clone(), grant)));
        self.intent.attachments.entry(network).or_default().insert(key, attachment);
    }
}

pub(crate) fn network_name(name: u8) -> NetworkName {
    NetworkName::new(NAMES[usize::from(name)])
}

fn node_name(number: u8) -> NodeName {
    NodeName::new(&format!("n{number}"))
}

fn nad(network: u8) -> ObjectName {
    ObjectName::new("my-ns", &format!("nad-{network}"))
}

fn topology(kind: Kind) -> Topology {
    match kind {
        Kind::Primary => Topology::Layer2(Role::Primary(Primary {
            join: ClusterSettings::default().join,
            chosen_gateways: PerFamily::default(),
            reserved: Vec::new(),
            infrastructure: Vec::new(),
        })),
        Kind::Secondary => Topology::Layer2(Role::Secondary),
        Kind::Localnet => Topology::Localnet(Localnet {
            physical_network: "tenant".to_owned(),
            vlan: Vlan::new(200),
        }),
    }
}

/// Networks may have the same subnets: they are apart.
fn subnets(recipe: &NetworkRecipe) -> Vec<Subnet> {
    let texts: &[&str] = match (recipe.subnets, recipe.kind) {
        (Stack::None, Kind::Primary) | (Stack::V4, _) => &["10.10.0.0/16"],
        (Stack::V6, _) => &["fd10::/64"],
        (Stack::Dual, _) => &["10.10.0.0/16", "fd10::/64"],
        (Stack::DualV6First, _) => &["fd10::/64", "10.10.0.0/16"],
        (Stack::None, Kind::Secondary | Kind::Localnet) => &[],
    };
    texts.iter().map(|text| Subnet::parse(text).unwrap()).collect()
}

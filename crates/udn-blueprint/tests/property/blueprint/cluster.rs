//! How a random cluster becomes intent and grants.

use std::collections::BTreeSet;

use udn_blueprint::DrawingInput;
use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ChassisName, ClusterSettings, ClusterSubnet,
    Family, Gateway, GatewayMode, Grants, Intent, Layer3, Localnet, Lock, MacAddress, Mtu, Network,
    NetworkGrant, NetworkId, NetworkName, Node, NodeId, NodeName, ObjectName, OpenPort, Origin,
    PerFamily, PortKey, Primary, Role, Subnet, Subnets, Topology, TunnelKey, Vlan,
};

use super::recipe::{DEFAULT, Kind, NAMES, NetworkRecipe, NodeRecipe, PodRecipe, Recipe, Stack};

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
        settings.builds_default_network = recipe.has_default;
        let has = |it: &ClusterSubnet| settings.families.contains(&it.subnet.family());
        settings.cluster_subnets = settings.cluster_subnets.iter().copied().filter(has).collect();
        let (intent, grants) = (Intent::default(), Grants::default());
        let mut cluster = Self { intent, grants, settings, zone: node_name(0) };
        recipe.networks.iter().for_each(|it| cluster.add_network(it));
        cluster.add_default_network();
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
        self.grants.node_subnets.remove(name);
        self.intent.attachments.remove(name);
        self.grants.networks.remove(name);
        self.grants.attachments.remove(name);
    }

    fn add_network(&mut self, recipe: &NetworkRecipe) {
        let name = network_name(recipe.name);
        let network = Network {
            name: name.clone(),
            origin: Origin::Nads,
            topology: topology(recipe),
            subnets: Subnets::new(common(recipe)).unwrap(),
            excluded: Vec::new(),
            mtu: Mtu::new(9000).filter(|_| recipe.has_mtu),
            has_persistent_addresses: false,
            nads: vec![nad(recipe.name)],
        };
        let is_primary = recipe.kind == Kind::Primary;
        let mut transit = PerFamily::default();
        for subnet in common(recipe).into_iter().filter(|_| is_primary) {
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

    fn add_default_network(&mut self) {
        let Some(network) = Network::of_settings(&self.settings) else { return };
        let (tunnel_keys, transit) = (Vec::new(), PerFamily::default());
        let grant = NetworkGrant { id: NetworkId::DEFAULT, tunnel_keys, transit };
        self.grants.networks.insert(network.name.clone(), grant);
        self.intent.networks.insert(network.name.clone(), network.into());
    }

    /// Gives a node its part of every range that is cut.
    fn cut(&mut self, recipe: &NodeRecipe) {
        let node = node_name(recipe.number);
        for (name, network) in &self.intent.networks {
            let Some(layer3) = network.layer3() else { continue };
            let of_network = self.grants.node_subnets.entry(name.clone()).or_default();
            of_network.remove(&node);
            let mut subnets = PerFamily::default();
            for range in layer3.subnets.iter().rev().filter(|_| recipe.has_subnets) {
                let part = subnet_at(range, recipe.number);
                subnets.put(part.family(), part);
            }
            if !subnets.is_empty() {
                of_network.insert(node.clone(), subnets);
            }
        }
    }

    fn add_node(&mut self, recipe: &NodeRecipe) {
        self.cut(recipe);
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
        let node = node_name(recipe.node);
        let own = self.grants.node_subnets(&network, &node).into_iter().flat_map(PerFamily::iter);
        let subnets = found.subnets.iter().chain(own.copied());
        let addresses = subnets.filter_map(|it| it.interface_address(offset));
        let grant = AttachmentGrant {
            addresses: addresses.collect(),
            mac: MacAddress::new([0x0a, 0x58, recipe.network, recipe.number, recipe.index, 1]),
            port_key: PortKey::new(offset as u16)
                .filter(|_| found.localnet().is_none() && found.layer3().is_none()),
        };
        let pod = ObjectName::new("my-ns", &format!("pod-{}", recipe.number));
        let (nad, index) = (nad(recipe.network), recipe.index.into());
        let key = match found.is_default() {
            true => AttachmentKey::on_default_network(pod),
            false => AttachmentKey { pod, nad, index },
        };
        let pod_uid = format!("uid-{}", recipe.number);
        let lock = locks(recipe);
        let attachment = Attachment::new(key.clone(), network.clone(), node, pod_uid);
        let attachment = Attachment { lock, ..attachment };
        let grants = self.grants.attachments.entry(network.clone()).or_default();
        grants.remove(&key);
        grants.extend(recipe.is_granted.then(|| (key.clone(), grant)));
        self.intent.attachments.entry(network).or_default().insert(key, attachment);
    }
}

pub(crate) fn network_name(name: u8) -> NetworkName {
    NetworkName::new(NAMES.get(usize::from(name)).copied().unwrap_or(Network::DEFAULT))
}

/// Some pods of the default network have another main network, and some of these open ports.
fn locks(recipe: &PodRecipe) -> Option<Lock> {
    let open_ports = match recipe.number {
        0 => vec![OpenPort::Tcp(80), OpenPort::Icmp],
        _ => Vec::new(),
    };
    (recipe.network == DEFAULT && recipe.index == 1).then_some(Lock { open_ports })
}

/// A node's part of a range.
fn subnet_at(range: &ClusterSubnet, number: u8) -> Subnet {
    let length = range.host_prefix_len;
    let hosts = range.subnet.family().longest_prefix() - length;
    let base = range.subnet.address((u128::from(number) + 1) << hosts).unwrap();
    Subnet::parse(&format!("{base}/{length}")).unwrap()
}

fn node_name(number: u8) -> NodeName {
    NodeName::new(&format!("n{number}"))
}

fn nad(network: u8) -> ObjectName {
    ObjectName::new("my-ns", &format!("nad-{network}"))
}

fn topology(recipe: &NetworkRecipe) -> Topology {
    let primary = Primary { join: ClusterSettings::default().join, ..Primary::default() };
    match recipe.kind {
        Kind::Primary => Topology::Layer2(Role::Primary(primary)),
        Kind::Secondary => Topology::Layer2(Role::Secondary),
        Kind::Layer3Primary => layer3(recipe, Role::Primary(primary)),
        Kind::Layer3Secondary => layer3(recipe, Role::Secondary),
        Kind::Localnet => Topology::Localnet(Localnet {
            physical_network: "tenant".to_owned(),
            vlan: Vlan::new(200),
        }),
    }
}

/// Networks may have the same ranges: they are apart.
fn layer3(recipe: &NetworkRecipe, role: Role) -> Topology {
    let texts: &[(&str, u8)] = match recipe.subnets {
        Stack::V4 => &[("10.77.0.0/16", 24)],
        Stack::V6 => &[("fd10::/48", 64)],
        Stack::Dual => &[("10.77.0.0/16", 24), ("fd10::/48", 64)],
        Stack::DualV6First => &[("fd10::/48", 64), ("10.77.0.0/16", 24)],
        // Every layer-3 network has a range; some have several.
        Stack::None => &[("10.77.0.0/16", 24), ("10.79.0.0/16", 26)],
    };
    let cut = |&(text, host_prefix_len)| ClusterSubnet {
        subnet: Subnet::parse(text).unwrap(),
        host_prefix_len,
    };
    Topology::Layer3(Layer3 { subnets: texts.iter().map(cut).collect(), role })
}

/// Where pods of all nodes are.
fn common(recipe: &NetworkRecipe) -> Vec<Subnet> {
    let texts: &[&str] = match (recipe.subnets, recipe.kind) {
        (_, Kind::Layer3Primary | Kind::Layer3Secondary) => &[],
        (Stack::None, Kind::Primary) | (Stack::V4, _) => &["10.10.0.0/16"],
        (Stack::V6, _) => &["fd10::/64"],
        (Stack::Dual, _) => &["10.10.0.0/16", "fd10::/64"],
        (Stack::DualV6First, _) => &["fd10::/64", "10.10.0.0/16"],
        (Stack::None, Kind::Secondary | Kind::Localnet) => &[],
    };
    texts.iter().map(|text| Subnet::parse(text).unwrap()).collect()
}

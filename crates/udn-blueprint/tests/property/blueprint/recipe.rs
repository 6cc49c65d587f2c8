//! Random clusters: what proptest varies.

use proptest::prelude::*;

/// Names that are easily taken for each other, or for a fixed half of OVN's names.
pub(crate) const NAMES: [&str; 10] = [
    "red",
    "red_n1",
    "red-n1",
    "cluster_udn_red",
    "k8s-ns_net",
    "ext",
    "GR",
    "ovn_layer2_switch",
    "join",
    "rtos-n0",
];

/// The default network, where others have their place among the names.
pub(crate) const DEFAULT: u8 = NAMES.len() as u8;

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
    /// Whether the default network is ours.
    pub(crate) has_default: bool,
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
    Layer3Primary,
    Layer3Secondary,
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
    pub(crate) has_subnets: bool,
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
        any::<[bool; 5]>(),
    )
        .prop_map(|(networks, nodes, pods, flags)| {
            let [is_dual, is_local, has_services, is_guarded, has_default] = flags;
            Recipe {
                networks,
                nodes,
                pods,
                is_dual,
                is_local,
                has_services,
                is_guarded,
                has_default,
            }
        })
}

fn network() -> impl Strategy<Value = NetworkRecipe> {
    let kind = prop_oneof![
        3 => Just(Kind::Primary),
        1 => Just(Kind::Secondary),
        1 => Just(Kind::Localnet),
        3 => Just(Kind::Layer3Primary),
        1 => Just(Kind::Layer3Secondary),
    ];
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
            kind: possible(name, kind),
            subnets,
            has_mtu,
            is_granted,
        },
    )
}

/// The switches of a layer-3 network `ext` would have the names of the default network's external
/// switches; whoever comes second is told.
fn possible(name: u8, kind: Kind) -> Kind {
    match kind {
        Kind::Layer3Primary | Kind::Layer3Secondary if NAMES[usize::from(name)] == "ext" => {
            Kind::Primary
        }
        kind => kind,
    }
}

fn node() -> impl Strategy<Value = NodeRecipe> {
    (0..4_u8, mostly(), mostly(), mostly(), mostly(), any::<bool>(), mostly()).prop_map(
        |(
            number,
            has_id,
            has_chassis,
            has_gateway,
            is_upgraded,
            has_more_addresses,
            has_subnets,
        )| {
            NodeRecipe {
                number,
                has_id,
                has_chassis,
                has_gateway,
                is_upgraded,
                has_more_addresses,
                has_subnets,
            }
        },
    )
}

fn pod() -> impl Strategy<Value = PodRecipe> {
    let network = prop_oneof![3 => 0..DEFAULT, 1 => Just(DEFAULT)];
    (network, 0..4_u8, 0..4_u8, 0..2_u8, mostly()).prop_map(
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

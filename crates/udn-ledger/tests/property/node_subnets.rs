//! What must hold for any history of nodes on layer-3 networks.
//!
//! Nodes and networks come, go and come back, ranges are appended or are others, annotations are
//! scribbled on; the controller is restarted at times, and then knows only what was published.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};
use udn_ledger::{Ledger, settle_node_subnets};
use udn_model::network::Origin;
use udn_model::{
    ClusterSettings, ClusterSubnet, Family, Layer3, Network, NetworkName, NodeName, PerFamily,
    Published, Reason, Role, Subnet, Subnets, Topology,
};

const NODES: u8 = 7;

/// What the ranges of a network can be: each goes on from the one before, but for the last, which
/// has other parts.
const RANGES: [&[(&str, u8)]; 4] = [
    &[("10.0.0.0/23", 24)],
    &[("10.0.0.0/23", 24), ("fd00::/63", 64)],
    &[("10.0.0.0/23", 24), ("fd00::/63", 64), ("10.9.0.0/28", 29), ("fd01::/62", 64)],
    &[("10.0.0.0/21", 23)],
];

/// What somebody may write on a node.
const SCRIBBLES: [&[&str]; 6] = [
    &["10.0.0.0/24"],
    &["10.0.1.0/24", "fd00::/64"],
    &["10.0.0.0/25"],
    &["10.9.0.8/29", "fd01:0:0:3::/64"],
    &["172.16.0.0/24"],
    &["10.0.2.0/23"],
];

#[derive(Debug, Clone)]
enum Step {
    /// A node is settled on a network; what it got is published, unless the controller crashes.
    Settle {
        network: u8,
        node: u8,
        is_published: bool,
    },
    NodeLeaves(u8),
    NetworkLeaves(u8),
    /// A network has these ranges from now on.
    Change {
        network: u8,
        ranges: usize,
    },
    Scribble {
        network: u8,
        node: u8,
        scribble: usize,
    },
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (network, node) = (0..2_u8, 0..NODES);
    let step = prop_oneof![
        12 => (network.clone(), node.clone(), any::<bool>())
            .prop_map(|(network, node, is_published)| Step::Settle { network, node, is_published }),
        2 => node.clone().prop_map(Step::NodeLeaves),
        1 => network.clone().prop_map(Step::NetworkLeaves),
        2 => (network.clone(), 0..RANGES.len())
            .prop_map(|(network, ranges)| Step::Change { network, ranges }),
        2 => (network, node, 0..SCRIBBLES.len())
            .prop_map(|(network, node, scribble)| Step::Scribble { network, node, scribble }),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..80)
}

fn name(network: u8) -> NetworkName {
    NetworkName::new(&format!("network-{network}"))
}

fn node_name(node: u8) -> NodeName {
    NodeName::new(&format!("node-{node}"))
}

fn network(number: u8, ranges: usize) -> Network {
    let cut = |(text, host_prefix_len): &(&str, u8)| ClusterSubnet {
        subnet: Subnet::parse(text).expect("well formed"),
        host_prefix_len: *host_prefix_len,
    };
    let subnets = RANGES[ranges].iter().map(cut).collect();
    Network {
        name: name(number),
        origin: Origin::Nads,
        topology: Topology::Layer3(Layer3 { subnets, role: Role::Secondary }),
        subnets: Subnets::default(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    }
}

/// A cluster, and what its controller knows.
struct Controller {
    ledger: Ledger,
    /// What stands on nodes.
    published: Published,
    ranges: BTreeMap<u8, usize>,
    /// What each node was given, since it was and as long as the controller remembers.
    given: BTreeMap<(u8, u8), PerFamily<Subnet>>,
    durable: BTreeSet<(u8, u8)>,
}

impl Controller {
    fn new() -> Self {
        let (published, ranges, given, durable) = Default::default();
        let ledger = Ledger::new(&ClusterSettings::default());
        Self { ledger, published, ranges, given, durable }
    }

    fn take(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Settle { network, node, is_published } => {
                self.settle(*network, *node, *is_published)?;
            }
            Step::NodeLeaves(node) => {
                self.ledger.release_node(&node_name(*node));
                let all = self.published.node_subnets.values_mut();
                all.for_each(|it| {
                    it.remove(&node_name(*node));
                });
                self.given.retain(|(_, it), _| it != node);
                self.durable.retain(|(_, it)| it != node);
            }
            Step::NetworkLeaves(number) => {
                self.ledger.release_network(&name(*number));
                self.published.node_subnets.remove(&name(*number));
                self.ranges.remove(number);
                self.given.retain(|(it, _), _| it != number);
                self.durable.retain(|(it, _)| it != number);
            }
            Step::Change { network, ranges } => self.change(*network, *ranges),
            Step::Scribble { network, node, scribble } => {
                self.scribble(*network, *node, SCRIBBLES[*scribble]);
            }
            Step::Restart => self.restart(),
        }
        self.check_distinct()
    }

    fn open(&mut self, number: u8) {
        let ranges = *self.ranges.entry(number).or_insert(0);
        let carried = self.published.node_subnets.get(&name(number)).into_iter().flatten();
        self.ledger.open_node_subnets(&network(number, ranges), carried);
    }

    fn settle(&mut self, number: u8, node: u8, is_published: bool) -> Result<(), TestCaseError> {
        self.open(number);
        let stands = self.published.node_subnets.get(&name(number));
        let carried = stands.and_then(|it| it.get(&node_name(node))).copied().unwrap_or_default();
        let settled =
            settle_node_subnets(&name(number), &node_name(node), &carried, &mut self.ledger);
        let settled = settled.expect("the network is open");
        let own = self.given.get(&(number, node)).copied().unwrap_or_default();
        for subnet in own.iter() {
            prop_assert_eq!(settled.subnets.of(subnet.family()), Some(subnet), "kept");
        }
        let subnets = self.ledger.node_subnets(&name(number)).expect("open");
        let is_lacking = subnets.lacking().contains_key(&node_name(node));
        let families: BTreeSet<Family> = network(number, self.ranges[&number]).families().collect();
        let has_all = families.iter().all(|it| settled.subnets.of(*it).is_some());
        prop_assert_eq!(is_lacking, !has_all, "{:?}", settled);
        if settled.findings.iter().any(|it| it.reason == Reason::PoolExhausted) {
            let is_full = |family: &Family| {
                let usage = subnets.usage(*family);
                settled.subnets.of(*family).is_none() && usage.used == usage.total
            };
            prop_assert!(families.iter().any(is_full), "refused though there is room");
        }
        if settled.subnets.is_empty() {
            return Ok(());
        }
        self.given.insert((number, node), settled.subnets);
        if is_published {
            let stands = self.published.node_subnets.entry(name(number)).or_default();
            stands.insert(node_name(node), settled.subnets);
            self.durable.insert((number, node));
        }
        Ok(())
    }

    /// Nodes lose only what lies in no range any more.
    fn change(&mut self, number: u8, ranges: usize) {
        self.ranges.insert(number, ranges);
        self.open(number);
        let kept = self.ledger.node_subnets(&name(number)).expect("open").held().clone();
        let is_part = |subnet: &&Subnet| {
            RANGES[ranges].iter().any(|(text, length)| {
                let range = Subnet::parse(text).expect("well formed");
                range.contains_subnet(**subnet) && subnet.prefix_len() == *length
            })
        };
        for ((_, node), given) in self.given.iter_mut().filter(|((it, _), _)| *it == number) {
            let (v4, v6) = (given.v4.as_ref().filter(is_part), given.v6.as_ref().filter(is_part));
            *given = PerFamily { v4: v4.copied(), v6: v6.copied() };
            assert_eq!(kept.get(&node_name(*node)).copied().unwrap_or_default(), *given);
        }
        self.given.retain(|_, it| !it.is_empty());
        let given = &self.given;
        self.durable.retain(|it| given.contains_key(it));
    }

    /// Only what is not in force is open to scribbling; the rest is written again from the ledger.
    fn scribble(&mut self, number: u8, node: u8, texts: &[&str]) {
        if self.given.contains_key(&(number, node)) {
            return;
        }
        let mut subnets = PerFamily::default();
        for text in texts {
            let subnet = Subnet::parse(text).expect("well formed");
            subnets.put(subnet.family(), subnet);
        }
        let stands = self.published.node_subnets.entry(name(number)).or_default();
        stands.insert(node_name(node), subnets);
    }

    /// What was not published was never given. Scribbles that nothing came of are wiped off first:
    /// who of two keeps a subnet after a restart is another matter.
    fn restart(&mut self) {
        self.given.retain(|it, _| self.durable.contains(it));
        self.published.node_subnets = BTreeMap::new();
        for ((number, node), subnets) in &self.given {
            let stands = self.published.node_subnets.entry(name(*number)).or_default();
            stands.insert(node_name(*node), *subnets);
        }
        self.ledger = Ledger::new(&ClusterSettings::default());
        let numbers: Vec<u8> = self.ranges.keys().copied().collect();
        numbers.into_iter().for_each(|it| self.open(it));
    }

    /// No two nodes of a network have overlapping subnets, and nothing is in use that no node has.
    fn check_distinct(&self) -> Result<(), TestCaseError> {
        for number in self.ranges.keys() {
            let Some(subnets) = self.ledger.node_subnets(&name(*number)) else { continue };
            let held: Vec<Subnet> =
                subnets.held().values().flat_map(PerFamily::iter).copied().collect();
            for (position, one) in held.iter().enumerate() {
                let rest = &held[position + 1..];
                prop_assert!(rest.iter().all(|it| !one.overlaps(*it)), "{:?}", subnets);
            }
            for family in Family::BOTH {
                let count = held.iter().filter(|it| it.family() == family).count();
                prop_assert_eq!(subnets.usage(family).used, count as u128, "leaked");
            }
            for ((_, node), given) in self.given.iter().filter(|((it, _), _)| it == number) {
                prop_assert_eq!(subnets.held().get(&node_name(*node)), Some(given));
            }
        }
        Ok(())
    }
}

fn config() -> Config {
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { cases: 1_000, failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_node_subnet_is_given_twice_and_none_changes_while_it_is_held(steps in steps()) {
        let mut controller = Controller::new();
        for step in &steps {
            controller.take(step)?;
        }
    }

    #[test]
    fn when_all_nodes_have_left_every_subnet_can_be_given(steps in steps()) {
        let mut controller = Controller::new();
        for step in &steps {
            controller.take(step)?;
        }
        controller.take(&Step::Change { network: 0, ranges: 0 })?;
        controller.take(&Step::Change { network: 0, ranges: 2 })?;
        for node in 0..NODES {
            controller.take(&Step::NodeLeaves(node))?;
        }
        for node in 0..4 {
            controller.take(&Step::Settle { network: 0, node, is_published: true })?;
            prop_assert!(controller.given.contains_key(&(0, node)), "node {}", node);
        }
    }
}

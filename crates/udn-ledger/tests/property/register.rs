//! What must hold for any history of single holders.
//!
//! Networks come, change their annotations, go and come back; pools are small, so that they run out
//! and go round; the controller is restarted at times, and then knows only what was published.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};
use udn_ledger::{Ledger, settle_network, settle_node};
use udn_model::network::{Localnet, Origin, Primary};
use udn_model::{
    ClusterSettings, Intent, Manifest, Network, NetworkGrant, NetworkId, NetworkName, NodeId,
    NodeName, ObjectName, PerFamily, Published, PublishedNetwork, Reason, Role, Subnet, Subnets,
    Told, Topology, TunnelKey,
};

const NETWORKS: u8 = 8;
const FIRST_FREE_KEY: u32 = 16_715_779;

#[derive(Debug, Clone)]
enum Step {
    /// A network is settled; its grant is published, unless the controller crashes before that.
    Settle {
        network: u8,
        is_published: bool,
    },
    /// A network is deleted.
    Leave(u8),
    /// Somebody writes numbers on a network.
    Scribble {
        network: u8,
        id: Option<u16>,
        keys: Option<[u8; 2]>,
    },
    Node {
        node: u8,
        is_published: bool,
    },
    NodeLeaves(u8),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let network = 0..NETWORKS;
    let step = prop_oneof![
        8 => (network.clone(), any::<bool>())
            .prop_map(|(network, is_published)| Step::Settle { network, is_published }),
        2 => network.clone().prop_map(Step::Leave),
        2 => (network, prop::option::of(1_u16..7), prop::option::of([0_u8..7, 0..5]))
            .prop_map(|(network, id, keys)| Step::Scribble { network, id, keys }),
        3 => (0_u8..5, any::<bool>())
            .prop_map(|(node, is_published)| Step::Node { node, is_published }),
        1 => (0_u8..5).prop_map(Step::NodeLeaves),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..60)
}

/// Five ids, three second keys, four node ids.
fn settings() -> ClusterSettings {
    let mut settings = ClusterSettings::default();
    settings.pools.last_network = 5;
    settings.pools.last_tunnel_key = FIRST_FREE_KEY + 2;
    settings.pools.last_node = 5;
    settings
}

/// The even ones are primary.
fn network(number: u8) -> Network {
    let primary = Primary {
        join: ClusterSettings::default().join,
        chosen_gateways: PerFamily::default(),
        reserved: Vec::new(),
        infrastructure: Vec::new(),
    };
    let localnet = Localnet { physical_network: "outside".into(), vlan: None };
    let topology = match number % 2 {
        0 => Topology::Layer2(Role::Primary(primary)),
        _ => Topology::Localnet(localnet),
    };
    let name = format!("network-{number}");
    let subnet = Subnet::parse("100.88.0.0/16").expect("well formed");
    Network {
        name: NetworkName::new(&name),
        origin: Origin::Manifest(Manifest::Udn(ObjectName::new("ns", &name))),
        topology,
        subnets: Subnets::new(vec![subnet]).expect("one"),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    }
}

/// A cluster, and what its controller knows.
struct Controller {
    settings: ClusterSettings,
    ledger: Ledger,
    published: Published,
    /// What each holds since it was told so; forgotten only when it leaves or was never published
    /// before a restart.
    networks: BTreeMap<u8, NetworkGrant>,
    nodes: BTreeMap<u8, NodeId>,
    /// Those whose grants are published.
    durable: BTreeSet<u8>,
    durable_nodes: BTreeSet<u8>,
}

impl Controller {
    fn new() -> Self {
        let settings = settings();
        let ledger = Ledger::new(&settings);
        Self {
            settings,
            ledger,
            published: Published::default(),
            networks: BTreeMap::new(),
            nodes: BTreeMap::new(),
            durable: BTreeSet::new(),
            durable_nodes: BTreeSet::new(),
        }
    }

    fn take(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Settle { network, is_published } => {
                self.settle_and_publish(*network, *is_published)?;
            }
            Step::Leave(number) => {
                let name = network(*number).name;
                self.published.networks.remove(&name);
                self.ledger.release_network(&name);
                self.networks.remove(number);
                self.durable.remove(number);
            }
            Step::Scribble { network, id, keys } => self.scribble(*network, *id, *keys),
            Step::Node { node, is_published } => self.node(*node, *is_published)?,
            Step::NodeLeaves(node) => {
                self.published.nodes.remove(&node_name(*node));
                self.ledger.release_node(&node_name(*node));
                self.nodes.remove(node);
                self.durable_nodes.remove(node);
            }
            Step::Restart => self.restart(),
        }
        self.check_distinct()
    }

    fn settle(&mut self, number: u8) -> Told<Option<NetworkGrant>> {
        let network = network(number);
        let name = network.name.clone();
        let mut intent = Intent { published: self.published.clone(), ..Intent::default() };
        intent.networks.insert(name.clone(), network.into());
        settle_network(&intent, &name, &mut self.ledger, &self.settings)
    }

    fn settle_and_publish(&mut self, number: u8, is_published: bool) -> Result<(), TestCaseError> {
        let told = self.settle(number);
        prop_assert_eq!(
            told.value.is_none(),
            !told.findings.is_empty(),
            "granted, or told why not"
        );
        if let Some(before) = self.networks.get(&number) {
            prop_assert_eq!(told.value.as_ref(), Some(before), "network {} lost its grant", number);
        }
        let Some(grant) = told.value else {
            return self.check_exhausted(&told.findings[0].reason);
        };
        if is_published {
            let (id, tunnel_keys) = (Some(grant.id), Some(grant.tunnel_keys.clone()));
            let published = PublishedNetwork { id, tunnel_keys, transit: grant.transit };
            self.published.networks.insert(network(number).name, published);
            self.durable.insert(number);
        }
        self.networks.insert(number, grant);
        Ok(())
    }

    /// Nothing is refused while there is room: what others hold and carry fills a pool.
    fn check_exhausted(&self, reason: &Reason) -> Result<(), TestCaseError> {
        if *reason != Reason::PoolExhausted {
            prop_assert_eq!(*reason, Reason::AlreadyTaken);
            return Ok(());
        }
        let carried = self.published.networks.values();
        let ids: BTreeSet<NetworkId> = self.networks.values().map(|it| it.id).collect();
        let ids = ids.len() + carried.clone().count();
        let keys = self.networks.values().filter(|it| !it.tunnel_keys.is_empty()).count();
        let keys = keys + carried.filter(|it| it.tunnel_keys.is_some()).count();
        prop_assert!(ids >= 5 || keys >= 3, "{} ids and {} keys are in use", ids, keys);
        Ok(())
    }

    /// Only what is not in force yet is open to scribbling; the rest is repaired from the ledger,
    /// which a restart in between would lose.
    fn scribble(&mut self, number: u8, id: Option<u16>, keys: Option<[u8; 2]>) {
        if self.networks.contains_key(&number) {
            return;
        }
        let key = |number: u32| TunnelKey::new(number).expect("a key");
        let keys = keys.map(|[first, second]| {
            vec![key(16_711_683 + u32::from(first)), key(FIRST_FREE_KEY + u32::from(second))]
        });
        let network_id = id.and_then(NetworkId::new);
        let scribbled =
            PublishedNetwork { id: network_id, tunnel_keys: keys, transit: PerFamily::default() };
        self.published.networks.insert(network(number).name, scribbled);
    }

    fn node(&mut self, number: u8, is_published: bool) -> Result<(), TestCaseError> {
        let name = node_name(number);
        let carried = self.published.nodes.get(&name).copied();
        let told = settle_node(&name, carried, &mut self.ledger);
        if let Some(before) = self.nodes.get(&number) {
            prop_assert_eq!(told.value, Some(*before));
        }
        let Some(id) = told.value else {
            prop_assert_eq!(self.nodes.len(), 4, "{:?}", told.findings);
            return Ok(());
        };
        if is_published {
            self.published.nodes.insert(name, id);
            self.durable_nodes.insert(number);
        }
        self.nodes.insert(number, id);
        Ok(())
    }

    /// What was not published was never given. Scribbles that nothing came of are wiped off first:
    /// who of two keeps a number after a restart is another matter.
    fn restart(&mut self) {
        let durable: BTreeSet<NetworkName> =
            self.durable.iter().map(|number| network(*number).name).collect();
        self.published.networks.retain(|name, _| durable.contains(name));
        self.ledger = Ledger::rebuild(&self.published, &self.settings);
        self.networks.retain(|number, _| self.durable.contains(number));
        self.nodes.retain(|number, _| self.durable_nodes.contains(number));
    }

    fn check_distinct(&self) -> Result<(), TestCaseError> {
        let mut ids = BTreeSet::new();
        let mut keys = BTreeSet::new();
        for (number, grant) in &self.networks {
            prop_assert!(ids.insert(grant.id), "network {}: {:?}", number, grant);
            for key in &grant.tunnel_keys {
                prop_assert!(keys.insert(*key), "network {}: {:?}", number, grant);
            }
        }
        let nodes: BTreeSet<NodeId> = self.nodes.values().copied().collect();
        prop_assert_eq!(nodes.len(), self.nodes.len());
        Ok(())
    }
}

fn node_name(number: u8) -> NodeName {
    NodeName::new(&format!("node-{number}"))
}

fn config() -> Config {
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { cases: 1_000, failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_number_is_held_twice_and_none_changes_while_it_is_held(steps in steps()) {
        let mut controller = Controller::new();
        for step in &steps {
            controller.take(step)?;
        }
    }

    #[test]
    fn a_rebuilt_ledger_has_the_same_holders(steps in steps()) {
        let mut controller = Controller::new();
        for step in steps.iter().filter(|it| !matches!(it, Step::Scribble { .. })) {
            controller.take(step)?;
        }
        controller.restart();
        for (number, grant) in controller.networks.clone() {
            let told = controller.settle(number);
            prop_assert_eq!(told.value, Some(grant));
        }
        for (number, id) in controller.nodes.clone() {
            let told = settle_node(&node_name(number), None, &mut controller.ledger);
            prop_assert_eq!(told.value, Some(id));
        }
    }
}

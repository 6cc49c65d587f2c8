//! What must hold for any history of intents.
//!
//! Networks and pods come and go at random; the controller is restarted between some steps, so
//! that it knows only what was published.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};
use udn_model::network::{Localnet, Origin, Primary};
use udn_model::{
    Attachment, AttachmentKey, ClusterSettings, Grants, Intent, Network, NetworkName, Node,
    NodeName, ObjectName, PerFamily, Published, PublishedNetwork, Role, Subnet, Subnets, Topology,
};

use crate::controller::Controller;

/// Which of four networks exist, with which of twelve pods each, and whether to restart first.
#[derive(Debug, Clone)]
struct Step {
    networks: BTreeMap<u8, BTreeSet<u8>>,
    nodes: BTreeSet<u8>,
    restart: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pods = prop::collection::btree_set(0_u8..12, 0..8);
    let networks = prop::collection::btree_map(0_u8..4, pods, 0..4);
    let nodes = prop::collection::btree_set(0_u8..6, 0..5);
    let step = (networks, nodes, any::<bool>()).prop_map(|(networks, nodes, restart)| Step {
        networks,
        nodes,
        restart,
    });
    prop::collection::vec(step, 1..8)
}

/// Small subnets, so that pools run out and go round.
fn network(number: u8) -> Network {
    let primary = || Primary {
        join: ClusterSettings::default().join,
        chosen_gateways: PerFamily::default(),
        reserved: Vec::new(),
        infrastructure: Vec::new(),
    };
    let localnet = || Localnet { physical_network: "outside".into(), vlan: None };
    let (topology, subnets) = match number {
        0 => (Topology::Layer2(Role::Primary(primary())), vec!["10.0.0.0/28", "fd00::/124"]),
        1 => (Topology::Layer2(Role::Primary(primary())), vec!["fd00::/64"]),
        2 => (Topology::Layer2(Role::Secondary), vec![]),
        _ => (Topology::Localnet(localnet()), vec!["10.0.0.0/29"]),
    };
    let subnets = subnets.iter().map(|text| Subnet::parse(text).expect("well formed")).collect();
    Network {
        name: NetworkName::new(&format!("network-{number}")),
        origin: Origin::Nads,
        topology,
        subnets: Subnets::new(subnets).expect("one of each family"),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    }
}

fn attachment(network: &NetworkName, pod: u8) -> Attachment {
    let key = AttachmentKey {
        pod: ObjectName::new("ns", &format!("pod-{pod}")),
        nad: ObjectName::new("ns", network.as_str()),
        index: 0,
    };
    let (network, node) = (network.clone(), NodeName::new("node-0"));
    Attachment::new(key, network, node, format!("uid-{pod}"))
}

fn intent(step: &Step, published: Published) -> Intent {
    let mut intent = Intent { published, ..Intent::default() };
    for (number, pods) in &step.networks {
        let network = network(*number);
        let attachments = pods.iter().map(|pod| attachment(&network.name, *pod));
        let attachments = attachments.map(|it| (it.key.clone(), it)).collect();
        intent.attachments.insert(network.name.clone(), attachments);
        intent.networks.insert(network.name.clone(), network.into());
    }
    for number in &step.nodes {
        let name = NodeName::new(&format!("node-{number}"));
        let node = Node {
            name: name.clone(),
            chassis: None,
            gateway: None,
            addresses: Vec::new(),
            tunnel_addresses: Vec::new(),
            uses_transit_router: true,
        };
        intent.nodes.insert(name, node);
    }
    intent
}

fn published(grants: &Grants) -> Published {
    let networks = grants.networks.iter().map(|(name, grant)| {
        let (id, tunnel_keys) = (Some(grant.id), Some(grant.tunnel_keys.clone()));
        (name.clone(), PublishedNetwork { id, tunnel_keys, transit: grant.transit })
    });
    Published {
        networks: networks.collect(),
        nodes: grants.nodes.clone(),
        attachments: grants.attachments.clone(),
        ..Published::default()
    }
}

/// Whether all of these differ.
fn are_distinct<T: Ord>(things: impl IntoIterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    things.into_iter().all(|thing| seen.insert(thing))
}

fn check_distinct(grants: &Grants) -> Result<(), TestCaseError> {
    prop_assert!(are_distinct(grants.nodes.values()));
    prop_assert!(are_distinct(grants.networks.values().map(|grant| grant.id)));
    prop_assert!(are_distinct(grants.networks.values().flat_map(|grant| &grant.tunnel_keys)));
    for (network, of) in &grants.attachments {
        prop_assert!(are_distinct(of.values().flat_map(|grant| &grant.addresses)), "{network}");
        prop_assert!(are_distinct(of.values().map(|grant| grant.mac)), "{network}");
        let keys = of.values().filter_map(|grant| grant.port_key);
        prop_assert!(are_distinct(keys), "{network}");
    }
    Ok(())
}

/// What both hold, they hold alike.
fn check_kept<K: Ord + std::fmt::Debug, V: PartialEq + std::fmt::Debug>(
    before: &BTreeMap<K, V>,
    after: &BTreeMap<K, V>,
) -> Result<(), TestCaseError> {
    for (holder, grant) in before {
        if let Some(now) = after.get(holder) {
            prop_assert_eq!(now, grant, "{:?} lost what was published", holder);
        }
    }
    Ok(())
}

fn config() -> Config {
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { cases: 200, failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn nothing_is_held_twice_and_nothing_published_changes(steps in steps()) {
        let mut controller = Controller::start(&Published::default());
        let mut before = Grants::default();
        for step in &steps {
            let intent = intent(step, published(&before));
            if step.restart {
                controller = Controller::start(&intent.published);
            }
            let told = controller.settle(&intent);
            let grants = told.value;
            check_distinct(&grants)?;
            check_kept(&before.nodes, &grants.nodes)?;
            check_kept(&before.networks, &grants.networks)?;
            for (network, of) in &before.attachments {
                if let Some(now) = grants.attachments.get(network) {
                    check_kept(of, now)?;
                }
            }
            let holders = grants.attachments.values().map(BTreeMap::len).sum::<usize>();
            let wanted = intent.attachments.values().map(BTreeMap::len).sum::<usize>();
            let refused = told.findings.len();
            prop_assert_eq!(holders + refused, wanted, "each holds or is told why not");
            before = grants;
        }
    }

    #[test]
    fn a_fresh_ledger_settles_the_same_from_what_was_published(steps in steps()) {
        let mut controller = Controller::start(&Published::default());
        let mut grants = Grants::default();
        for step in &steps {
            grants = controller.settle(&intent(step, published(&grants))).value;
        }
        let last = steps.last().expect("there is a step");
        let intent = intent(last, published(&grants));
        let fresh = Controller::start(&intent.published).settle(&intent);
        let kept = controller.settle(&intent);
        prop_assert_eq!(&fresh.value, &kept.value);
        prop_assert_eq!(fresh.value, grants);
    }
}

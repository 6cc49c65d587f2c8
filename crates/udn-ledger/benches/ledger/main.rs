//! How many pods get and give back addresses in a second, on one core.
//!
//! `cargo xtask bench ledger` prints, for an IPv4 /8, an IPv6 /64 and both together, how many pods
//! per second of processor time are settled, settled once more and released, in networks of
//! three sizes. The whole way of an attachment is measured: the index of pods, the pools, the
//! MAC. The first lines are of the pool alone, the last of nodes that get, keep and give back subnets
//! of layer-3 networks.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a bench reads its own clock and prints"
)]

use std::fs;
use std::ops::RangeInclusive;
use std::sync::Arc;

use udn_ledger::{Ledger, Pool, Tally, settle_node_subnets, settle_pod};
use udn_model::network::{Localnet, Origin};
use udn_model::{
    Attachment, AttachmentKey, ClusterSettings, ClusterSubnet, Intent, Layer3, Network,
    NetworkName, NodeName, ObjectName, PerFamily, Role, Subnet, Subnets, Topology,
};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
/// So many intents are made before each stretch that is measured.
const BATCH: usize = 100;

fn main() {
    println!("{:<22} {:>9} {:>11} {:>23}", "pool", "numbers", "taken/s", "freed/s");
    for (name, bits) in [("2^24", 24), ("2^64", 64)] {
        let numbers = SIZES[2];
        let took = measure_pool(0..=(1 << bits) - 1, numbers);
        let [taken, freed] = took.map(|it| per_second(numbers, it));
        println!("{name:<22} {numbers:>9} {taken:>11} {freed:>23}");
    }
    println!(
        "{:<22} {:>9} {:>11} {:>11} {:>11}",
        "network", "pods", "settled/s", "again/s", "freed/s"
    );
    for subnets in [&["10.0.0.0/8"][..], &["fd00::/64"], &["10.0.0.0/8", "fd00::/64"]] {
        for pods in SIZES {
            let took = measure(&network(subnets), pods);
            let [settled, again, freed] = took.map(|it| per_second(pods, it));
            let name = subnets.join(" ");
            println!("{name:<22} {pods:>9} {settled:>11} {again:>11} {freed:>11}");
        }
    }
    println!(
        "{:<22} {:>9} {:>11} {:>11} {:>11}",
        "layer-3 networks", "nodes", "settled/s", "again/s", "freed/s"
    );
    for (networks, nodes) in [(1, 1_000), (1, 10_000), (1, 100_000), (150, 10_000)] {
        let took = measure_nodes(networks, nodes);
        let [settled, again, freed] = took.map(|it| per_second(networks * nodes, it));
        println!("{networks:<22} {nodes:>9} {settled:>11} {again:>11} {freed:>11}");
    }
}

/// How long all nodes take to get subnets of both families, to be settled once more, and to leave.
fn measure_nodes(networks: usize, nodes: usize) -> [u64; 3] {
    let cut = |text: &str, host_prefix_len| ClusterSubnet {
        subnet: Subnet::parse(text).expect("well formed"),
        host_prefix_len,
    };
    let mut ledger = Ledger::new(&ClusterSettings::default());
    let names = (0..networks).map(|it| NetworkName::new(&format!("cluster_udn_{it}")));
    let names: Vec<NetworkName> = names.collect();
    for name in &names {
        let subnets = vec![cut("10.0.0.0/8", 25), cut("fd00::/40", 64)];
        let topology = Topology::Layer3(Layer3 { subnets, role: Role::Secondary });
        let network = Network { name: name.clone(), topology, ..(*network(&[])).clone() };
        ledger.open_node_subnets(&network, []);
    }
    let nodes: Vec<NodeName> = (0..nodes).map(|it| NodeName::new(&format!("node-{it}"))).collect();
    let mut settle = || {
        let begun = busy();
        for node in &nodes {
            for network in &names {
                let settled =
                    settle_node_subnets(network, node, &PerFamily::default(), &mut ledger);
                assert!(settled.is_some_and(|it| it.findings.is_empty()));
            }
        }
        busy() - begun
    };
    let took = [settle(), settle()];
    let begun = busy();
    nodes.iter().for_each(|node| drop(ledger.release_node(node)));
    [took[0], took[1], busy() - begun]
}

/// Nanoseconds for which this process had a processor; others may share the machine.
fn busy() -> u64 {
    let text = fs::read_to_string("/proc/self/schedstat").expect("Linux tells it");
    let first = text.split(' ').next().and_then(|word| word.parse().ok());
    first.expect("the first word is a number")
}

fn per_second(count: usize, nanoseconds: u64) -> u64 {
    count as u64 * 1_000_000_000 / nanoseconds.max(1)
}

/// How long it takes to hold numbers, and to give back every other one and then the rest.
fn measure_pool(bounds: RangeInclusive<u128>, count: usize) -> [u64; 2] {
    let mut pool = Pool::new(bounds, &[0..=0]);
    let begun = busy();
    for holder in 0..count {
        let number = pool.next().expect("there is room");
        pool.hold_in_turn(number, holder);
    }
    let full = busy();
    for holder in (0..count).step_by(2).chain((1..count).step_by(2)) {
        assert!(pool.give_back(holder as u128 + 1, holder));
    }
    [full - begun, busy() - full]
}

/// How long all pods take to be settled, to be settled once more, and to be released.
fn measure(network: &Arc<Network>, pods: usize) -> [u64; 3] {
    let settings = ClusterSettings::default();
    let mut ledger = Ledger::new(&settings);
    let empty =
        Intent { networks: [(network.name.clone(), network.clone())].into(), ..Intent::default() };
    ledger.open_network(&empty, &network.name, &settings);
    let [mut settled, mut again] = [0, 0];
    for took in [&mut settled, &mut again] {
        for first in (0..pods).step_by(BATCH) {
            let intents: Vec<_> = (first..first + BATCH).map(|it| intent(network, it)).collect();
            let begun = busy();
            for (pod, intent) in &intents {
                let settled = settle_pod(intent, pod, &mut ledger, &settings);
                assert!(settled.findings.is_empty() && settled.value.attachments.len() == 1);
            }
            *took += busy() - begun;
        }
    }
    let names: Vec<ObjectName> = (0..pods).map(pod).collect();
    let begun = busy();
    for name in &names {
        ledger.release_pod(name);
    }
    let freed = busy() - begun;
    assert_eq!(ledger.tally(&network.name), Tally::default());
    [settled, again, freed]
}

/// A localnet, whose pods have no port keys: those are few.
fn network(subnets: &[&str]) -> Arc<Network> {
    let subnets = subnets.iter().map(|text| Subnet::parse(text).expect("well formed")).collect();
    Arc::new(Network {
        name: NetworkName::new("cluster_udn_localnet"),
        origin: Origin::Nads,
        topology: Topology::Localnet(Localnet { physical_network: "outside".into(), vlan: None }),
        subnets: Subnets::new(subnets).expect("one of each family"),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: true,
        nads: Vec::new(),
    })
}

fn pod(number: usize) -> ObjectName {
    ObjectName::new(&format!("namespace-{:03}", number % 400), &format!("workload-{number}"))
}

fn intent(network: &Arc<Network>, number: usize) -> (ObjectName, Intent) {
    let pod = pod(number);
    let nad = ObjectName::new(&pod.namespace, "localnet");
    let key = AttachmentKey { pod: pod.clone(), nad, index: 0 };
    let name = network.name.clone();
    let uid = format!("00000000-0000-0000-0000-{number:012}");
    let attachment = Attachment::new(key.clone(), name.clone(), NodeName::new("node"), uid);
    let attachments = [(name.clone(), [(key, attachment)].into())].into();
    let networks = [(name, network.clone())].into();
    (pod, Intent { networks, attachments, ..Intent::default() })
}

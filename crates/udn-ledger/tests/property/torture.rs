//! As many claims as there are addresses, and a controller that crashes again and again.
#![allow(clippy::disallowed_macros, reason = "the counts of what happened are printed")]

use std::collections::BTreeSet;

use udn_model::{
    Attachment, AttachmentKey, Claim, NetworkName, NodeName, ObjectName, Role, Subnet, Topology,
};

use crate::chance::{self, Chance};
use crate::checks::check_at_rest;
use crate::cluster::{Cluster, Write};
use crate::networks::{network, primary};

const CLAIMS: usize = 1000;
const CRASHES: usize = 100;
const STEPS_BETWEEN: usize = 40;

/// A cluster with a virtual machine for every claim, on a network that has just enough addresses.
fn full_cluster(topology: Topology, excluded: &[&str]) -> Cluster {
    let mut blue = network("blue", topology, &["10.0.0.0/22", "fd00::/64"]);
    blue.excluded = excluded.iter().map(|it| Subnet::parse(it).expect("well formed")).collect();
    let mut cluster = Cluster::new(vec![blue]);
    for number in 0..CLAIMS {
        let machine = ObjectName::new("ns", &format!("vm-{number}"));
        let name = ObjectName::new("ns", &format!("claim-{number}"));
        let network = NetworkName::new("blue");
        let key = AttachmentKey {
            pod: ObjectName::new("ns", &format!("launcher-{number}")),
            nad: ObjectName::new("ns", "blue"),
            index: 0,
        };
        cluster.create_claim(Claim {
            name: name.clone(),
            network: network.clone(),
            created: format!("{number:06}"),
            request: Vec::new(),
            users: Vec::new(),
            machine: Some(machine.clone()),
            failure: None,
        });
        let node = NodeName::new("node");
        let pod = Attachment::new(key, network, node, format!("uid-{number}"));
        let (claim, machine) = (Some(name), Some(machine));
        let created = format!("{:06}", number + 1);
        cluster.create_pod(Attachment { claim, machine, created, ..pod });
    }
    cluster
}

fn torture(mut cluster: Cluster, seed: u64) {
    let mut chance = Chance::new(seed);
    for crash in 0..CRASHES {
        for _ in 0..STEPS_BETWEEN {
            // The least that a server may do to us.
            let write = if chance.one_in(10) { Write::Lost } else { Write::Done };
            cluster.step(&mut chance, write);
        }
        let write = if crash % 2 == 0 { Write::CrashBefore } else { Write::CrashAfter };
        assert!(cluster.step(&mut chance, write), "there is work left to crash at");
    }
    let bound = |cluster: &Cluster| {
        cluster.claims.values().filter(|it| !it.written.addresses.is_empty()).count()
    };
    let early = bound(&cluster);
    check_at_rest(&mut cluster, &mut chance);
    assert_eq!(bound(&cluster), CLAIMS, "all claims are bound");
    let pods = cluster.pods.values().filter(|it| it.written.is_some()).count();
    assert_eq!(pods, CLAIMS, "all pods are served");
    let all = cluster.claims.values().flat_map(|it| &it.written.addresses);
    assert_eq!(all.collect::<BTreeSet<_>>().len(), 2 * CLAIMS, "no address is held twice");
    let restarts = cluster.counts.restarts;
    println!("{CLAIMS} claims, {restarts} starts; {early} were bound before the last crash");
}

#[test]
fn a_thousand_claims_get_a_thousand_addresses_through_a_hundred_crashes() {
    let excluded = ["10.0.1.0/28", "10.0.1.16/30", "10.0.1.20/31"];
    let seed = chance::told().unwrap_or(7);
    torture(full_cluster(Topology::Layer2(Role::Secondary), &excluded), seed);
    torture(full_cluster(primary(), &["10.0.1.0/28", "10.0.1.16/30"]), seed.saturating_add(1));
    println!("drew: 2 histories");
}

//! What must hold for every status that is told, whatever the world and its nodes say.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use kube_schema::Catalog;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};
use udn_cluster::{StatusUpdate, WorkItem, World};
use udn_model::{ClusterSettings, Manifest, NodeName};
use udn_wire::api::{ConditionStatus, NetworkStatus};

use crate::catalog::catalog;
use crate::status_updates::{Nodes, report, status_update, store, written};
use crate::worlds::{manifests, world};

std::thread_local! {
    static CATALOG: Catalog = catalog();
}

fn config(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(persistence)),
        ..ProptestConfig::default()
    }
}

fn node_report() -> impl Strategy<Value = Option<Value>> {
    let version = prop::sample::select(vec![json!("100"), json!("99"), json!("x"), Value::Null]);
    let physical = prop::sample::select(vec![
        json!([{"name": "p", "bridge": "b", "mtu": 1500, "vlans": [{"first": 1, "last": 7}]}]),
        json!([{"name": "p", "bridge": "b"}]),
        json!([{"name": "q", "bridge": "b", "mtu": 68}]),
        Value::Null,
    ]);
    let network = prop::sample::select(vec!["a_red", "cluster_udn_red", "cluster_udn_x-y", "zzz"]);
    let reason = prop::sample::select(vec!["RowConflict".to_owned(), "ö".repeat(1024)]);
    let listed = prop::collection::vec((network, reason), 0..3);
    let report =
        (version, physical, listed, 0i32..4).prop_map(|(version, physical, listed, count)| {
            let entry = |(network, reason)| {
                json!({"network": network, "reason": reason,
                "message": "ä".repeat(1024)})
            };
            let listed: Vec<Value> = listed.into_iter().map(entry).collect();
            json!({"programmedUpTo": version, "physicalNetworks": physical,
                "notProgrammed": listed, "notProgrammedCount": count})
        });
    prop::option::weighted(0.8, report)
}

fn nodes() -> impl Strategy<Value = Nodes> {
    prop::collection::vec(node_report(), 0..4).prop_map(|reports| {
        let all = reports.iter().enumerate().map(|(number, status)| {
            let name = format!("node-{number}");
            status.as_ref().map_or_else(|| (NodeName::new(&name), None), |it| report(&name, it))
        });
        all.collect()
    })
}

fn items(world: &World) -> Vec<WorkItem> {
    let narrow = world.networks.keys().cloned().map(|it| WorkItem::Network(Manifest::Udn(it)));
    let wide =
        world.cluster_networks.keys().cloned().map(|it| WorkItem::Network(Manifest::Cudn(it)));
    narrow.chain(wide).collect()
}

fn holds(status: &NetworkStatus, name: &str) -> bool {
    let mut all = status.conditions.iter().flatten();
    all.any(|it| it.condition_type == name && it.status == ConditionStatus::True)
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn every_status_fits_the_crd_and_is_told_once(
        manifests in manifests(),
        nodes in nodes(),
        is_written in any::<bool>(),
    ) {
        let settings = ClusterSettings::default();
        let mut world = world(&manifests);
        if is_written {
            world = written(world, &settings);
        }
        for item in items(&world) {
            let first = status_update(&world, &item, &nodes, &settings);
            let status = CATALOG.with(|it| store(it, &mut world, &item, &first));
            prop_assert_eq!(status_update(&world, &item, &nodes, &settings), StatusUpdate::default());
            let is_whole = holds(&status, "NetworkCreated")
                && holds(&status, "NetworkAllocationSucceeded");
            prop_assert!(is_whole || !holds(&status, "Ready"));
            let readiness = status.nodes.clone().unwrap();
            prop_assert_eq!(readiness.total, readiness.ready + readiness.not_ready);
            prop_assert_eq!(usize::try_from(readiness.total).unwrap(), nodes.len());
            let is_ready = is_whole && readiness.not_ready == 0 && readiness.total > 0;
            prop_assert_eq!(holds(&status, "Ready"), is_ready);
        }
    }

    #[test]
    fn a_node_that_is_worse_off_makes_no_network_ready(
        manifests in manifests(),
        mut nodes in nodes(),
    ) {
        let settings = ClusterSettings::default();
        let mut world = written(world(&manifests), &settings);
        for item in items(&world) {
            let before = status_update(&world, &item, &nodes, &settings);
            let before = CATALOG.with(|it| store(it, &mut world, &item, &before));
            nodes.insert(NodeName::new("new"), None);
            let after = status_update(&world, &item, &nodes, &settings);
            let after = CATALOG.with(|it| store(it, &mut world, &item, &after));
            prop_assert!(!holds(&after, "Ready"));
            prop_assert_eq!(holds(&before, "NetworkCreated"), holds(&after, "NetworkCreated"));
            nodes.remove(&NodeName::new("new"));
        }
    }
}

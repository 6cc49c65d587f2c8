//! What must hold for all that is told about worlds.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};
use udn_cluster::dry_run::{Scope, dry_run};
use udn_cluster::{review, translate};
use udn_model::{ClusterSettings, Findings, Reason, Subnet};
use udn_wire::keys;

use crate::worlds::{manifests, world};

fn config(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(persistence)),
        ..ProptestConfig::default()
    }
}

/// What the cluster controller finds, and what a person is told.
fn told(manifests: &[Value]) -> (Findings, Findings) {
    let (world, settings) = (world(manifests), ClusterSettings::default());
    let findings = review(&world, &settings);
    (dry_run(world, &settings, Scope::Manifests).findings, findings)
}

fn named(kind: &str, namespace: Option<&str>, spec: &Value) -> Value {
    let mut metadata = json!({"name": "unrelated"});
    metadata["namespace"] = namespace.into();
    json!({"apiVersion": "k8s.ovn.org/v1", "kind": kind, "metadata": metadata, "spec": spec})
}

/// Networks that have nothing to do with those of random worlds.
fn unrelated() -> impl Strategy<Value = Value> {
    let layer2 = json!({"role": "Secondary", "subnets": ["10.77.0.0/16", "fd77::/64"]});
    let layer2 = json!({"topology": "Layer2", "layer2": layer2});
    let localnet = json!({"role": "Secondary", "physicalNetworkName": "elsewhere",
        "subnets": ["192.168.78.0/24", "fd78::/64"], "vlan": {"mode": "Access", "access": {"id": 7}}});
    let network = json!({"topology": "Localnet", "localnet": localnet});
    let wide = |network: &Value| {
        named(
            "ClusterUserDefinedNetwork",
            None,
            &json!({"namespaceSelector": {}, "network": network}),
        )
    };
    prop::sample::select(vec![
        named("UserDefinedNetwork", Some("a"), &layer2),
        wide(&layer2),
        wide(&network),
    ])
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn findings_do_not_depend_on_the_order_of_manifests(
        (manifests, shuffled) in manifests().prop_flat_map(|it| (Just(it.clone()), Just(it).prop_shuffle())),
    ) {
        prop_assert_eq!(told(&manifests), told(&shuffled));
    }

    #[test]
    fn an_unrelated_network_changes_no_findings(manifests in manifests(), unrelated in unrelated()) {
        let before = told(&manifests);
        let more = [manifests, vec![unrelated]].concat();
        prop_assert_eq!(told(&more), before);
    }

    #[test]
    fn every_finding_has_a_subject_of_the_world_and_ends_well(manifests in manifests()) {
        let (controller, person) = told(&manifests);
        for finding in controller.iter().chain(&person) {
            let text = finding.message.as_str();
            prop_assert!(!text.ends_with('.') && !text.contains('\n'), "{}", finding);
            prop_assert!(finding.path.as_ref().is_none_or(|path| !path.is_empty()), "{}", finding);
        }
        let all: BTreeSet<_> = person.iter().collect();
        let kept = |it: &&udn_model::Finding| {
            !matches!(it.reason, Reason::NamespaceNotFound | Reason::NotScheduled)
        };
        prop_assert!(controller.iter().filter(kept).all(|it| all.contains(it)), "a person is told it all");
    }
}

/// A range of a small subnet, `base` plus a place within it.
fn range(base: &'static str, longest: u8, bits: u8) -> impl Strategy<Value = String> {
    (0u8..1 << bits, 0..=bits).prop_map(move |(place, up)| {
        let place = place >> up << up;
        match longest {
            32 => format!("{base}{place}/{}", longest - up),
            _v6 => format!("{base}{place:x}/{}", longest - up),
        }
    })
}

/// A primary network on two small subnets, with ranges that may fill them up.
fn small() -> impl Strategy<Value = Value> {
    let v4 = (2u8..5).prop_flat_map(|bits| {
        let ranges = prop::collection::vec(range("10.7.0.", 32, bits), 0..5);
        (Just(format!("10.7.0.0/{}", 32 - bits)), ranges)
    });
    let v6 = (2u8..5).prop_flat_map(|bits| {
        let ranges = prop::collection::vec(range("fd07::", 128, bits), 0..5);
        (Just(format!("fd07::/{}", 128 - bits)), ranges)
    });
    (v4, v6, any::<bool>(), any::<u32>()).prop_map(|((four, some), (six, more), has_v6, marks)| {
        let mut ranges: Vec<Subnet> = Vec::new();
        let (mut infrastructure, mut reserved) = (Vec::new(), Vec::new());
        for (number, text) in
            some.into_iter().chain(more.into_iter().filter(|_| has_v6)).enumerate()
        {
            let range = Subnet::parse(&text).unwrap();
            // Ranges that overlap each other are refused, and say nothing about free addresses.
            if !ranges.iter().any(|it| it.overlaps(range)) {
                ranges.push(range);
                let is_kept = marks >> number & 1 == 0;
                if is_kept { &mut infrastructure } else { &mut reserved }.push(text);
            }
        }
        let mut layer2 = json!({"role": "Primary", "subnets": [four]});
        if has_v6 {
            layer2["subnets"] = json!([four, six]);
        }
        for (key, list) in
            [("infrastructureSubnets", infrastructure), ("reservedSubnets", reserved)]
        {
            if !list.is_empty() {
                layer2[key] = json!(list);
            }
        }
        layer2
    })
}

proptest! {
    #![proptest_config(config(2_000))]

    /// A subnet is told to be full exactly if a workload would get no address of it.
    #[test]
    fn subnets_are_full_as_the_ledger_has_them(layer2 in small()) {
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": "n"},
            "metadata": {"name": "p", "namespace": "a"}});
        let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}});
        let metadata = json!({"name": "a", "labels": {keys::PRIMARY_LABEL: ""}});
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata});
        let spec = json!({"topology": "Layer2", "layer2": layer2});
        let udn = named("UserDefinedNetwork", Some("a"), &spec);
        let (world, settings) = (world(&[pod, node, namespace, udn]), ClusterSettings::default());
        let intent = translate::cluster(&world, &settings).value;
        prop_assert_eq!(intent.networks.len(), 1);
        let findings = review(&world, &settings);
        let full = [Reason::NoAddressLeft, Reason::OnlyOnRequest];
        let is_full = findings.iter().any(|it| full.contains(&it.reason));
        let run = dry_run(world, &settings, Scope::Manifests);
        let granted = run.grants.attachments.values().flat_map(|it| it.values());
        prop_assert_eq!(granted.count() == 0, is_full, "{:?}\n{:?}", findings, run.findings);
    }
}

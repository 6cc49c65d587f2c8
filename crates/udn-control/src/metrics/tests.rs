use std::time::{Duration, Instant};

use udn_cluster::WorkItem;
use udn_model::{Finding, Manifest, NodeName, ObjectName, Reason, Subject};

use super::{Metrics, NetworkLabels};

fn cudn(name: &str) -> WorkItem {
    WorkItem::Network(Manifest::Cudn(name.to_owned()))
}

fn labels(topology: &'static str, is_ready: &'static str) -> Option<NetworkLabels> {
    let conditions = vec![("Ready".to_owned(), is_ready)];
    Some(NetworkLabels { role: "Primary", topology, conditions })
}

#[track_caller]
fn check(metrics: &Metrics, want: &[&str]) {
    let text = metrics.render();
    for line in want {
        assert!(text.lines().any(|it| it == *line), "{line} is not in\n{text}");
    }
}

#[test]
fn networks_are_counted_by_sort() {
    let metrics = Metrics::default();
    for name in ["a", "b"] {
        metrics.network(&cudn(name), labels("Layer2", "True"));
    }
    metrics.network(&cudn("c"), labels("Localnet", "False"));
    let own = WorkItem::Network(Manifest::Udn(ObjectName::new("a", "own")));
    metrics.network(&own, labels("Layer3", "True"));
    let wide = "ovnkube_clustermanager_cluster_user_defined_networks";
    let own = "ovnkube_clustermanager_user_defined_networks";
    check(
        &metrics,
        &[
            &format!(r#"{wide}{{role="Primary",topology="Layer2",transport="Geneve"}} 2"#),
            &format!(r#"{wide}{{role="Primary",topology="Localnet",transport="Localnet"}} 1"#),
            &format!(r#"{own}{{role="Primary",topology="Layer3"}} 1"#),
        ],
    );
}

#[test]
fn a_condition_has_both_statuses_and_one_holds() {
    let metrics = Metrics::default();
    metrics.network(&cudn("c"), labels("Layer2", "False"));
    let name = "ovnkube_clustermanager_cluster_user_defined_network_condition";
    check(
        &metrics,
        &[
            &format!(r#"{name}{{name="c",condition="Ready",status="true"}} 0"#),
            &format!(r#"{name}{{name="c",condition="Ready",status="false"}} 1"#),
        ],
    );
}

#[test]
fn what_is_gone_has_no_series() {
    let metrics = Metrics::default();
    let before = metrics.render();
    let finding = Finding::new(Subject::Namespace("a".into()), Reason::PrimaryConflict, "no");
    metrics.network(&cudn("c"), labels("Layer2", "True"));
    metrics.found(&cudn("c"), &vec![finding]);
    check(&metrics, &[r#"udn_controller_findings{reason="PrimaryConflict"} 1"#]);
    metrics.network(&cudn("c"), None);
    metrics.found(&cudn("c"), &Vec::new());
    assert_eq!(metrics.render(), before);
}

#[test]
fn reconciles_and_requests_are_measured() {
    let metrics = Metrics::default();
    metrics.reconciled(&WorkItem::Node(NodeName::new("n")), Duration::from_millis(3), true);
    metrics.reconciled(&cudn("c"), Duration::from_millis(3), false);
    metrics.requested("create", 201, Duration::from_millis(3));
    metrics.requested("create", 0, Duration::from_secs(3));
    metrics.requested("create", 777, Duration::from_secs(3));
    metrics.waiting(4);
    metrics.leading(true);
    let (reconcile, request) =
        ("udn_controller_reconcile_duration_seconds", "udn_controller_request_duration_seconds");
    check(
        &metrics,
        &[
            &format!(r#"{reconcile}_count{{kind="Node",outcome="done"}} 1"#),
            &format!(r#"{reconcile}_count{{kind="ClusterUserDefinedNetwork",outcome="failed"}} 1"#),
            "ovnkube_clustermanager_udn_nad_sync_duration_seconds_count 1",
            &format!(r#"{request}_count{{verb="create",code="201"}} 1"#),
            &format!(r#"{request}_count{{verb="create",code="none"}} 1"#),
            &format!(r#"{request}_count{{verb="create",code="other"}} 1"#),
            "udn_controller_queue_depth 4",
            "udn_controller_is_leader 1",
        ],
    );
}

#[test]
fn work_that_waits_too_long_is_stuck() {
    let metrics = Metrics::default();
    let later = Instant::now() + Duration::from_secs(200);
    assert!(!metrics.is_stuck(later), "nothing waits");
    metrics.waiting(1);
    assert!(!metrics.is_stuck(Instant::now()), "it waits for a moment only");
    assert!(metrics.is_stuck(later));
    metrics.waiting(0);
    assert!(!metrics.is_stuck(later));
}

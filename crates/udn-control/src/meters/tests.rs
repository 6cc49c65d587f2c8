use std::time::{Duration, Instant};

use udn_cluster::Affair;
use udn_model::{Finding, NodeName, ObjectName, Reason, Subject};

use super::{Meters, NetworkLabels};

fn cudn(name: &str) -> Affair {
    Affair::ClusterUserDefinedNetwork(name.to_owned())
}

fn labels(topology: &'static str, is_ready: &'static str) -> Option<NetworkLabels> {
    let conditions = vec![("Ready".to_owned(), is_ready)];
    Some(NetworkLabels { role: "Primary", topology, conditions })
}

#[track_caller]
fn check(meters: &Meters, want: &[&str]) {
    let text = meters.render();
    for line in want {
        assert!(text.lines().any(|it| it == *line), "{line} is not in\n{text}");
    }
}

#[test]
fn networks_are_counted_by_sort() {
    let meters = Meters::default();
    for name in ["a", "b"] {
        meters.network(&cudn(name), labels("Layer2", "True"));
    }
    meters.network(&cudn("c"), labels("Localnet", "False"));
    let own = Affair::UserDefinedNetwork(ObjectName::new("a", "own"));
    meters.network(&own, labels("Layer3", "True"));
    let wide = "ovnkube_clustermanager_cluster_user_defined_networks";
    let own = "ovnkube_clustermanager_user_defined_networks";
    check(
        &meters,
        &[
            &format!(r#"{wide}{{role="Primary",topology="Layer2",transport="Geneve"}} 2"#),
            &format!(r#"{wide}{{role="Primary",topology="Localnet",transport="Localnet"}} 1"#),
            &format!(r#"{own}{{role="Primary",topology="Layer3"}} 1"#),
        ],
    );
}

#[test]
fn a_condition_has_both_statuses_and_one_holds() {
    let meters = Meters::default();
    meters.network(&cudn("c"), labels("Layer2", "False"));
    let name = "ovnkube_clustermanager_cluster_user_defined_network_condition";
    check(
        &meters,
        &[
            &format!(r#"{name}{{name="c",condition="Ready",status="true"}} 0"#),
            &format!(r#"{name}{{name="c",condition="Ready",status="false"}} 1"#),
        ],
    );
}

#[test]
fn what_is_gone_has_no_series() {
    let meters = Meters::default();
    let before = meters.render();
    let finding = Finding::new(Subject::Namespace("a".into()), Reason::PrimaryConflict, "no");
    meters.network(&cudn("c"), labels("Layer2", "True"));
    meters.found(&cudn("c"), &vec![finding]);
    check(&meters, &[r#"udn_controller_findings{reason="PrimaryConflict"} 1"#]);
    meters.network(&cudn("c"), None);
    meters.found(&cudn("c"), &Vec::new());
    assert_eq!(meters.render(), before);
}

#[test]
fn turns_and_requests_are_measured() {
    let meters = Meters::default();
    meters.turned(&Affair::Node(NodeName::new("n")), Duration::from_millis(3), true);
    meters.turned(&cudn("c"), Duration::from_millis(3), false);
    meters.requested("create", 201, Duration::from_millis(3));
    meters.requested("create", 0, Duration::from_secs(3));
    meters.requested("create", 777, Duration::from_secs(3));
    meters.waiting(4);
    meters.leading(true);
    let (turn, request) =
        ("udn_controller_turn_duration_seconds", "udn_controller_request_duration_seconds");
    check(
        &meters,
        &[
            &format!(r#"{turn}_count{{kind="Node",outcome="done"}} 1"#),
            &format!(r#"{turn}_count{{kind="ClusterUserDefinedNetwork",outcome="failed"}} 1"#),
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
    let meters = Meters::default();
    let later = Instant::now() + Duration::from_secs(200);
    assert!(!meters.is_stuck(later), "nothing waits");
    meters.waiting(1);
    assert!(!meters.is_stuck(Instant::now()), "it waits for a moment only");
    assert!(meters.is_stuck(later));
    meters.waiting(0);
    assert!(!meters.is_stuck(later));
}

//! What counts as ready, and what is said of what is not.

use serde_json::{Value, json};
use udn_cluster::World;
use udn_control::zone::Listing;

use super::{Readiness, of_daemon_set, of_deployment, of_stateful_set};

fn pod(name: &str, owner: Option<&str>, status: &Value) -> Value {
    let owners: Vec<Value> = owner
        .iter()
        .map(|name| json!({ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": "u" }))
        .collect();
    json!({ "metadata": { "namespace": "ns", "name": name, "ownerReferences": owners },
            "status": status })
}

fn ready() -> Value {
    json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] })
}

/// What is made of some pods: how many are Ready, and what the others wait for.
fn check(pods: &[Value], want: &str, waiting: &[&str]) {
    let pods: Vec<_> = pods
        .iter()
        .map(|it| serde_json::from_value(it.clone()).expect("the pod is well written"))
        .collect();
    let mut readiness = Readiness::default();
    readiness.add_pods(&pods);
    assert_eq!(readiness.pods.to_string(), want);
    assert_eq!(readiness.waiting, waiting);
    assert_eq!(readiness.is_whole(), waiting.is_empty());
}

#[test]
fn a_pod_waits_for_what_its_status_says() {
    check(&[], "0 of 0", &[]);
    check(&[pod("a", None, &ready())], "1 of 1", &[]);
    let started =
        json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "False" }] });
    check(&[pod("a", None, &started)], "0 of 1", &["Pod ns/a: Running"]);
    let waits = json!({ "state": { "waiting": { "reason": "ErrImageNeverPull" } },
        "name": "main", "image": "i", "imageID": "", "ready": false, "restartCount": 0 });
    let pulling = json!({ "phase": "Pending", "containerStatuses": [waits] });
    check(&[pod("a", None, &pulling)], "0 of 1", &["Pod ns/a: ErrImageNeverPull"]);
    let no_room = json!({ "type": "PodScheduled", "status": "False", "message": "no node fits" });
    let unscheduled = json!({ "phase": "Pending", "conditions": [no_room] });
    check(&[pod("a", None, &unscheduled)], "0 of 1", &["Pod ns/a: no node fits"]);
}

#[test]
fn pods_that_ended_or_leave_are_not_waited_for() {
    let ended = json!({ "phase": "Succeeded" });
    let mut leaving = pod("b", None, &json!({ "phase": "Running" }));
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    check(&[pod("a", None, &ended), leaving], "0 of 0", &[]);
}

#[test]
fn pods_of_workloads_are_counted_there() {
    let pending = json!({ "phase": "Pending" });
    let pods = [pod("a", Some("set"), &ready()), pod("b", Some("set"), &pending)];
    check(&pods, "0 of 0", &["Pod ns/b: Pending"]);
}

#[test]
fn a_workload_is_ready_once_its_controller_has_seen_it_and_all_pods_are() {
    let check = |seen: i64, ready: i32, want: &str, waiting: &[&str]| {
        let metadata = json!({ "namespace": "ns", "name": "w", "generation": 2 });
        let status = json!({ "observedGeneration": seen, "readyReplicas": ready, "replicas": 2 });
        let template = json!({ "metadata": {}, "spec": { "containers": [] } });
        let spec =
            json!({ "replicas": 2, "selector": {}, "template": template, "serviceName": "s" });
        let object = json!({ "metadata": metadata, "spec": spec, "status": status });
        let daemons = json!({ "observedGeneration": seen, "numberReady": ready,
            "desiredNumberScheduled": 2, "currentNumberScheduled": 2, "numberMisscheduled": 0 });
        let daemons = json!({ "metadata": metadata, "status": daemons });
        let read = "it is well written";
        let deployment = of_deployment(&serde_json::from_value(object.clone()).expect(read));
        let stateful = of_stateful_set(&serde_json::from_value(object).expect(read));
        let daemon = of_daemon_set(&serde_json::from_value(daemons).expect(read));
        for (kind, workload) in
            [("Deployment", deployment), ("StatefulSet", stateful), ("DaemonSet", daemon)]
        {
            let mut readiness = Readiness::default();
            readiness.add_workloads(&[workload]);
            assert_eq!(readiness.pods.to_string(), want, "{kind}");
            let waiting: Vec<String> =
                waiting.iter().map(|it| format!("{kind} ns/w: {it}")).collect();
            assert_eq!(readiness.waiting, waiting);
        }
    };
    check(1, 2, "0 of 0", &["its controller has not seen it yet"]);
    check(2, 1, "1 of 2", &["1 of 2 pods Ready"]);
    check(2, 2, "2 of 2", &[]);
}

#[test]
fn a_network_waits_for_what_its_condition_says() {
    let check = |status: &Value, want: &str, waiting: &[&str]| {
        let network = json!({ "apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork",
            "metadata": { "namespace": "ns", "name": "net" },
            "spec": { "topology": "Layer2", "layer2": { "role": "Primary", "subnets": ["10.0.0.0/24"] } },
            "status": status });
        let mut world = World::default();
        world.insert(&network).expect("the network is well written");
        let mut readiness = Readiness::default();
        readiness.add_networks(&Listing { world, ..Listing::default() });
        assert_eq!(readiness.networks.to_string(), want);
        assert_eq!(readiness.waiting, waiting);
    };
    let condition = |status: &str| {
        json!({ "conditions": [{ "type": "Ready", "status": status, "reason": "R",
            "message": "node2 is missing", "lastTransitionTime": "2026-01-01T00:00:00Z" }] })
    };
    check(&json!({}), "0 of 1", &["UDN ns/net: nobody has looked at it yet"]);
    check(&condition("False"), "0 of 1", &["UDN ns/net: node2 is missing"]);
    check(&condition("True"), "1 of 1", &[]);
}

//! Built-in kinds against answers of a real server, kept in `tests/native`.

use std::path::Path;

use kube_schema::Operation;
use serde_json::{Value, json};

use super::{
    Stack, accept_names, bind, cluster_ip, convert, finalized, identify_job, judge_named, kinds,
    node_ports, with_ephemeral_containers,
};
use crate::kinds::{Attempt, FieldValidation, Judged, Kind};
use crate::refusal::Refusal;

fn kind(api_version: &str, name: &str) -> Kind {
    let found = kinds().into_iter().find(|it| it.api_version() == api_version && it.kind == name);
    found.unwrap_or_else(|| panic!("{name} of {api_version} is built in"))
}

fn attempt(object: &Value, operation: Operation<'_>) -> Result<Judged, Refusal> {
    let text = |name: &str| object[name].as_str().expect("it says what it is").to_owned();
    let kind = kind(&text("apiVersion"), &text("kind"));
    let field_validation = FieldValidation::Strict;
    let (complaints, record) = (&[], &|_: &mut Value| Ok(()));
    kind.judge(Attempt { object: object.clone(), operation, field_validation, complaints, record })
}

/// An object as its caller gives it: in the namespace of the path.
fn placed(mut object: Value) -> Value {
    let text = |name: &str| object[name].as_str().expect("it says what it is").to_owned();
    let kind = kind(&text("apiVersion"), &text("kind"));
    if let Some(metadata) = object["metadata"].as_object_mut().filter(|_| kind.is_namespaced()) {
        metadata.entry("namespace").or_insert_with(|| Value::from("default"));
    }
    object
}

/// What only the caller sets, and addresses, which are random.
fn bare(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for name in ["uid", "creationTimestamp", "resourceVersion", "managedFields"] {
            metadata.remove(name);
        }
    }
    object
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("the case is readable");
    serde_json::from_str(&text).expect("the case is JSON")
}

#[test]
fn objects_are_stored_or_refused_as_by_the_real_server() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native");
    let mut cases: Vec<_> = std::fs::read_dir(folder)
        .expect("there are cases")
        .map(|entry| entry.expect("it is readable").path())
        .filter(|path| path.to_string_lossy().ends_with(".in.json"))
        .collect();
    cases.sort();
    assert!(cases.len() > 50, "there are cases");
    let wrong: Vec<String> = cases.iter().filter_map(|case| differs(case)).collect();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// How the answer to a case differs from the server's.
fn differs(case: &Path) -> Option<String> {
    let beside = |end: &str| case.to_string_lossy().replace(".in.json", end);
    let name = beside(".stored.json");
    let (given, want) = (placed(read(case)), read(Path::new(&name)));
    let old = beside(".old.json");
    let old = Path::new(&old).exists().then(|| read(Path::new(&old)));
    let operation = match &old {
        None => Operation::Create,
        Some(old) if name.contains("-status-") => Operation::UpdateStatus { old },
        Some(old) => Operation::Update { old },
    };
    let got = match attempt(&given, operation) {
        Ok(judged) => addressed(bare(judged.object), old.as_ref()),
        Err(refusal) => once(refusal.status()),
    };
    let mut differences = Vec::new();
    compare(&got, &want, "", &mut differences);
    (got != want).then(|| format!("{name}\n{}", differences.join("\n")))
}

/// A refusal that tells each cause once; the server checks metadata several times.
fn once(mut status: Value) -> Value {
    if let Some(Value::Array(causes)) = status.pointer_mut("/details/causes") {
        let mut seen = Vec::new();
        causes.retain(|cause| {
            let is_new = !seen.contains(cause);
            seen.push(cause.clone());
            is_new
        });
    }
    status
}

/// A service with signs in place of addresses it did not have before.
fn addressed(mut object: Value, old: Option<&Value>) -> Value {
    if object["kind"] != "Service" {
        return object;
    }
    cluster_ip(&mut object, Stack::Dual, &|_| false, 7).expect("it is given one");
    let before = old.and_then(|old| old["spec"]["clusterIPs"].as_array());
    let is_old = |address: &Value| before.is_some_and(|before| before.contains(address));
    let sign = |address: &Value| match address.as_str() {
        Some("None") | None => address.clone(),
        Some(_) if is_old(address) => address.clone(),
        Some(address) if address.contains(':') => Value::from("<v6>"),
        Some(_) => Value::from("<v4>"),
    };
    if let Some(address) = object["spec"].get_mut("clusterIP") {
        *address = sign(address);
    }
    if let Some(Value::Array(addresses)) = object["spec"].get_mut("clusterIPs") {
        addresses.iter_mut().for_each(|address| *address = sign(address));
    }
    object
}

fn compare(got: &Value, want: &Value, at: &str, differences: &mut Vec<String>) {
    match (got, want) {
        (Value::Object(one), Value::Object(other)) => {
            for name in one.keys().chain(other.keys().filter(|name| !one.contains_key(*name))) {
                let absent = Value::from("<absent>");
                let (got, want) =
                    (one.get(name).unwrap_or(&absent), other.get(name).unwrap_or(&absent));
                compare(got, want, &format!("{at}/{name}"), differences);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (place, (got, want)) in one.iter().zip(other).enumerate() {
                compare(got, want, &format!("{at}/{place}"), differences);
            }
        }
        _ if got != want => differences.push(format!("  {at}\n    got  {got}\n    want {want}")),
        _ => {}
    }
}

#[test]
fn every_schema_can_be_read() {
    for kind in kinds() {
        let names = kind.schema.properties.len();
        assert!(names > 2, "{} has fields", kind.kind);
    }
}

#[test]
fn a_pod_says_how_its_containers_merge() {
    let pod = kind("v1", "Pod");
    let containers = &pod.schema.properties["spec"].properties["containers"];
    assert_eq!((&*containers.patch_strategy, &*containers.patch_merge_key), ("merge", "name"));
    assert_eq!(containers.list_map_keys, ["name"]);
}

#[test]
fn an_event_reads_alike_in_both_groups() {
    let core = json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"name": "e1", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "x"},
        "reason": "R", "message": "m", "source": {"component": "c"},
        "firstTimestamp": "2020-01-01T00:00:00Z", "lastTimestamp": "2020-01-01T00:00:00Z",
        "count": 1, "type": "Normal", "eventTime": null,
        "reportingComponent": "", "reportingInstance": "",
    });
    let new = json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event",
        "metadata": {"name": "e1", "namespace": "default"},
        "eventTime": null, "reason": "R", "note": "m", "type": "Normal",
        "regarding": {"kind": "Pod", "namespace": "default", "name": "x"},
        "deprecatedSource": {"component": "c"},
        "deprecatedFirstTimestamp": "2020-01-01T00:00:00Z",
        "deprecatedLastTimestamp": "2020-01-01T00:00:00Z", "deprecatedCount": 1,
    });
    assert_eq!(convert(core.clone(), &kind("events.k8s.io/v1", "Event")), new);
    assert_eq!(convert(new, &kind("v1", "Event")), core);
}

#[test]
fn what_was_judged_is_judged_the_same_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native");
    for entry in std::fs::read_dir(folder).expect("there are cases") {
        let path = entry.expect("it is readable").path();
        if !path.to_string_lossy().ends_with(".in.json") {
            continue;
        }
        if let Ok(once) = attempt(&placed(read(&path)), Operation::Create) {
            let twice = attempt(&once.object, Operation::Create).expect("it was fine before");
            assert_eq!(once.object, twice.object, "{}", path.display());
        }
    }
}

#[test]
fn a_pod_has_time_to_end_only_where_it_runs() {
    let grace = |pod: Value, asked| (super::pods::POD.grace)(&pod, asked);
    let spec = json!({"nodeName": "n", "terminationGracePeriodSeconds": 7});
    assert_eq!(grace(json!({"spec": {}}), Some(5)), Some(0));
    assert_eq!(grace(json!({"spec": spec, "status": {"phase": "Failed"}}), Some(5)), Some(0));
    assert_eq!(grace(json!({"spec": spec}), None), Some(7));
    assert_eq!(grace(json!({"spec": spec}), Some(5)), Some(5));
    assert_eq!(grace(json!({"spec": spec}), Some(-1)), Some(1));
}

#[test]
fn a_service_skips_addresses_that_are_used() {
    let mut service = json!({"spec": {"type": "ClusterIP", "ports": [{"port": 1}]}});
    cluster_ip(&mut service, Stack::Single, &|address| address == "10.96.0.1", 0)
        .expect("there are free ones");
    assert_eq!(service["spec"]["clusterIP"], "10.96.0.2");
    service["spec"]["type"] = json!("NodePort");
    node_ports(&mut service, &|port| port == 30000, 0).expect("there are free ones");
    assert_eq!(service["spec"]["ports"][0]["nodePort"], 30001);
}

#[test]
fn a_pod_is_bound_once() {
    let pod = json!({"metadata": {"name": "p"}, "spec": {}, "status": {}});
    let binding = json!({"metadata": {"annotations": {"a": "b"}}, "target": {"name": "n"}});
    let bound = bind(&pod, &binding, "2020-01-01T00:00:00Z").expect("it is free");
    assert_eq!(bound["spec"]["nodeName"], "n");
    assert_eq!(bound["metadata"]["annotations"]["a"], "b");
    assert_eq!(bound["status"]["conditions"][0]["type"], "PodScheduled");
    let again = bind(&bound, &binding, "2020-01-01T00:00:00Z").expect_err("it has a node");
    let why = "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to \
               node \"n\"";
    assert_eq!((again.code, again.message.as_str()), (409, why));
}

#[test]
fn ephemeral_containers_come_and_stay() {
    let kind = kind("v1", "Pod");
    let given = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"},
        "spec": {"containers": [{"name": "a", "image": "x"}]},
    });
    let old = attempt(&given, Operation::Create).expect("it is a pod").object;
    let mut asked = given.clone();
    asked["spec"] = json!({"ephemeralContainers": [{"name": "e", "image": "x"}]});
    let pod = with_ephemeral_containers(&kind, &asked, &old).expect("one more may come");
    assert_eq!(pod["metadata"]["generation"], 2);
    assert_eq!(pod["spec"]["containers"], old["spec"]["containers"]);
    assert_eq!(pod["spec"]["ephemeralContainers"][0]["imagePullPolicy"], "Always");
    let refusal = with_ephemeral_containers(&kind, &given, &pod).expect_err("it may not go");
    let why = "Pod \"p\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral \
               containers \"e\" may not be removed\n";
    assert_eq!((refusal.code, refusal.message.as_str()), (422, why));
}

#[test]
fn a_namespace_is_finalized_without_a_change_beside() {
    let old = json!({"metadata": {"name": "n"}, "spec": {"finalizers": ["kubernetes"]}});
    let sent = json!({"metadata": {"name": "n", "labels": {"a": "b"}}, "spec": {}});
    assert_eq!(finalized(&sent, &old), json!({"metadata": {"name": "n"}, "spec": {}}));
}

#[test]
fn a_job_is_known_by_its_uid() {
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "j", "uid": "u"}, "spec": {"manualSelector": false},
    });
    identify_job(&mut job);
    let selector = json!({"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}});
    assert_eq!(job["spec"]["selector"], selector);
    assert_eq!(job["metadata"]["labels"], job["spec"]["template"]["metadata"]["labels"]);
    assert_eq!(job["metadata"]["labels"]["job-name"], "j");
}

fn definition(plural: &str, kind: &str) -> Value {
    let names = json!({"plural": plural, "singular": kind.to_lowercase(), "kind": kind,
        "listKind": format!("{kind}List")});
    let name = format!("{plural}.example.org");
    json!({"metadata": {"name": name}, "spec": {"group": "example.org", "names": names}})
}

#[test]
fn names_of_a_definition_are_accepted() {
    let mut definition = definition("nets", "Net");
    accept_names(&mut definition, &[], "2020-01-01T00:00:00Z");
    assert_eq!(definition["status"]["acceptedNames"], definition["spec"]["names"]);
    assert_eq!(definition["status"]["conditions"][1]["type"], "Established");
    assert_eq!(definition["status"]["conditions"][1]["status"], "True");
}

#[test]
fn names_that_another_definition_has_are_not_accepted() {
    let mut first = definition("nets", "Net");
    accept_names(&mut first, &[], "2020-01-01T00:00:00Z");
    let mut second = definition("links", "Net");
    accept_names(&mut second, &[first], "2020-01-01T00:00:00Z");
    let status = &second["status"];
    assert_eq!(status["acceptedNames"], json!({"plural": "links", "kind": ""}));
    assert_eq!(status["conditions"][0]["reason"], "ListKindConflict");
    assert_eq!(status["conditions"][0]["message"], "\"NetList\" is already in use");
    assert_eq!(status["conditions"][1]["status"], "False");
}

#[test]
fn a_definition_of_the_community_needs_an_approval() {
    let mut definition = definition("nets", "Net");
    definition["spec"]["group"] = json!("x.k8s.io");
    definition["metadata"]["annotations"]["api-approved.kubernetes.io"] = json!("https://x.io/1");
    accept_names(&mut definition, &[], "2020-01-01T00:00:00Z");
    let condition = &definition["status"]["conditions"][2];
    assert_eq!(condition["message"], "approved in https://x.io/1");
}

#[test]
fn what_only_subresources_take_is_decoded_too() {
    let schema = "io.k8s.api.policy.v1.Eviction";
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"x": 1}});
    let refusal = judge_named(&eviction, schema, FieldValidation::Strict).expect_err("unknown");
    let why = "Eviction in version \"v1\" cannot be handled as a Eviction: strict decoding error: \
               unknown field \"metadata.x\"";
    assert_eq!((refusal.code, refusal.message.as_str()), (400, why));
}

/// Every value of a case in turn becomes something else; the object is refused or stored.
#[test]
fn no_value_in_the_wrong_place_is_a_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native");
    let junk =
        [json!(null), json!("x"), json!(-1), json!(1.5), json!([]), json!([null]), json!({})];
    for entry in std::fs::read_dir(folder).expect("there are cases") {
        let path = entry.expect("it is readable").path();
        if !path.to_string_lossy().ends_with("1.in.json") {
            continue;
        }
        let given = placed(read(&path));
        let mut pointers = Vec::new();
        gather(&given, String::new(), &mut pointers);
        for pointer in pointers.iter().filter(|it| !["/kind", "/apiVersion"].contains(&it.as_str()))
        {
            for value in &junk {
                let mut object = given.clone();
                *object.pointer_mut(pointer).expect("it is there") = value.clone();
                let _ = attempt(&object, Operation::Create);
                let _ = attempt(&object, Operation::Update { old: &given });
                let _ = attempt(&given, Operation::UpdateStatus { old: &object });
            }
        }
    }
}

fn gather(value: &Value, at: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            let name = name.replace('~', "~0").replace('/', "~1");
            gather(value, format!("{at}/{name}"), pointers);
        }),
        Value::Array(items) => items.iter().enumerate().for_each(|(place, value)| {
            gather(value, format!("{at}/{place}"), pointers);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    if !at.is_empty() {
        pointers.push(at);
    }
}

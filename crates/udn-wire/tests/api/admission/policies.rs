//! Our admission policies: a real kube-apiserver and we say the same to the same requests.
//!
//! Invariant: the server is asked for dry runs only, besides the objects that must stand.

use kube_schema::{Catalog, Request};
use serde_json::{Value, json};

use super::requests::Verb;
use super::server::{Asker, Server};
use crate::catalog::catalog;

pub(crate) const ANNOTATION: &str = "v1.multus-cni.io/default-network";
pub(crate) const LABEL: &str = "k8s.ovn.org/primary-user-defined-network";

pub(crate) fn pod(annotations: &Value) -> Value {
    let metadata = json!({ "namespace": "ns", "annotations": annotations });
    let spec = json!({ "containers": [{ "name": "c", "image": "i" }] });
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec })
}

pub(crate) fn namespace(labels: &Value) -> Value {
    let metadata = json!({ "labels": labels });
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata })
}

pub(crate) fn report(name: &str) -> Value {
    json!({
        "apiVersion": "k8s.ovn.org/v1alpha1", "kind": "NodeNetworkReport",
        "metadata": { "name": name }, "status": { "programmedUpTo": "7" },
    })
}

/// An object before and after an update, and what the policy says to it.
type Case = (Value, Value, Option<&'static str>);

/// Both judges refuse, or both accept, an update; the reason is the policy's.
fn check(server: &Server, catalog: &Catalog, name: &str, (before, after, refusal): &Case) {
    let mut old = before.clone();
    old["metadata"]["name"] = name.into();
    let old = server.create(&old);
    let mut new = old.clone();
    for part in ["labels", "annotations"] {
        new["metadata"][part] = after["metadata"][part].clone();
    }
    for verb in [Verb::Update, Verb::UpdateStatus] {
        let request = Request::new(new.clone(), verb.of(Some(&old)));
        let ours = catalog.judge(request, &mut |_| {});
        let theirs = server.call(verb, &new, true).err();
        let story = format!("{verb:?} {} to {}", before["metadata"], after["metadata"]);
        let message = |status: &Option<Value>| {
            status.as_ref().map_or(Value::Null, |status| status["message"].clone())
        };
        let (ours, theirs) = (message(&ours.status()), message(&theirs));
        assert_eq!(ours, theirs, "{story}");
        match refusal {
            None => assert_eq!(theirs, Value::Null, "{story}"),
            Some(text) => assert!(theirs.to_string().contains(text), "{story}: {theirs}"),
        }
    }
}

/// Neither may be added, changed (the label's value may) or removed.
pub(crate) fn annotation_and_label() {
    let (server, catalog) = (Server::shared(), catalog());
    let one = json!({ ANNOTATION: r#"{"name":"default"}"# });
    let two = json!({ ANNOTATION: r#"{"name":"default","mac":"02:00:00:00:00:01"}"# });
    let (none, other) = (json!({}), json!({ "a": "b" }));
    let both = json!({ ANNOTATION: r#"{"name":"default"}"#, "a": "b" });
    let refused = Some("annotation cannot be changed after the pod was created");
    let pods = [
        (&one, &one, None),
        (&one, &both, None),
        (&none, &other, None),
        (&none, &none, None),
        (&none, &one, refused),
        (&other, &both, refused),
        (&one, &none, refused),
        (&both, &other, refused),
        (&one, &two, refused),
    ];
    let pods = pods.map(|(before, after, refusal)| (pod(before), pod(after), refusal));
    let (plain, valued) = (json!({ LABEL: "" }), json!({ LABEL: "any" }));
    let refused = Some("label cannot be added/removed after the namespace was created");
    let namespaces = [
        (&plain, &valued, None),
        (&none, &other, None),
        (&none, &plain, refused),
        (&other, &plain, refused),
        (&plain, &none, refused),
        (&valued, &other, refused),
    ];
    let namespaces =
        namespaces.map(|(before, after, refusal)| (namespace(before), namespace(after), refusal));
    for (number, case) in pods.iter().chain(&namespaces).enumerate() {
        check(server, &catalog, &format!("it-{number}"), case);
    }
}

/// An agent that is bound to a node writes that node's report and no other.
pub(crate) fn reports() {
    let (server, catalog) = (Server::shared(), catalog());
    let agent = Asker::agent("agent-1");
    let user = agent.user();
    let (own, foreign) = (server.create(&report("agent-1")), server.create(&report("agent-2")));
    for (old, refusal) in [(&own, None), (&foreign, Some("agent-1 cannot write that of agent-2"))] {
        for verb in [Verb::Update, Verb::UpdateStatus] {
            let request = Request::new(old.clone(), verb.of(Some(old))).by_user(&user);
            let ours = catalog.judge(request, &mut |_| {}).status();
            let theirs = server.call_as(Some(agent), verb, old, true).err();
            let message = |status: &Option<Value>| status.as_ref().map(|it| it["message"].clone());
            assert_eq!(message(&ours), message(&theirs));
            let told = theirs.map_or(String::new(), |it| it["message"].to_string());
            assert_eq!(refusal.is_some(), !told.is_empty(), "{told}");
            assert!(told.contains(refusal.unwrap_or_default()), "{told}");
        }
    }
}

//! What a node's agent may write: a real kube-apiserver and we say the same to the same requests.
//!
//! Invariant: the server is asked for dry runs only, besides the objects that must stand.

use kube_schema::{Catalog, Operation, Request};
use serde_json::{Value, json};

use super::requests::Verb;
use super::server::{AGENT, Asker, Server};
use crate::catalog::catalog;

/// The node whose agent asks.
const OWN: &str = "own";

const CHASSIS: &str = "k8s.ovn.org/node-chassis-id";
const ADDRESSES: &str = "k8s.ovn.org/pod-networks";

/// A change of a standing object, who asks for it, and what the policies say.
struct Case {
    what: &'static str,
    asker: Asker<'static>,
    verb: Verb,
    object: Value,
    change: fn(&mut Value),
    refusal: Option<&'static str>,
}

fn node(name: &str) -> Value {
    let annotations = json!({ CHASSIS: "c", "k8s.ovn.org/node-id": "3", "other": "x" });
    let metadata = json!({ "name": name, "labels": { "zone": "a" }, "annotations": annotations });
    json!({ "apiVersion": "v1", "kind": "Node", "metadata": metadata,
        "spec": { "podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"] } })
}

fn pod(name: &str, node: &str) -> Value {
    let annotations = json!({ ADDRESSES: "{}", "k8s.v1.cni.cncf.io/networks": "red" });
    let metadata = json!({ "name": name, "namespace": "ns", "labels": { "app": "web" },
        "annotations": annotations });
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata,
        "spec": { "nodeName": node, "containers": [{ "name": "c", "image": "i" }] } })
}

fn lease(name: &str) -> Value {
    let metadata = json!({ "name": name, "namespace": "kube-node-lease" });
    json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata,
        "spec": { "holderIdentity": "h" } })
}

const fn agent(node: Option<&'static str>) -> Asker<'static> {
    Asker { name: AGENT, node }
}

/// Somebody else who is bound to the node, such as another plugin's agent.
const OTHER: Asker<'_> =
    Asker { name: "system:serviceaccount:monitoring:node-exporter", node: Some(OWN) };

fn annotate(object: &mut Value, key: &str, text: &str) {
    object["metadata"]["annotations"][key] = text.into();
}

fn cases_of_nodes() -> Vec<Case> {
    let node_of_own = || node(OWN);
    let case = |what, change, refusal| Case {
        what,
        asker: agent(Some(OWN)),
        verb: Verb::Update,
        object: node_of_own(),
        change,
        refusal,
    };
    let own_only = Some("A node agent may write its own Node only");
    let these_only = Some("A node agent may change these annotations of its Node only");
    let annotations_only = Some("A node agent may change annotations of its Node only");
    let chassis: fn(&mut Value) = |it| annotate(it, CHASSIS, "other");
    vec![
        case("its chassis", chassis, None),
        case(
            "an annotation that it had not",
            |it| annotate(it, "k8s.ovn.org/host-cidrs", "[]"),
            None,
        ),
        case("nothing", |_| {}, None),
        case("the controller's", |it| annotate(it, "k8s.ovn.org/node-id", "4"), these_only),
        case("somebody's new one", |it| annotate(it, "new", "y"), these_only),
        case(
            "removes another's",
            |it| {
                let all = it["metadata"]["annotations"].as_object_mut();
                all.expect("it has some").remove("other");
            },
            these_only,
        ),
        case("a label", |it| it["metadata"]["labels"]["zone"] = "b".into(), annotations_only),
        case("all labels", |it| it["metadata"]["labels"] = json!({}), annotations_only),
        case("a taint", |it| it["spec"]["unschedulable"] = true.into(), annotations_only),
        case("a finalizer", |it| it["metadata"]["finalizers"] = json!(["a.b/c"]), annotations_only),
        Case {
            verb: Verb::UpdateStatus,
            ..case(
                "its capacity",
                |it| it["status"]["capacity"] = json!({ "cpu": "64" }),
                annotations_only,
            )
        },
        Case { object: node("foreign"), ..case("another node's", chassis, own_only) },
        Case { asker: agent(None), ..case("with a token of no pod", chassis, own_only) },
        Case {
            verb: Verb::Create,
            ..case("a node", |it| it["metadata"]["name"] = "third".into(), own_only)
        },
        Case { asker: OTHER, ..case("is not our agent", |it| annotate(it, "new", "y"), None) },
    ]
}

fn cases_of_pods() -> Vec<Case> {
    let case = |what, change, refusal| Case {
        what,
        asker: agent(Some(OWN)),
        verb: Verb::UpdateStatus,
        object: pod("here", OWN),
        change,
        refusal,
    };
    let own_only = Some("A node agent may write pods of its own node only");
    let this_only = Some("A node agent may change this annotation of pods only");
    let addresses_only = Some("A node agent may change the addresses of pods only");
    let addresses: fn(&mut Value) = |it| annotate(it, ADDRESSES, r#"{"default":{}}"#);
    vec![
        case("its addresses", addresses, None),
        Case { verb: Verb::Update, ..case("the same as a whole", addresses, None) },
        case("its networks", |it| annotate(it, "k8s.v1.cni.cncf.io/networks", "blue"), this_only),
        case("its phase", |it| it["status"]["phase"] = "Succeeded".into(), addresses_only),
        Case {
            verb: Verb::Update,
            ..case("a label", |it| it["metadata"]["labels"]["app"] = "db".into(), addresses_only)
        },
        Case {
            verb: Verb::Update,
            ..case(
                "its image",
                |it| it["spec"]["containers"][0]["image"] = "other".into(),
                addresses_only,
            )
        },
        Case { object: pod("there", "foreign"), ..case("elsewhere", addresses, own_only) },
        Case { asker: agent(None), ..case("with a token of no pod", addresses, own_only) },
        Case {
            verb: Verb::Create,
            ..case(
                "a pod",
                |it| it["metadata"]["name"] = "new".into(),
                Some("A node agent neither creates nor deletes pods"),
            )
        },
        Case {
            asker: OTHER,
            ..case("is not our agent", |it| it["status"]["phase"] = "Succeeded".into(), None)
        },
    ]
}

fn cases_of_leases() -> Vec<Case> {
    let case = |what, object, refusal| Case {
        what,
        asker: agent(Some(OWN)),
        verb: Verb::Update,
        object,
        change: |it| it["spec"]["holderIdentity"] = "other".into(),
        refusal,
    };
    let own_only = Some("A node agent may write its own Lease only");
    vec![
        case("its own lease", lease("udn-node.own"), None),
        case("another node's lease", lease("udn-node.foreign"), own_only),
        case("kubelet's lease", lease(OWN), own_only),
        Case {
            asker: agent(None),
            ..case("with a token of no pod", lease("udn-node.own"), own_only)
        },
        Case { asker: OTHER, ..case("is not our agent", lease("udn-node.own"), None) },
    ]
}

/// Objects that no agent may change but that of their own node, to see whether policies are in force.
pub(crate) fn probes() -> [Value; 3] {
    [node("probe"), pod("probe-of-agents", "probe"), lease("udn-node.probe")]
}

/// An agent changes what is its own node's, and of that only what it has to.
pub(crate) fn own_objects() {
    let (server, catalog) = (Server::shared(), catalog());
    let standing = [
        node(OWN),
        node("foreign"),
        pod("here", OWN),
        pod("there", "foreign"),
        lease("udn-node.own"),
        lease("udn-node.foreign"),
        lease(OWN),
    ];
    let standing = standing.map(|it| server.create(&it));
    for case in cases_of_nodes().iter().chain(&cases_of_pods()).chain(&cases_of_leases()) {
        check(server, &catalog, &standing, case);
    }
}

fn check(server: &Server, catalog: &Catalog, standing: &[Value], case: &Case) {
    let Case { what, asker, verb, object, change, refusal } = case;
    let old = standing.iter().find(|it| {
        it["kind"] == object["kind"] && it["metadata"]["name"] == object["metadata"]["name"]
    });
    let old = old.expect("it stands");
    let mut new = old.clone();
    change(&mut new);
    let operation = verb.of(Some(old));
    if matches!(operation, Operation::Create) {
        new["metadata"]["resourceVersion"] = Value::Null;
        new["metadata"]["uid"] = Value::Null;
    }
    let request = Request::new(new.clone(), operation);
    let user = asker.user();
    let ours = catalog.judge(request.by_user(&user), &mut |_| {}).status();
    let theirs = server.call_as(Some(*asker), *verb, &new, true).err();
    let message = |status: &Option<Value>| {
        status.as_ref().map_or(String::new(), |status| status["message"].to_string())
    };
    let story = format!("{} {what}, {verb:?}", object["kind"]);
    match refusal {
        None => assert_eq!(message(&theirs), "", "{story}"),
        Some(text) => assert!(message(&theirs).contains(text), "{story}: {}", message(&theirs)),
    }
    assert_eq!(message(&ours), message(&theirs), "{story}");
}

//! Work items without a status: events about their objects.

use udn_model::{Finding, NetworkName, NodeName, ObjectName, Reason, Subject};
use udn_wire::kind::Kind;

use super::{Scene, THEN};
use crate::work_item::WorkItem;

fn nad(name: &str, config: &str) -> String {
    format!(
        "{{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: {{name: \
         {name}, namespace: a, uid: nad-{name}}}, spec: {{config: '{config}'}}}}"
    )
}

fn events(scene: &Scene, item: &WorkItem) -> Vec<(Kind, String, String)> {
    let status_update = scene.tell(item, THEN);
    assert_eq!(status_update.write, None);
    let plain = |it: crate::write::Event| (it.about.kind, it.uid, it.reason);
    status_update.events.into_iter().map(plain).collect()
}

#[test]
fn a_written_nad_is_told_what_is_wrong_with_it() {
    let unread = nad("broken", "{nonsense");
    let flat = |name: &str| {
        let config = r#"{"type":"ovn-k8s-cni-overlay","name":"flat","topology":"layer7","#;
        nad(name, &format!(r#"{config}"netAttachDefName":"a/{name}"}}"#))
    };
    let (one, two) = (flat("one"), flat("two"));
    let scene = Scene::bare(&[&super::namespace("a", ""), &unread, &one, &two]);
    let event = |uid: &str| (Kind::Nad, uid.to_owned(), "InvalidConfig".to_owned());
    let flat = WorkItem::HandWritten(NetworkName::new("flat"));
    assert_eq!(events(&scene, &flat), [event("nad-one"), event("nad-two")]);
    let unread = WorkItem::HandWritten(NetworkName::new("a/broken"));
    assert_eq!(events(&scene, &unread), [event("nad-broken")]);
    assert_eq!(events(&scene, &WorkItem::DefaultNad), []);
}

#[test]
fn a_written_network_without_numbers_is_told_at_its_first_nad() {
    let config = r#"{"type":"ovn-k8s-cni-overlay","name":"flat","topology":"layer2","netAttachDefName":"a/one"}"#;
    let mut scene = Scene::bare(&[&super::namespace("a", ""), &nad("one", config)]);
    let network = NetworkName::new("flat");
    let subject = Subject::Network(network.clone());
    scene.more.push(Finding::new(subject, Reason::PoolExhausted, "none left"));
    let want = (Kind::Nad, "nad-one".to_owned(), "PoolExhausted".to_owned());
    assert_eq!(events(&scene, &WorkItem::HandWritten(network)), [want]);
    assert_eq!(events(&scene, &WorkItem::HandWritten(NetworkName::new("other"))), []);
}

#[test]
fn a_node_is_told_what_is_wrong_with_it() {
    let node = "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: u1}}";
    let mut scene = Scene::bare(&[node]);
    for name in ["n1", "n2"] {
        let subject = Subject::Node(NodeName::new(name));
        scene.more.push(Finding::new(subject, Reason::PoolExhausted, "none left"));
    }
    let pod = Subject::Pod(ObjectName::new("a", "p"));
    scene.more.push(Finding::new(pod, Reason::PoolExhausted, "none left"));
    let want = (Kind::Node, "u1".to_owned(), "PoolExhausted".to_owned());
    assert_eq!(events(&scene, &WorkItem::Node(NodeName::new("n1"))), [want]);
    assert_eq!(events(&scene, &WorkItem::Node(NodeName::new("n2"))), []);
}

//! Manifests and the worlds that they give.

use super::{Reading, World};

fn read(text: &str) -> Reading {
    World::read([("a.yaml", text.as_bytes())])
}

/// Reads one source and compares what is told about it.
fn check(text: &str, problems: &[&str], skipped: &[&str]) -> World {
    let reading = read(text);
    let texts = |list: &[super::Problem]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(texts(&reading.problems), problems, "{text}");
    assert_eq!(texts(&reading.skipped), skipped, "{text}");
    reading.world
}

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a}\n";

#[test]
fn documents_of_a_source_are_read_one_by_one() {
    let node = |name: &str| format!("apiVersion: v1\nkind: Node\nmetadata:\n  name: {name}\n");
    let text = format!("# none\n---\n{}---\n\n---\n{}...\n", node("n1"), node("n2"));
    let world = check(&text, &[], &[]);
    assert_eq!(world.nodes.len(), 2);
}

#[test]
fn json_and_lists_are_read() {
    let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}"#;
    let world = check(pod, &[], &[]);
    assert!(world.pods.contains_key(&udn_model::ObjectName::new("default", "p")));
    let list = r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Node",
        "metadata":{"name":"n1"}},{"apiVersion":"v1","kind":"Node","metadata":{"name":"n2"}}]}"#;
    assert_eq!(check(list, &[], &[]).nodes.len(), 2);
    let typed = "apiVersion: v1\nkind: NodeList\nitems:\n- metadata: {name: n1}\n";
    assert_eq!(check(typed, &[], &[]).nodes.len(), 1);
    let two = format!("{pod}\n{}", pod.replace("\"p\"", "\"q\""));
    assert_eq!(check(&two, &[], &[]).pods.len(), 2);
}

#[test]
fn a_document_that_cannot_be_read_costs_no_other() {
    let text = format!("a: [\n---\n{POD}");
    let want = "a.yaml:1: cannot be read: unclosed bracket '['; mend the document (document 1)";
    assert_eq!(check(&text, &[want], &[]).pods.len(), 1);
    let text = format!("{POD}---\na: 1\na: 2\n");
    let reading = read(&text);
    assert_eq!(reading.problems[0].line, 6);
    assert_eq!(reading.problems[0].document, 2);
    assert_eq!(reading.world.pods.len(), 1);
    let json = "{\"apiVersion\": \"v1\",\n \"kind\": }";
    let want = "a.yaml:2: cannot be read: expected value; mend the document (document 1)";
    check(json, &[want], &[]);
}

#[test]
fn other_kinds_are_skipped() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n---\n\
                apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: s}\n";
    let skipped = [
        "a.yaml:1: apps/v1 Deployment plays no part in networks; skipped (document 1)",
        "a.yaml:4: serving.knative.dev/v1 Service plays no part in networks; skipped (document 2)",
    ];
    assert_eq!(check(text, &[], &skipped), World::default());
}

#[test]
fn what_is_no_object_is_told() {
    let want = "a.yaml:1: is not a Kubernetes object; give it apiVersion and kind (document 1)";
    check("just: text\n", &[want], &[]);
    check("[1, 2]\n", &[want], &[]);
    check("", &[], &[]);
    let reading = World::read([("b", &b"a: b\n\xff"[..])]);
    let want = "b:2: is not UTF-8 text; save it as UTF-8 (document 1)";
    assert_eq!(reading.problems[0].to_string(), want);
}

#[test]
fn a_field_of_the_wrong_type_is_told_with_its_line() {
    let text = "apiVersion: v1\nkind: Node\nmetadata:\n  name: node\n  annotations:\n    a: 5\n";
    let reading = read(text);
    let [problem] = &reading.problems[..] else { panic!("{reading:?}") };
    assert_eq!(problem.line, 6, "{problem}");
    assert!(problem.message.ends_with("put the value in quotes"), "{problem}");
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: [node]}\n";
    let reading = read(text);
    assert_eq!(reading.problems[0].line, 4);
}

#[test]
fn a_second_object_of_a_name_is_refused() {
    let text = format!("{POD}---\n{POD}");
    let want = "a.yaml:4: Pod a/p appears a second time; remove one of the two (document 2)";
    assert_eq!(check(&text, &[want], &[]).pods.len(), 1);
}

#[test]
fn names_are_those_that_a_server_takes() {
    for name in ["A", "-a", "a_b", "a/b", "..", &"a".repeat(254)] {
        let text = format!("apiVersion: v1\nkind: Node\nmetadata: {{name: \"{name}\"}}\n");
        assert_eq!(read(&text).problems.len(), 1, "{name}");
    }
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a.b, namespace: a.b}\n";
    assert_eq!(read(text).problems.len(), 1);
    let text = "apiVersion: v1\nkind: Node\n";
    let want = "a.yaml:1: Node has no metadata.name; give it one (document 1)";
    check(text, &[want], &[]);
}

#[test]
fn uids_are_kept_or_derived() {
    let uid = |text: &str| read(text).world.pods.values().next().unwrap().metadata.uid.clone();
    assert_eq!(uid(POD), uid(POD));
    assert_ne!(uid(POD), uid(&POD.replace("name: p", "name: q")));
    assert_eq!(uid(&POD.replace("name: p", "uid: x, name: p")), "x");
    let groups: Vec<usize> = uid(POD).split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12]);
    assert_eq!(&uid(POD)[14..15], "8");
}

#[test]
fn a_namespace_carries_its_name_as_a_label() {
    let text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: red, labels: {a: b}}\n";
    let labels = &check(text, &[], &[]).namespaces["red"].metadata.labels;
    let pairs: Vec<(&str, &str)> = labels.iter().map(|(k, v)| (k, v.as_str())).collect();
    assert_eq!(pairs, [("a", "b"), ("kubernetes.io/metadata.name", "red")]);
}

#[test]
fn nulls_are_as_if_absent() {
    let text =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: , annotations: {a: }}\nspec:\n";
    let world = check(text, &[], &[]);
    assert!(world.pods.values().all(|pod| pod.metadata.annotations.is_empty()));
}

//! However many and however long: what is told fits.

use serde_json::json;
use udn_model::NodeName;

use super::{LOCALNET, Scene, THEN, condition, cudn, namespace};
use crate::bounded::{LONGEST_MESSAGE, LONGEST_NOTE, cut, list, list_of_more};

#[test]
fn texts_are_cut_between_characters() {
    assert_eq!(cut("short", 5), "short");
    assert_eq!(cut("longer text", 8), "longe…");
    assert_eq!(cut("ääää", 6), "ä…");
    assert_eq!(cut("ä", 1), "…");
}

#[test]
fn lists_say_how_many_are_missing() {
    assert_eq!(list::<&str>(&[], ", ", 10), "");
    assert_eq!(list(&["a", "b"], ", ", 10), "a, b");
    assert_eq!(list(&["aaaa", "bbbb", "cccc"], ", ", 10), "aaaa, bbbb, … and 1 more");
    assert_eq!(list(&["a very long first", "b"], " ", 8), "a ver… … and 1 more");
    assert_eq!(list_of_more(&["a", "b"], 3, ", ", 10), "a, b, … and 3 more");
    assert_eq!(list_of_more::<&str>(&[], 3, ", ", 10), "3 more");
}

fn many(count: usize, length: usize) -> Scene {
    let name = |it: usize| format!("{}{it:04}", "n".repeat(length - 4));
    let texts: Vec<String> = (0..count).map(|it| namespace(&name(it), "")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).chain([LOCALNET]).collect();
    Scene::of(&texts)
}

#[test]
fn one_namespace_and_six_hundred_are_listed() {
    for count in [1, 600] {
        let told = many(count, 8).told(&cudn("lan"), THEN);
        let created = condition(&told, "NetworkCreated").unwrap();
        assert_eq!(created.status.to_string(), "True");
        assert_eq!(created.message.matches("nnnn").count(), count);
        assert!(created.message.ends_with(&format!("nnnn{:04}]", count - 1)));
    }
}

#[test]
fn six_hundred_long_names_are_told_in_part() {
    let mut scene = many(600, 63);
    let told = scene.told(&cudn("lan"), THEN);
    let message = &condition(&told, "NetworkCreated").unwrap().message;
    assert!(message.len() <= LONGEST_MESSAGE, "{}", message.len());
    let listed = message.matches("nnnn0").count();
    assert!(message.ends_with(&format!(", … and {} more]", 600 - listed)), "{message}");
    scene.failures = (0..900).map(|it| format!("{it} {}", "ö".repeat(60))).collect();
    let told = scene.told(&cudn("lan"), THEN);
    let message = &condition(&told, "NetworkCreated").unwrap().message;
    assert!(message.len() <= LONGEST_MESSAGE, "{}", message.len());
    assert!(message.contains("; 0 ööö") && message.ends_with(" more"), "{message}");
}

#[test]
fn a_thousand_pods_are_told_in_part() {
    let mut scene = many(1, 8);
    let pod = super::attached_pod("nnnn0000/p", "nnnn0000/lan", "Running");
    let pod = Scene::bare(&[&pod]).world.pods.pop_first().unwrap().1;
    for number in 0..1000 {
        let name = format!("{}{number:03}", "p".repeat(200));
        let mut pod = pod.clone();
        pod.metadata.name = name.clone();
        scene.world.pods.insert(udn_model::ObjectName::new("nnnn0000", &name), pod);
    }
    scene.world.cluster_networks.get_mut("lan").unwrap().metadata.deletion_timestamp =
        Some(THEN.to_owned());
    let told = scene.told(&cudn("lan"), THEN);
    let message = &condition(&told, "NetworkCreated").unwrap().message;
    assert!(message.len() < 6_000, "{}", message.len());
    let named = message.matches("nnnn0000/ppp").count();
    assert!(message.ends_with(&format!(" … and {} more]", 1000 - named)), "{message}");
}

#[test]
fn a_thousand_nodes_with_long_reports_are_told_in_part() {
    let mut scene = many(1, 8);
    let mappings: Vec<_> = (0..256)
        .map(|it| json!({"name": format!("{}{it}", "ö".repeat(120)), "bridge": "b"}))
        .collect();
    scene.node("node-0000", json!({"physicalNetworks": mappings}));
    let report = scene.nodes.values().next().unwrap().clone();
    for number in 1..1000 {
        scene.nodes.insert(NodeName::new(&format!("node-{number:04}")), report.clone());
    }
    let told = scene.told(&cudn("lan"), THEN);
    let nodes = told.nodes.as_ref().unwrap();
    assert_eq!((nodes.total, nodes.ready, nodes.not_ready), (1000, 0, 1000));
    let problems = nodes.problems.as_ref().unwrap();
    assert_eq!(problems.len(), 20);
    let lengths = problems.iter().map(|it| it.message.as_ref().unwrap().len());
    assert!(lengths.max().unwrap() <= LONGEST_NOTE);
    let ready = &condition(&told, "Ready").unwrap().message;
    assert!(ready.len() <= LONGEST_MESSAGE);
    assert!(ready.starts_with("0 of 1000 nodes are ready; not ready: node-0000 (Phys"), "{ready}");
    let named = ready.matches("(PhysicalNetworkMissing").count();
    assert!(ready.ends_with(&format!(", … and {} more", 1000 - named)), "{ready}");
}

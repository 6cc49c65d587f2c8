use serde_json::json;
use udn_cluster::dry_run::DryRun;
use udn_cluster::{Act, Event, EventType, Write};
use udn_model::{NodeName, ObjectName};
use udn_wire::Target;

use super::{json as as_json, text};

fn run() -> DryRun {
    let nad = Target::nad(&ObjectName::new("a", "red"));
    let node = Target::node(&NodeName::new("n1"));
    let object = json!({"kind": "NetworkAttachmentDefinition", "spec": {"config": "{\"x\": 1}"}});
    let event = Event {
        about: nad.clone(),
        uid: "7".to_owned(),
        kind: EventType::Warning,
        reason: "PrimaryConflict".to_owned(),
        message: "two lines\nof text".to_owned(),
    };
    DryRun {
        writes: vec![
            Write { target: nad.clone(), act: Act::Create(object) },
            Write { target: node, act: Act::Patch(json!({"metadata": {"labels": {"a": null}}})) },
            Write { target: nad, act: Act::Delete { uid: "8".to_owned() } },
        ],
        events: [event].into(),
        ..DryRun::default()
    }
}

#[test]
fn every_write_is_a_document_that_says_what_it_is_for() {
    let want = "---\n# create NetworkAttachmentDefinition a/red\n\
                kind: NetworkAttachmentDefinition\nspec:\n  config: \"{\\\"x\\\": 1}\"\n\
                ---\n# patch Node n1\nmetadata:\n  labels:\n    a: null\n\
                ---\n# delete NetworkAttachmentDefinition a/red\n\
                # warning PrimaryConflict about NetworkAttachmentDefinition a/red: two lines of text\n\
                # 3 writes: 1 creations, 0 replacements, 1 patches, 0 statuses, 1 deletions; \
                1 events; nothing was written\n";
    assert_eq!(text(&run()), want);
}

#[test]
fn programs_get_json() {
    let text = as_json(&run()).expect("it can be shown");
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(value["writes"][0]["act"]["create"]["kind"], "NetworkAttachmentDefinition");
    assert_eq!(value["events"][0]["reason"], "PrimaryConflict");
}

#[test]
fn a_cluster_in_order_needs_nothing() {
    assert!(text(&DryRun::default()).starts_with("# nothing to do"));
}

//! A JSON patch as a server applies it, as far as ours go: tests, then one change.
#![allow(dead_code, reason = "each shelf uses a part of this")]

use serde_json::Value;
use udn_cluster::{Act, Write};

/// The object after a write of an annotation; `None` where a test does not hold.
pub(crate) fn patched(object: &Value, write: &Write) -> Option<Value> {
    let Act::TestedPatch(steps) = &write.act else { panic!("a patch has tests: {write:?}") };
    let mut object = object.clone();
    // A server keeps no empty maps.
    if object["metadata"]["annotations"] == serde_json::json!({}) {
        object["metadata"]["annotations"].take();
    }
    for step in steps.as_array().expect("a patch is a list") {
        let path = step["path"].as_str().expect("a step has a path");
        let standing = object.pointer(path).unwrap_or(&Value::Null);
        match step["op"].as_str().expect("a step does something") {
            "test" if *standing == step["value"] => {}
            "test" => return None,
            "add" | "replace" => put(&mut object, path, step["value"].clone()),
            other => panic!("nobody asked for {other}"),
        }
    }
    Some(object)
}

fn put(object: &mut Value, path: &str, value: Value) {
    let (parent, key) = path.rsplit_once('/').expect("a path begins with a slash");
    let parent = object.pointer_mut(parent).expect("the tests have seen to that");
    parent[key.replace("~1", "/")] = value;
}

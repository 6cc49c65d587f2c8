use serde_json::{Value, json};

use super::JsonPath;

fn check(path: &str, want: Option<Value>) {
    let object = json!({
        "names": ["n1", "n2", "n3"],
        "items": [{"n": 1, "name": "one"}, {"n": 2, "name": "two"}, {"name": "three"}],
        "labels": {"app.example.org/name": "x", "a,b": "y"},
        "ports": {"http": {"port": 1}, "https": {"port": 2}},
    });
    let found = JsonPath::parse(path).and_then(|path| path.first(&object).cloned());
    assert_eq!(found, want, "{path}");
}

#[test]
fn paths_lead_to_their_first_value() {
    for (path, want) in [
        (".names[0]", json!("n1")),
        (".names[-1]", json!("n3")),
        (".names[*]", json!("n1")),
        (".names[1:3]", json!("n2")),
        (".names[2,1]", json!("n3")),
        ("$.names[1]", json!("n2")),
        (".items[?(@.n>1)].name", json!("two")),
        (".items[?(@.n==2)].name", json!("two")),
        (".items[?(@.name!=\"one\")].n", json!(2)),
        (".items[?(@.name=='three')].name", json!("three")),
        (".items[?(@.n)].name", json!("one")),
        (".labels.app\\.example\\.org/name", json!("x")),
        (".labels['app\\.example\\.org/name']", json!("x")),
        (".labels['a,b']", json!("y")),
        (".ports.*.port", json!(1)),
        ("..port", json!(1)),
    ] {
        check(path, Some(want));
    }
}

#[test]
fn paths_that_lead_nowhere_find_nothing() {
    for path in [
        ".nothing",
        ".names[9]",
        ".names[0:9]",
        ".names.x",
        ".labels[0]",
        ".items[?(@.n==\"2\")].name",
        ".names[",
        ".names[x]",
        ".labels[\"a,b\"]",
        "names",
    ] {
        check(path, None);
    }
}

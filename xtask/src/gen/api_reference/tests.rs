//! Small kinds in, small pages out.

use serde_json::{Value, json};

use super::bounds::{bounds, type_of};
use super::reference;

fn kind(name: &str, spec: &Value) -> Value {
    json!({ "spec": {
        "group": "g", "scope": "Cluster", "names": { "kind": name, "plural": "ps", "shortNames": ["p"] },
        "versions": [{ "name": "v1", "schema": { "openAPIV3Schema": {
            "description": "A kind.", "properties": { "spec": spec },
        }}}],
    }})
}

#[test]
fn fields_bounds_and_rules_are_on_the_page() {
    let spec = json!({
        "description": "What it\nis.", "required": ["size"],
        "properties": { "size": {
            "type": "integer", "description": "How big.", "minimum": 1, "maximum": 9,
            "x-kubernetes-validations": [{ "rule": "self > 0 || true", "message": "too small" }],
        }},
    });
    let page = reference([&kind("Thing", &spec)]);
    assert!(page.contains("- [Thing](#thing): A kind.\n"), "{page}");
    assert!(page.contains("### Thing spec\n\nWhat it is.\n"), "{page}");
    assert!(page.contains("| `size` | integer | yes | 1 to 9 | How big. |\n"), "{page}");
    assert!(page.contains("| `size` | too small | `self > 0 \\|\\| true` |\n"), "{page}");
}

#[test]
fn an_object_is_described_once() {
    let inner = json!({ "description": "Inner.", "properties": { "a": { "type": "string" } } });
    let spec = |name: &str| json!({ "description": name, "properties": { "inner": inner } });
    let page = reference([&kind("One", &spec("one")), &kind("Two", &spec("two"))]);
    assert_eq!(page.matches("\nInner.\n").count(), 1, "{page}");
    let link = "### Two spec.inner\n\nThe same as [One spec.inner](#one-specinner).\n";
    assert!(page.contains(link), "{page}");
}

#[test]
fn a_list_says_what_its_items_may_be() {
    let list = json!({ "type": "array", "minItems": 1, "maxItems": 2, "items": {
        "type": "string", "maxLength": 43, "enum": ["a", "b"],
    }});
    assert_eq!(type_of(&list), "list of strings");
    assert_eq!(bounds(&list), "1 to 2 items; each `a` or `b`, at most 43 characters");
}

//! From a request to the object that is stored, or to a status.

use serde_json::{Value, json};

use crate::catalog::Catalog;

fn catalog() -> Catalog {
    let version = json!({"name": "v1", "served": true, "storage": true,
        "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size",
            "statusReplicasPath": ".status.size", "labelSelectorPath": ".status.selector"}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "size": {"type": "integer", "default": 1},
                "name": {"type": "string", "enum": ["a", "b"]},
                "fixed": {"type": "string", "x-kubernetes-validations": [
                    {"rule": "self == oldSelf", "message": "fixed is fixed"}]}}},
            "status": {"type": "object", "properties": {
                "size": {"type": "integer"}, "phase": {"type": "string", "maxLength": 3},
                "selector": {"type": "string"}}}}}}});
    let definition = |kind: &str, plural: &str, scope: &str| {
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.example.org")},
            "spec": {"group": "example.org", "scope": scope,
                "names": {"kind": kind, "plural": plural}, "versions": [version.clone()]}})
    };
    let definitions =
        [definition("Thing", "things", "Namespaced"), definition("Big", "bigs", "Cluster")];
    Catalog::read(definitions).expect("the definitions are right")
}

fn thing(spec: Value) -> Value {
    json!({"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": spec})
}

fn stored(spec: Value) -> Value {
    let mut thing = thing(spec);
    thing["metadata"] = json!({"name": "t", "namespace": "default", "uid": "u",
        "resourceVersion": "7", "generation": 3, "creationTimestamp": "2024-01-01T00:00:00Z"});
    thing["status"] = json!({"phase": "old"});
    thing
}

#[test]
fn a_create_fills_in_and_drops() {
    let mut object = thing(json!({"name": null}));
    object["status"] = json!({"phase": "what"});
    object["metadata"]["uid"] = json!("x");
    object["metadata"]["creationTimestamp"] = json!(null);
    let verdict = catalog().create(object);
    assert_eq!(verdict.status(), None);
    assert_eq!(
        verdict.object,
        json!({"apiVersion": "example.org/v1", "kind": "Thing",
        "metadata": {"name": "t", "namespace": "default", "generation": 1}, "spec": {"size": 1}})
    );
}

#[test]
fn a_cluster_wide_object_loses_its_namespace() {
    let object = json!({"apiVersion": "example.org/v1", "kind": "Big",
        "metadata": {"name": "t", "namespace": "x"}});
    let verdict = catalog().create(object);
    assert_eq!(verdict.status(), None);
    assert_eq!(verdict.object["metadata"], json!({"name": "t", "generation": 1}));
}

#[test]
fn a_name_may_be_made_up() {
    let mut object = thing(json!({}));
    object["metadata"] = json!({"generateName": "t-"});
    let verdict = catalog().create(object.clone());
    assert_eq!(verdict.status(), None);
    assert_eq!(verdict.object["metadata"]["name"], Value::Null);
    object["metadata"]["generateName"] = json!("T-");
    let found = catalog().create(object).errors;
    assert!(
        found[0].to_string().starts_with("metadata.name: Invalid value: \"T-xxxxx\""),
        "{found:?}"
    );
}

#[test]
fn an_invalid_object_has_a_status_with_causes() {
    let verdict = catalog().create(thing(json!({"name": "c"})));
    let want = "Unsupported value: \"c\": supported values: \"a\", \"b\"";
    let unchecked = "Invalid value: null: some validation rules were not checked because the \
                     object was invalid; correct the existing errors to complete validation";
    assert_eq!(
        verdict.status(),
        Some(json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("Thing.example.org \"t\" is invalid: [spec.name: {want}, <nil>: {unchecked}]"),
        "reason": "Invalid", "code": 422,
        "details": {"name": "t", "group": "example.org", "kind": "Thing", "causes": [
            {"reason": "FieldValueNotSupported", "message": want, "field": "spec.name"},
            {"reason": "FieldValueInvalid", "message": unchecked, "field": "<nil>"}]}}))
    );
}

#[test]
fn unknown_fields_are_a_bad_request() {
    let verdict = catalog().create(thing(json!({"siez": 1, "name": "c"})));
    assert_eq!(verdict.strict[0].message, "unknown field \"spec.siez\"");
    assert_eq!(verdict.strict[0].path.to_string(), "spec.siez");
    assert_eq!(verdict.errors.len(), 2, "what comes next is told as well");
    let status = verdict.status().expect("it is refused");
    assert_eq!(
        status["message"],
        "Thing in version \"v1\" cannot be handled as a Thing: strict \
        decoding error: unknown field \"spec.siez\""
    );
    assert_eq!((&status["code"], &status["reason"]), (&json!(400), &json!("BadRequest")));
    let mut verdict = catalog().create(thing(json!({})));
    verdict.strict.push(crate::StrictError::duplicate_field(crate::Path::of_fields(["spec"])));
    let status = verdict.status().expect("it is refused");
    assert!(status["message"].as_str().unwrap().ends_with("duplicate field \"spec\""), "{status}");
}

#[test]
fn metadata_of_a_wrong_type_is_a_bad_request() {
    let mut object = thing(json!({}));
    object["metadata"]["labels"] = json!([]);
    let status = catalog().create(object).status().expect("it is refused");
    assert_eq!(
        status["message"],
        "Thing in version \"v1\" cannot be handled as a Thing: json: \
        cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string"
    );
}

#[test]
fn an_object_that_was_read_cannot_be_created() {
    let mut object = thing(json!({}));
    object["metadata"]["resourceVersion"] = json!("5");
    let status = catalog().create(object).status().expect("it is refused");
    assert_eq!(status["message"], "resourceVersion should not be set on objects to be created");
    assert_eq!(status["code"], 500);
}

#[test]
fn an_update_keeps_what_is_not_the_users() {
    let mut new = stored(json!({"size": 2}));
    new["status"] = json!({"phase": "toolong"});
    new["metadata"]["generation"] = json!(99);
    new["metadata"]["creationTimestamp"] = json!("1999-01-01T00:00:00Z");
    let old = stored(json!({"size": 1}));
    let verdict = catalog().update(new, &old);
    assert_eq!(verdict.status(), None);
    let mut want = stored(json!({"size": 2}));
    want["metadata"]["generation"] = json!(4);
    assert_eq!(verdict.object, want);
    let unchanged = catalog().update(old.clone(), &old);
    assert_eq!(unchanged.object, old);
}

#[test]
fn an_update_of_a_file_needs_no_identity() {
    let verdict = catalog().update(thing(json!({"size": 2})), &thing(json!({})));
    assert_eq!(verdict.status(), None);
    let verdict = catalog().update(thing(json!({"fixed": "b"})), &stored(json!({"fixed": "a"})));
    let texts: Vec<String> = verdict.errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["spec.fixed: Invalid value: \"b\": fixed is fixed"]);
}

#[test]
fn an_update_of_another_object_is_refused() {
    let old = stored(json!({}));
    let message = |change: fn(&mut Value)| {
        let mut new = old.clone();
        change(&mut new["metadata"]);
        let status = catalog().update(new, &old).status().expect("it is refused");
        (status["code"].as_u64(), status["message"].as_str().unwrap().to_owned())
    };
    let (code, text) = message(|it| it["name"] = json!("other"));
    let want = "the name of the object (other) does not match the name on the URL (t)";
    assert_eq!((code, text.as_str()), (Some(400), want));
    let (code, text) = message(|it| it["namespace"] = json!("other"));
    let want =
        "the namespace of the provided object does not match the namespace sent on the request";
    assert_eq!((code, text.as_str()), (Some(400), want));
    let (code, text) = message(|it| it["resourceVersion"] = json!("6"));
    let want = "Operation cannot be fulfilled on things.example.org \"t\": the object has been \
                modified; please apply your changes to the latest version and try again";
    assert_eq!((code, text.as_str()), (Some(409), want));
    let (code, text) = message(|it| it["uid"] = json!("other"));
    assert_eq!(code, Some(409));
    assert!(text.contains("UID in precondition: other, UID in object meta: u"), "{text}");
}

#[test]
fn a_status_update_changes_nothing_else() {
    let mut new = stored(json!({"size": 5, "name": "zzz"}));
    new["status"] = json!({"phase": "new"});
    new["metadata"]["labels"] = json!({"a": "not a label!"});
    let old = stored(json!({"size": 1}));
    let verdict = catalog().update_status(new.clone(), &old);
    assert_eq!(verdict.status(), None);
    let mut want = old.clone();
    want["status"] = json!({"phase": "new"});
    assert_eq!(verdict.object, want);
    new["status"] = json!({"phase": "toolong", "size": -1, "selector": 5});
    let verdict = catalog().update_status(new, &old);
    let texts: Vec<String> = verdict.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts[..4],
        [
            "status.phase: Too long: may not be more than 3 bytes",
            "status.selector: Invalid value: \"integer\": selector in body must be of type string: \
         \"integer\"",
            ".status.size: Invalid value: -1: should be a non-negative integer",
            ".status.selector: Invalid value: \"\": .status.selector accessor error: 5 is of the type \
         int64, expected string",
        ]
    );
}

#[test]
fn kinds_without_a_definition_are_left_alone() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "anything": [1]});
    let verdict = catalog().create(pod.clone());
    assert!(verdict.is_accepted());
    assert_eq!(verdict.object, pod);
    for odd in [json!(null), json!(5), json!([]), json!({"kind": 5})] {
        assert!(catalog().create(odd.clone()).is_accepted());
        assert!(catalog().update(odd.clone(), &odd).is_accepted());
    }
}

//! What the reader must do with good bytes, and must not do with bad ones.

mod encode;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Named, ProtobufError, read, table};
use encode::{encode, field};

fn named(api_version: &str, kind: &str) -> Named {
    Named { api_version: api_version.to_owned(), kind: kind.to_owned() }
}

/// Reads the object back that was written.
fn check(object: &Value) {
    let text = |name: &str| object[name].as_str().unwrap_or("").to_owned();
    let wanted = named(&text("apiVersion"), &text("kind"));
    let body = encode(object, table::message_of(&wanted).expect("the kind is known"));
    assert_eq!(read(&body, &wanted).as_ref(), Ok(object));
}

/// Reads a message of config maps; returns why it is none.
fn complaint(message: &[u8]) -> String {
    let body = [&b"k8s\0"[..], &field(2, message)].concat();
    let error = read(&body, &named("v1", "ConfigMap")).expect_err("it is refused");
    error.to_string()
}

#[test]
fn objects_are_read_as_json_shows_them() {
    check(&json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "c", "labels": {"a": "b"}, "creationTimestamp": "2026-01-02T03:04:05Z",
            "managedFields": [{"manager": "m", "fieldsV1": {"f:data": {}}}]},
        "data": {"k": "v"}, "binaryData": {"b": "AAEC"}, "immutable": false}));
    check(&json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
        "containers": [{"name": "c", "resources": {"limits": {"cpu": "100m"}},
            "livenessProbe": {"httpGet": {"port": "web"}, "periodSeconds": 3},
            "env": [{"name": "e", "valueFrom": {"configMapKeyRef": {"name": "m", "key": "k"}}}]}],
        "securityContext": {"runAsUser": 0, "supplementalGroups": [1, -2]},
        "volumes": [{"name": "v", "emptyDir": {}}]}}));
    check(
        &json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"},
        "spec": {"renewTime": "2026-01-02T03:04:05.000006Z", "leaseDurationSeconds": 0}}),
    );
    check(&json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"},
        "deleteOptions": {"gracePeriodSeconds": 0, "dryRun": ["All"]}}));
    check(&json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": "u", "extra": {"scopes": ["a", "b"]}}}));
    check(&json!({"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": 3,
        "data": {"any": [1, {}]}}));
}

#[test]
fn schemas_of_definitions_are_read() {
    let string = json!({"type": "string"});
    check(&json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "spec": {"group": "g", "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {
            "$ref": "r", "maximum": 2.5, "minimum": 0, "default": {"a": 1}, "enum": [1, "x"],
            "items": string, "additionalProperties": false,
            "properties": {"p": {"items": [string], "additionalProperties": string}},
            "dependencies": {"d": ["e"]}, "x-kubernetes-int-or-string": true}}}]}}));
}

#[test]
fn wrong_bytes_are_told_in_the_servers_words() {
    for (message, want) in [
        (&b"\x0a\x09"[..], "unexpected EOF"),
        (b"\x08\x09", "proto: wrong wireType = 0 for field ObjectMeta"),
        (b"\x0a\x02\x08\x01", "proto: wrong wireType = 0 for field Name"),
        (b"\x07\x09", "proto: ConfigMap: illegal tag 0 (wire type 7)"),
        (b"\x04\x09", "proto: ConfigMap: wiretype end group for non-group"),
        (b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", "proto: integer overflow"),
        (b"\x12\x02\x12\x09", "unexpected EOF"),
    ] {
        assert_eq!(complaint(message), want);
    }
}

#[test]
fn an_envelope_must_be_there() {
    for (body, want) in [
        (&b""[..], "empty data"),
        (b"k8s\0", "empty body"),
        (b"k8s\0\x0f\x00", "proto: wrong wireType = 7 for field TypeMeta"),
        (b"k8s\0\x7f\x00", "proto: illegal wireType 7"),
    ] {
        let want = ProtobufError::Unrecognized(want.to_owned());
        assert_eq!(read(body, &named("v1", "ConfigMap")), Err(want));
    }
}

#[test]
fn a_kind_that_is_left_out_is_the_wanted_one() {
    let object = read(b"k8s\0\x0a\x00", &named("v1", "Secret"));
    assert_eq!(object, Ok(json!({"apiVersion": "v1", "kind": "Secret"})));
}

#[test]
fn nesting_ends() {
    let not = 28;
    let mut schema = Vec::new();
    for _ in 0..100_000 {
        schema = field(not, &schema);
        if schema.len() > 60_000 {
            break;
        }
    }
    let body = [&b"k8s\0"[..], &field(2, &field(2, &field(7, &field(4, &field(1, &schema)))))];
    let error = read(&body.concat(), &named("apiextensions.k8s.io/v1", "CustomResourceDefinition"));
    assert_eq!(error.map_err(|why| why.to_string()), Err("exceeded max depth".to_owned()));
}

#[test]
fn every_message_reads_nothing() {
    for (name, message) in table::all() {
        let mut fields = serde_json::Map::new();
        super::object::fields(&[], message, &mut fields, 0).expect(name);
        assert!(fields.is_empty(), "{name}");
    }
}

fn sample() -> Vec<u8> {
    let object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p",
        "labels": {"a": "b"}, "creationTimestamp": "2026-01-02T03:04:05Z"},
        "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1"}},
            "livenessProbe": {"httpGet": {"port": 80}}}], "nodeSelector": {"x": "z"}}});
    encode(&object, table::message_of(&named("v1", "Pod")).expect("known"))
}

proptest! {
    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn damaged_bytes_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        end in any::<prop::sample::Index>(),
    ) {
        let mut body = sample();
        for (place, byte) in changes {
            let place = place.index(body.len());
            body[place] = byte;
        }
        let _ = read(&body, &named("v1", "Pod"));
        let _ = read(&body[..end.index(body.len())], &named("v1", "Pod"));
    }

    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn any_bytes_never_panic(message in prop::collection::vec(any::<u8>(), 0..200)) {
        for (kind, api_version) in [
            ("Pod", "v1"), ("CustomResourceDefinition", "apiextensions.k8s.io/v1"),
            ("Lease", "coordination.k8s.io/v1"), ("DeleteOptions", "v1"),
        ] {
            let body = [&b"k8s\0"[..], &field(2, &message)].concat();
            let _ = read(&body, &named(api_version, kind));
            let _ = read(&[&b"k8s\0"[..], &message].concat(), &named(api_version, kind));
        }
    }

    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn config_maps_survive(entries in prop::collection::btree_map("[a-z]{1,9}", ".{1,9}", 1..9)) {
        check(&json!({"apiVersion": "v1", "kind": "ConfigMap", "data": entries}));
    }
}

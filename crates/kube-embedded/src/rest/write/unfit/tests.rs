//! What is said of results that are no objects.

use serde_json::json;

use super::{converted, refuse};
use crate::patch::Patch;

#[test]
fn metadata_that_a_patch_did_not_touch_keeps_its_order() {
    let result = json!({"kind": "K", "data": 5,
        "metadata": {"labels": {"b": "2", "a": "1"}, "name": "n", "uid": "u",
            "managedFields": [{"apiVersion": "v1", "manager": "m"}]}});
    let refusal = refuse(&Patch::Merge(json!({"data": 5})), &result, "why");
    let want = concat!(
        r#" "" is invalid: patch: Invalid value: "{\"data\":5,\"kind\":\"K\",\"metadata\":"#,
        r#"{\"name\":\"n\",\"uid\":\"u\",\"labels\":{\"a\":\"1\",\"b\":\"2\"},"#,
        r#"\"managedFields\":[{\"manager\":\"m\",\"apiVersion\":\"v1\"}]}}": why"#,
    );
    assert_eq!(refusal.message, want);
    assert_eq!(refusal.code, 422);
}

#[test]
fn strategic_patches_are_converted_in_other_words() {
    for (given, want) in [
        ("string into Go struct field A.b of type map[string]string", "restore map from string"),
        ("number into Go struct field A.b of type string", "convert int64 to string"),
        ("object into Go struct field A.b of type []string", "restore slice from map"),
    ] {
        let want = format!("cannot {want}");
        assert_eq!(converted(&format!("json: cannot unmarshal {given}")), want);
    }
    assert_eq!(converted("illegal base64 data"), "illegal base64 data");
}

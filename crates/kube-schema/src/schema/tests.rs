//! Schemas that are read, and schemas that the server refuses.

use serde_json::{Value, json};

use super::{Additional, Kind, ListType, Pattern, Schema, read};
use crate::path::Path;

fn check(manifest: Value, want: &[&str]) {
    let found = read(&manifest, &Path::of_fields(["schema"])).err().unwrap_or_default();
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(texts, want, "{manifest}");
}

fn check_spec(spec: Value, want: &[&str]) {
    check(json!({"type": "object", "properties": {"spec": spec}}), want);
}

fn parsed(manifest: Value) -> Schema {
    read(&manifest, &Path::root()).expect("the schema is right")
}

#[test]
fn every_keyword_is_read() {
    let schema = parsed(json!({"type": "object", "title": "t", "description": "d",
        "required": ["a"], "properties": {
            "a": {"type": "array", "minItems": 1, "maxItems": 3, "x-kubernetes-list-type": "set",
                "items": {"type": "string", "minLength": 1, "maxLength": 2, "pattern": "^a",
                    "enum": ["a", "ab"], "format": "hostname"}},
            "b": {"type": "object", "minProperties": 1, "maxProperties": 2,
                "additionalProperties": {"type": "number", "minimum": 0.5, "maximum": 2,
                    "exclusiveMaximum": true, "multipleOf": 0.5, "default": 1, "nullable": true}},
            "c": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        "x-kubernetes-validations": [{"rule": "true", "message": "m", "fieldPath": ".a",
            "reason": "FieldValueForbidden"}]}));
    assert_eq!((schema.title.as_str(), schema.description.as_str()), ("t", "d"));
    assert_eq!(schema.required, ["a"]);
    let list = &schema.properties["a"];
    assert_eq!((list.kind, list.list_type), (Some(Kind::Array), Some(ListType::Set)));
    assert_eq!((list.min_items, list.max_items), (Some(1), Some(3)));
    let item = list.items.as_deref().expect("the list has items");
    assert_eq!((item.min_length, item.max_length), (Some(1), Some(2)));
    assert_eq!(item.pattern.as_ref().map(Pattern::as_str), Some("^a"));
    assert_eq!(item.enumeration, [json!("a"), json!("ab")]);
    let Additional::Of(value) = &schema.properties["b"].additional else {
        panic!("the map has a schema of values");
    };
    assert_eq!((value.minimum, value.maximum), (Some(0.5), Some(2.0)));
    assert_eq!(value.default, Some(json!(1)));
    assert!(value.exclusive_maximum && !value.exclusive_minimum && value.nullable);
    assert!(schema.properties["c"].preserve_unknown_fields);
    assert_eq!(schema.rules[0].field_path, ".a");
    assert_eq!(schema.of_field("a"), Some(list));
    assert_eq!(schema.of_field("nothing"), None);
}

#[test]
fn what_is_not_understood_is_refused() {
    check(json!([]), &["schema: Invalid value: []: must be an object"]);
    check_spec(
        json!({"type": "object", "what": 1}),
        &["schema.properties[spec].what: Invalid value: 1: unknown field"],
    );
    check_spec(
        json!({"type": "text"}),
        &[
            "schema.properties[spec].type: Unsupported value: \"text\": supported values: \"array\", \
         \"boolean\", \"integer\", \"number\", \"object\", \"string\"",
        ],
    );
    check_spec(
        json!({"type": "object", "$ref": "x"}),
        &["schema.properties[spec].$ref: Forbidden: $ref is not supported"],
    );
    check_spec(
        json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}}),
        &[
            "schema.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since \
         the runtime complexity becomes quadratic",
        ],
    );
    check_spec(
        json!({"type": "array", "items": [{"type": "string"}]}),
        &[
            "schema.properties[spec].items: Forbidden: items must be a schema object and not an array",
        ],
    );
    check_spec(
        json!({"type": "string", "maxLength": "x"}),
        &["schema.properties[spec].maxLength: Invalid value: \"x\": must be an integer"],
    );
    check_spec(
        json!({"type": "object", "x-kubernetes-preserve-unknown-fields": false}),
        &[
            "schema.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: false: must \
         be true or undefined",
        ],
    );
}

#[test]
fn schemas_that_are_not_structural_are_refused() {
    check(
        json!({"type": "string"}),
        &["schema.type: Invalid value: \"string\": must be object at the root"],
    );
    check(json!({}), &["schema.type: Required value: must not be empty at the root"]);
    check_spec(
        json!({}),
        &["schema.properties[spec].type: Required value: must not be empty for specified object \
         fields"],
    );
    check_spec(
        json!({"type": "array"}),
        &["schema.properties[spec].items: Required value: must be specified"],
    );
    check_spec(
        json!({"type": "array", "items": {}}),
        &[
            "schema.properties[spec].items.type: Required value: must not be empty for specified array \
         items",
        ],
    );
    check(
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        &["schema.additionalProperties: Forbidden: must not be used at the root"],
    );
    check(
        json!({"type": "object", "properties": {"metadata": {"type": "object",
        "properties": {"labels": {"type": "object"}}}}}),
        &["schema.properties[metadata]: Forbidden: must not specify anything other than name and \
         generateName, but metadata is implicitly specified"],
    );
    check(
        json!({"type": "object", "properties": {"kind": {"type": "integer"}}}),
        &["schema.properties[kind].type: Invalid value: \"integer\": must be string"],
    );
    check_spec(
        json!({"type": "object", "anyOf": [{"type": "object", "description": "d",
        "properties": {"a": {"minLength": 1}}}]}),
        &[
            "schema.properties[spec].anyOf[0].description: Forbidden: must be empty to be structural",
            "schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural",
        ],
    );
}

#[test]
fn branches_at_the_root_need_a_spine() {
    check(
        json!({"type": "object", "oneOf": [{"properties": {"a": {"items": {"minLength": 1}}}}],
        "properties": {"a": {"type": "object"}}}),
        &["schema.properties[a].items: Required value: because it is defined in \
         schema.oneOf[0].properties[a].items"],
    );
    check(
        json!({"type": "object", "not": {"properties": {"b": {}}}}),
        &[
            "schema.properties[b]: Required value: because it is defined in schema.not.properties[b]",
        ],
    );
}

#[test]
fn int_or_string_may_be_written_as_branches() {
    let any = json!([{"type": "integer"}, {"type": "string"}]);
    check_spec(json!({"x-kubernetes-int-or-string": true}), &[]);
    check_spec(json!({"x-kubernetes-int-or-string": true, "anyOf": any.clone()}), &[]);
    check_spec(
        json!({"x-kubernetes-int-or-string": true, "allOf": [{"anyOf": any}, {"minimum": 1}]}),
        &[],
    );
    check_spec(
        json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "string"}]}),
        &["schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural"],
    );
    check_spec(
        json!({"x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true}),
        &[
            "schema.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: true: must \
           be false if x-kubernetes-int-or-string is true",
        ],
    );
}

#[test]
fn list_types_need_their_lists() {
    check_spec(
        json!({"type": "string", "x-kubernetes-list-type": "set"}),
        &["schema.properties[spec].type: Invalid value: \"string\": must be array if \
         x-kubernetes-list-type is specified"],
    );
    let list = |keys: Value, items: Value| {
        json!({"type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": keys, "items": items})
    };
    let items =
        json!({"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}});
    check_spec(list(json!(["k"]), items.clone()), &[]);
    check_spec(
        list(json!([]), items.clone()),
        &[
            "schema.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if \
         x-kubernetes-list-type is map",
        ],
    );
    check_spec(
        list(json!(["x", "k", "k"]), items),
        &[
            "schema.properties[spec].x-kubernetes-list-map-keys: Invalid value: [\"x\",\"k\",\"k\"]: \
         entries must all be names of item properties",
            "schema.properties[spec].x-kubernetes-list-map-keys: Invalid value: [\"x\",\"k\",\"k\"]: \
         must not contain duplicate entries",
        ],
    );
    check_spec(
        list(json!(["k"]), json!({"type": "object", "properties": {"k": {"type": "string"}}})),
        &[
            "schema.properties[spec].items.properties[k].default: Required value: this property is in \
         x-kubernetes-list-map-keys, so it must have a default or be a required property",
        ],
    );
    let granular = json!({"type": "array", "x-kubernetes-list-type": "set",
        "items": {"type": "object"}});
    check_spec(
        granular,
        &[
            "schema.properties[spec].items.x-kubernetes-map-type: Invalid value: null: must be atomic \
         as item of a list with x-kubernetes-list-type=set",
        ],
    );
}

#[test]
fn rules_have_a_shape() {
    let with = |rule: Value| {
        json!({"type": "object", "properties": {"a": {"type": "string"}},
            "x-kubernetes-validations": [rule]})
    };
    let at = "schema.properties[spec].x-kubernetes-validations[0]";
    check_spec(
        with(json!({"rule": " "})),
        &[&format!("{at}.rule: Required value: rule is not specified")],
    );
    check_spec(
        with(json!({"rule": "a\nb"})),
        &[&format!(
            "{at}.message: Required value: message must be specified if rule contains line breaks"
        )],
    );
    check_spec(
        with(json!({"rule": "a", "message": "b\nc"})),
        &[&format!("{at}.message: Invalid value: \"b\\nc\": must not contain line breaks")],
    );
    check_spec(
        with(json!({"rule": "a", "fieldPath": ".b"})),
        &[&format!("{at}.fieldPath: Invalid value: \".b\": must be a valid path")],
    );
    check_spec(
        with(json!({"rule": "a", "reason": "Why"})),
        &[&format!(
            "{at}.reason: Unsupported value: \"Why\": supported values: \
                  \"FieldValueDuplicate\", \"FieldValueForbidden\", \"FieldValueInvalid\", \
                  \"FieldValueRequired\""
        )],
    );
}

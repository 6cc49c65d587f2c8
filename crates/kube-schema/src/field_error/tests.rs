//! Texts and causes of field errors.

use serde_json::json;

use super::{BadValue, ErrorKind, FieldError};
use crate::path::Path;

fn check(error: &FieldError, text: &str, reason: &str) {
    assert_eq!(error.to_string(), text);
    let body = text.split_once(": ").expect("a text has a field").1;
    let cause = json!({"reason": reason, "message": body, "field": error.path.to_string()});
    assert_eq!(error.cause(), cause);
}

#[test]
fn errors_read_as_the_server_writes_them() {
    let at = || Path::of_fields(["spec", "x"]);
    let invalid = |value| FieldError::invalid(at(), value, "why");
    check(&invalid("a\"b".into()), r#"spec.x: Invalid value: "a\"b": why"#, "FieldValueInvalid");
    check(&invalid(json!(1e21).into()), "spec.x: Invalid value: 1e+21: why", "FieldValueInvalid");
    check(&invalid(json!(-3).into()), "spec.x: Invalid value: -3: why", "FieldValueInvalid");
    check(&invalid(json!(true).into()), "spec.x: Invalid value: true: why", "FieldValueInvalid");
    check(&invalid(json!(null).into()), "spec.x: Invalid value: null: why", "FieldValueInvalid");
    let object = json!({"b": 1, "a": ["<"]});
    let text = r#"spec.x: Invalid value: {"a":["\u003c"],"b":1}: why"#;
    check(&invalid(object.into()), text, "FieldValueInvalid");
    check(&invalid(BadValue::Omitted), "spec.x: Invalid value: why", "FieldValueInvalid");
}

#[test]
fn every_kind_has_its_words() {
    let at = || Path::of_fields(["spec", "x"]);
    let cases = [
        (FieldError::required(at(), ""), "spec.x: Required value", "FieldValueRequired"),
        (FieldError::required(at(), "why"), "spec.x: Required value: why", "FieldValueRequired"),
        (FieldError::forbidden(at(), "why"), "spec.x: Forbidden: why", "FieldValueForbidden"),
        (FieldError::duplicate(at(), "a"), "spec.x: Duplicate value: \"a\"", "FieldValueDuplicate"),
        (
            FieldError::too_long(at(), 43),
            "spec.x: Too long: may not be more than 43 bytes",
            "FieldValueTooLong",
        ),
        (
            FieldError::too_long(at(), 1),
            "spec.x: Too long: may not be more than 1 byte",
            "FieldValueTooLong",
        ),
        (
            FieldError::too_many(at(), 3, 2),
            "spec.x: Too many: 3: must have at most 2 items",
            "FieldValueTooMany",
        ),
        (
            FieldError::too_many(at(), 3, 1),
            "spec.x: Too many: 3: must have at most 1 item",
            "FieldValueTooMany",
        ),
        (
            FieldError::not_supported(at(), "a", ["b".to_owned(), "c".to_owned()]),
            "spec.x: Unsupported value: \"a\": supported values: \"b\", \"c\"",
            "FieldValueNotSupported",
        ),
        (
            FieldError::new(ErrorKind::TypeInvalid, at(), "string", "why"),
            "spec.x: Invalid value: \"string\": why",
            "FieldValueTypeInvalid",
        ),
    ];
    for (error, text, reason) in cases {
        check(&error, text, reason);
    }
}

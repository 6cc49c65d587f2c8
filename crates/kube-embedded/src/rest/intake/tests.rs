use axum::http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::{first_document, object};

fn check(content_type: Option<&'static str>, body: &[u8], want: Result<Value, u16>) {
    let mut headers = HeaderMap::new();
    if let Some(content_type) = content_type {
        headers.insert("content-type", HeaderValue::from_static(content_type));
    }
    let found = object(&headers, body).map_err(|refusal| refusal.code);
    assert_eq!(found, want, "{content_type:?} {:?}", String::from_utf8_lossy(body));
}

#[test]
fn bodies_are_read_as_their_type_says() {
    check(None, br#"{"a":1}"#, Ok(json!({"a": 1})));
    check(Some("APPLICATION/JSON; charset=utf-8"), br#"{"a":1}"#, Ok(json!({"a": 1})));
    check(Some("application/yaml"), b"a: 1\n", Ok(json!({"a": 1})));
    check(Some(";"), b"{}", Err(415));
    check(Some("text/plain"), b"{}", Err(415));
}

#[test]
fn broken_bodies_are_read_as_go_reads_them() {
    let json = Some("application/json");
    check(json, b"", Err(400));
    check(json, b"null", Ok(json!({})));
    check(json, b"{\"a\":\"\xff\"}", Ok(json!({"a": "\u{fffd}"})));
    check(json, b"{} {}", Err(400));
    check(json, "[".repeat(100_000).as_bytes(), Err(400));
    let yaml = Some("application/yaml");
    check(yaml, b"", Ok(json!({})));
    check(yaml, b"a: 1\na: 2\n", Ok(json!({"a": 2})));
    check(yaml, "[".repeat(100_000).as_bytes(), Err(400));
}

#[test]
fn only_the_first_document_counts() {
    for (text, want) in [
        ("a: 1\n---\nb: 2\n", "a: 1\n"),
        ("---\na: 1\n---\n{", "---\na: 1\n"),
        ("# none\n---\na: 1\n", "# none\n---\na: 1\n"),
        ("a: |\n  ---\n", "a: |\n  ---\n"),
        ("a: 1\n---b: 2\n", "a: 1\n---b: 2\n"),
        ("a: 1\n---", "a: 1\n"),
    ] {
        assert_eq!(first_document(text), want, "{text:?}");
    }
}

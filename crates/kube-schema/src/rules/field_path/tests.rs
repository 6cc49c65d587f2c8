//! Paths that lead into a schema, and texts that do not.

use serde_json::json;

use super::read;
use crate::path::Path;
use crate::schema;

fn check(text: &str, want: Result<&str, &str>) {
    let manifest = json!({"type": "object", "properties": {
        "a": {"type": "object", "properties": {"b.c": {"type": "string"}, "it's": {"type": "string"}}},
        "map": {"type": "object", "additionalProperties": {"type": "string"}}}});
    let schema = schema::read(&manifest, &Path::root()).expect("the schema is right");
    let found = read(text, &schema).map(|path| path.to_string()).map_err(|why| why.to_string());
    assert_eq!(found, want.map(str::to_owned).map_err(str::to_owned), "{text}");
}

#[test]
fn paths_lead_through_fields() {
    check("", Ok("<nil>"));
    check(".a", Ok("a"));
    check(".a['b.c']", Ok("a.b.c"));
    check("['a'].['b.c']", Err("does not refer to a valid field"));
    check(".a['it\\'s']", Ok("a.it's"));
    check(".map.key", Ok("map[key]"));
    check(".map['k.e.y']", Ok("map[k.e.y]"));
    check(".b", Err("does not refer to a valid field"));
    check(".a.b", Err("does not refer to a valid field"));
    check(".map.key.more", Err("does not refer to a valid field"));
    check("a", Err("expected [ or . but got a"));
    check(".", Err("unexpected end of JSON path"));
    check("['a'", Err("unexpected end of JSON path"));
    check("[a]", Err("expected single quoted string but got a"));
    check("['a'.", Err("expected ] but got ."));
    check("['\\x']", Err("invalid string literal: invalid escape char \\x"));
}

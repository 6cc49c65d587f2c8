//! Texts, the values that they mean, and the places of those.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{MAX_DEPTH, Object, Position, Step, Unreadable, decode, documents, path_text};

fn read(text: &str) -> Result<Vec<Object>, Unreadable> {
    documents(text).next().map_or(Ok(Vec::new()), |document| document.objects())
}

fn value(text: &str) -> Value {
    read(text).expect(text).swap_remove(0).value
}

fn refusal(text: &str) -> String {
    read(text).map(|_| String::new()).unwrap_or_else(|error| error.message)
}

/// The text that is underlined for a path.
fn mark<'a>(text: &'a str, path: &str) -> &'a str {
    let object = read(text).expect(text).swap_remove(0);
    let span = object.place(&Step::parse_path(path)).mark(text);
    &text[span.range()]
}

#[test]
fn words_mean_what_they_mean_to_kubectl() {
    let check = |word: &str, want: Value| assert_eq!(value(&format!("a: {word}\n"))["a"], want);
    for word in ["y", "Yes", "on", "TRUE"] {
        check(word, json!(true));
    }
    for word in ["n", "NO", "Off", "false"] {
        check(word, json!(false));
    }
    for word in ["", "~", "null", "NULL", "!!null ''"] {
        check(word, Value::Null);
    }
    let integers =
        [("0x1F", 31), ("017", 15), ("0o17", 15), ("08", 8), ("1_000", 1000), ("-5", -5)];
    for (word, want) in integers {
        check(word, json!(want));
    }
    let whole = [("+7", 7), ("0b101", 5), ("1e3", 1000), ("1.0", 1), ("-0.0", 0), ("!!int '3'", 3)];
    for (word, want) in whole {
        check(word, json!(want));
    }
    check("1.5e-7", json!(1.5e-7));
    check("18446744073709551615", json!(18446744073709551615u64 as f64));
    check("-9223372036854775809", json!(-9223372036854775809i128 as f64));
    for word in ["tRUE", "1e999", "0x", "10.0.0.0/08", "fd00::/64", "12:30", "2001-01-01", "_1"] {
        check(word, json!(word));
    }
    for (word, want) in [("'1'", "1"), ("\"no\"", "no"), ("!!str 12", "12"), ("!own x", "x")] {
        check(word, json!(want));
    }
    check("|\n  a\n  b\n", json!("a\nb\n"));
}

#[test]
fn keys_are_texts() {
    let text = "1: a\nyes: b\n1.5: c\n1000000.0: d\n'x': e\n0x10: f\n";
    let want = json!({"1": "a", "true": "b", "1.5": "c", "1e+06": "d", "x": "e", "16": "f"});
    assert_eq!(value(text), want);
    for text in ["~: a\n", "[a]: b\n", "? {a: b}\n: c\n"] {
        assert!(refusal(text).contains("key is"), "{}", refusal(text));
    }
}

#[test]
fn merged_maps_lie_where_they_stand() {
    let base = "base: &base {a: 1, b: 1}\n";
    let check = |text: &str, want: Value| {
        assert_eq!(value(&format!("{base}x:\n{text}"))["x"], want, "{text}");
    };
    check("  <<: *base\n  b: 2\n", json!({"a": 1, "b": 2}));
    // The converter that kubectl uses lets the last one win, not the nearest.
    check("  b: 2\n  <<: *base\n", json!({"a": 1, "b": 1}));
    check("  <<: [{a: 3}, *base]\n", json!({"a": 3, "b": 1}));
    assert!(refusal("a: &a 1\nb: {<<: *a}\n").contains("takes a map"));
    assert!(refusal("a: {<<: [[{}]]}\n").contains("takes a map"));
}

#[test]
fn numbers_without_json_are_refused() {
    for word in [".inf", "-.Inf", ".nan"] {
        assert!(refusal(&format!("a: {word}\n")).contains("finite"), "{word}");
    }
    assert!(refusal("a: !!int x\n").contains("not an integer"));
    assert!(refusal("a: !!binary eA==\n").contains("!!binary"));
}

#[test]
fn a_circle_of_anchors_is_refused() {
    for text in ["a: &a [*a]\n", "a: &a {b: *a}\n", "a: &a {b: {<<: *a}}\n"] {
        let want = "anchor `a` contains itself; write its value out";
        assert_eq!(refusal(text), want, "{text}");
    }
    assert!(refusal("a: *b\n").contains("not there"));
}

#[test]
fn a_billion_laughs_are_refused() {
    let mut text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..10 {
        let below = format!("*a{}", level - 1);
        writeln!(text, "a{level}: &a{level} [{}]", [below.as_str(); 10].join(", ")).unwrap();
    }
    assert!(refusal(&text).contains("excessive aliasing"), "{}", refusal(&text));
    // As many aliases as a person might write are nothing to worry about.
    let few = format!("a: &a {{b: c}}\nd: [{}]\n", ["*a"; 90].join(", "));
    assert_eq!(value(&few)["d"][89], json!({"b": "c"}));
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(MAX_DEPTH)).is_ok());
    assert!(refusal(&nested(MAX_DEPTH + 1)).contains("deeper than 128"));
    assert!(refusal(&nested(100_000)).contains("deeper than 128"));
    assert!(refusal(&"- ".repeat(100_000)).contains("deeper than 128"));
    let json = |depth: usize| format!("{{\"a\":{}}}", nested(depth));
    assert!(read(&json(MAX_DEPTH - 2)).is_ok());
    assert!(!refusal(&json(MAX_DEPTH)).is_empty());
    assert!(!refusal(&json(100_000)).is_empty());
    // Aliases make a value deep that is shallow in the text.
    let mut text = "a0: &a0 []\n".to_owned();
    for level in 1..200 {
        writeln!(text, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    assert!(refusal(&text).contains("deeper than 128"), "{}", refusal(&text));
}

#[test]
fn the_count_of_values_is_bounded() {
    let text = format!("[{}]", "1,".repeat(super::MAX_VALUES));
    assert!(refusal(&text).contains("more than 1000000 values"));
    let json = format!("{{\"a\":[{}1]}}", "1,".repeat(super::MAX_VALUES));
    assert!(refusal(&json).contains("more than 1000000 values"));
}

#[test]
fn documents_are_divided_as_kubectl_divides_them() {
    let text = "\u{feff}# only a comment\n---\na: 1\n--- # first\n\n---\n---\nb: 2\n...\n";
    let found: Vec<(usize, usize)> = documents(text).map(|it| (it.number, it.line)).collect();
    assert_eq!(found, [(1, 2), (2, 7)]);
    assert!(refusal("--- {a: 1}\n").contains("separator"));
    assert!(refusal("a: 1\n...\nb: 2\n").contains("without `---`"));
    assert!(documents("# nothing\n---\n").next().is_none());
}

#[test]
fn tabs_do_not_indent() {
    for text in ["a:\n\tb: 1\n", "a:\n\t- 1\n", "a:\n  -\tb: 1\n"] {
        let refusal = refusal(text);
        assert!(refusal.contains("tab"), "{text:?}: {refusal}");
    }
    assert_eq!(value("a:\t1\n"), json!({"a": 1}));
}

#[test]
fn json_texts_follow_one_another() {
    let text = "{\"a\": [1, -2.5, \"x\\\"}\\u00e9\", true, null]}\n {\"b\": {}}";
    let values: Vec<Value> = read(text).unwrap().into_iter().map(|it| it.value).collect();
    assert_eq!(values, [json!({"a": [1, -2.5, "x\"}é", true, null]}), json!({"b": {}})]);
    assert_eq!(mark(text, "a[1]"), "-2.5");
    assert_eq!(mark(text, "a"), "\"a\"");
    let second = read(text).unwrap().swap_remove(1);
    assert_eq!(&text[second.place(&Step::parse_path("b.c")).mark(text).range()], "\"b\"");
    let error = read("{\"a\":\n  x}").unwrap_err();
    assert_eq!((error.message.as_str(), error.span.range()), ("expected value", 8..8));
}

#[test]
fn items_of_lists_are_objects() {
    let text =
        "apiVersion: v1\nkind: NodeList\nitems:\n- metadata: {name: a}\n- kind: Pod\n  x: 2\n";
    let objects = read(text).unwrap();
    let names: Vec<&str> = objects.iter().map(|it| it.kind.as_str()).collect();
    assert_eq!(names, ["Node", "Pod"]);
    assert_eq!(objects[1].item, Some(2));
    let span = objects[1].place(&[Step::field("x")]).mark(text);
    assert_eq!(Position::of(text, span.range().start, 1), Position { line: 6, column: 6 });
    let empty = "apiVersion: v1\nkind: List\nitems: []\n";
    assert!(read(empty).unwrap().is_empty());
}

const NETWORK: &str = "\
kind: X
metadata:
  labels:
    a.b/c: d
spec:
  subnets:
  - 10.0.0.0/8
  - cidr: 10.1.0.0/16
    host: 24
  empty:
  long: |
    one
    two
  flow: {a: [b]}
";

#[test]
fn places_are_those_of_values() {
    let check = |path: &str, want: &str| assert_eq!(mark(NETWORK, path), want, "{path}");
    check("kind", "X");
    check("metadata.labels[a.b/c]", "d");
    check("spec.subnets[0]", "10.0.0.0/8");
    check("spec.subnets[1]", "cidr: 10.1.0.0/16");
    check("spec.subnets[1].host", "24");
    check("spec.subnets", "subnets");
    check("spec.empty", "empty");
    check("spec.long", "long");
    check("spec.flow.a[0]", "b");
    check("spec", "spec");
}

#[test]
fn what_is_missing_is_shown_at_what_it_is_missing_from() {
    let check = |path: &str, want: &str| assert_eq!(mark(NETWORK, path), want, "{path}");
    check("spec.mtu", "spec");
    check("spec.localnet.vlan.id", "spec");
    check("spec.subnets[7]", "subnets");
    check("metadata.labels[x]", "labels");
    check("status", "kind");
    check("", "kind: X");
    let object = read(NETWORK).unwrap().swap_remove(0);
    assert!(!object.place(&Step::parse_path("spec.mtu")).is_exact);
    assert!(object.place(&Step::parse_path("spec.subnets[1].cidr")).is_exact);
}

#[test]
fn places_lead_through_aliases_and_merges() {
    let text = "base: &base {mtu: 9}\nx: *base\nw:\n  <<: *base\n  z: 1\n";
    assert_eq!(mark(text, "x.mtu"), "9");
    assert_eq!(mark(text, "w.mtu"), "9");
    assert_eq!(mark(text, "w.z"), "1");
}

#[test]
fn a_second_key_is_told_with_its_path() {
    let text = "a:\n  b: 1\n  c: 2\n  b: 3\nd: [{e: 1, e: 2}]\n";
    let object = read(text).unwrap().swap_remove(0);
    assert_eq!(object.value["a"]["b"], json!(3));
    assert_eq!(mark(text, "a.b"), "3");
    let found: Vec<(String, usize)> = object
        .second_keys()
        .iter()
        .map(|it| (path_text(&it.path), it.span.range().start))
        .collect();
    assert_eq!(found, [("a.b".to_owned(), 19), ("d[0].e".to_owned(), 35)]);
    // What is said over a merged map is said once.
    let merged = "x: &x {a: 1}\nw:\n  <<: *x\n  a: 2\n  <<: {b: 1}\n";
    assert!(read(merged).unwrap()[0].second_keys().is_empty());
}

#[test]
fn paths_are_read_and_written() {
    for path in ["spec.subnets[0].cidr", "a", "a[0][1]", ""] {
        assert_eq!(path_text(&Step::parse_path(path)), path);
    }
    let key = [Step::field("metadata"), Step::field("labels"), Step::field("a.b/c")];
    assert_eq!(Step::parse_path("metadata.labels[a.b/c]"), key);
    assert_eq!(Step::parse_path("..a[").len(), 2);
}

#[test]
fn columns_count_characters() {
    let text = "a: \"é\" # x\nb: {ü: [1, x]}\n";
    let object = read(text).unwrap().swap_remove(0);
    let start = object.place(&Step::parse_path("b.ü[1]")).mark(text).range().start;
    assert_eq!(Position::of(text, start, 5), Position { line: 6, column: 12 });
}

#[test]
fn decoding_tells_the_path_of_what_does_not_fit() {
    #[derive(Debug, serde::Deserialize)]
    struct Outer {
        #[serde(rename = "inner")]
        _inner: Vec<std::collections::BTreeMap<String, u8>>,
    }
    let misfit = decode::<Outer>(&json!({"inner": [{"a": 1}, {"b": "x"}]})).unwrap_err();
    assert_eq!(path_text(&misfit.path), "inner[1].b");
    assert_eq!(misfit.message, "invalid type: string \"x\", expected u8");
    assert!(decode::<Outer>(&json!({"inner": []})).is_ok());
}

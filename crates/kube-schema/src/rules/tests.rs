//! Rules as they are compiled and walked, and what they say.

use serde_json::{Value, json};

use super::{Old, Outcome, RuleTree, Walk};
use crate::correlate::Pair;
use crate::path::Path;
use crate::schema::{self, Schema};

fn compiled(spec: Value) -> (Schema, RuleTree) {
    let manifest = json!({"type": "object", "properties": {"spec": spec}});
    let schema = schema::read(&manifest, &Path::root()).expect("the schema is right");
    let tree = RuleTree::compile(&schema, &Path::root()).expect("the rules compile");
    (schema, tree.expect("there are rules"))
}

fn texts(spec: Value, new: Value, old: Option<Value>) -> Vec<String> {
    let (schema, tree) = compiled(spec);
    let (new, old) = (json!({"spec": new}), old.map(|old| json!({"spec": old})));
    let pair = old.as_ref().map(|old| Pair::new(&new, old, &schema));
    let old = old.as_ref().map(|object| Old { object, pair: pair.as_ref() });
    let found = Walk::run(&tree, &schema, &new, old, &mut |_| {});
    found.iter().map(ToString::to_string).collect()
}

fn check(spec: Value, new: Value, want: &[&str]) {
    assert_eq!(texts(spec, new, None), want);
}

fn check_update(spec: Value, new: Value, old: Value, want: &[&str]) {
    assert_eq!(texts(spec, new, Some(old)), want);
}

fn integer(rules: Value) -> Value {
    json!({"type": "integer", "x-kubernetes-validations": rules})
}

#[test]
fn a_failed_rule_says_why() {
    let rule = |rule: Value| integer(json!([rule]));
    let want = "spec: Invalid value: 1: failed rule: self > 5";
    check(rule(json!({"rule": " self > 5 "})), json!(1), &[want]);
    let want = "spec: Invalid value: 1: too small";
    check(rule(json!({"rule": "self > 5", "message": " too small "})), json!(1), &[want]);
    let want = "spec: Invalid value: 1: it is 1";
    check(rule(json!({"rule": "self > 5", "messageExpression": "'it is 1'"})), json!(1), &[want]);
    let want = "spec: Forbidden: no";
    let reason = json!({"rule": "self > 5", "message": "no", "reason": "FieldValueForbidden"});
    check(rule(reason), json!(1), &[want]);
    check(rule(json!({"rule": "self > 5"})), json!(6), &[]);
}

#[test]
fn objects_and_lists_are_not_printed() {
    let spec = json!({"type": "object", "properties": {"a": {"type": "array", "maxItems": 3,
        "items": {"type": "integer"}, "x-kubernetes-validations": [{"rule": "size(self) > 1"}]}},
        "x-kubernetes-validations": [{"rule": "false", "message": "no", "fieldPath": ".a"}]});
    check(
        spec,
        json!({"a": [1]}),
        &["spec.a: Invalid value: no", "spec.a: Invalid value: failed rule: size(self) > 1"],
    );
}

#[test]
fn a_rule_that_cannot_be_evaluated_says_so() {
    let spec = |rule: &str| {
        json!({"type": "object", "x-kubernetes-validations": [{"rule": rule}],
            "properties": {"a": {"type": "integer"}, "b": {"x-kubernetes-int-or-string": true}}})
    };
    check(
        spec("1 / self.a == 1"),
        json!({"a": 0}),
        &["spec: Invalid value: \"object\": division by zero evaluating rule: 1 / self.a == 1"],
    );
    check(
        spec("self.a == 1"),
        json!({}),
        &["spec: Invalid value: \"object\": no such key: a evaluating rule: self.a == 1"],
    );
    check(
        spec("self.b + 1 == 2"),
        json!({"b": "x"}),
        &["spec: Invalid value: \"object\": 'no such overload': call arguments did not match a \
         supported operator, function or macro signature for rule: self.b + 1 == 2"],
    );
    check(
        spec("self.a == 1"),
        json!({"a": 1.5}),
        &[
            "spec: Invalid value: \"object\": invalid data, expected int, got float64 evaluating rule: \
         self.a == 1",
        ],
    );
}

#[test]
fn a_call_that_costs_too_much_ends_the_walk() {
    let spec = json!({"type": "array", "maxItems": 400000, "items": {"type": "integer"},
        "x-kubernetes-validations": [{"rule": "self.all(x, x == 0)"}, {"rule": "false"}]});
    check(
        spec,
        Value::from(vec![0; 350_000]),
        &["spec: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no \
         further validation rules will be run due to call cost exceeds limit for rule: \
         self.all(x, x == 0)"],
    );
}

#[test]
fn rules_that_cost_too_much_together_end_the_walk() {
    let rules = vec![json!({"rule": "self.all(x, x == 0)"}); 30];
    let spec = json!({"type": "array", "maxItems": 200000, "items": {"type": "integer"},
        "x-kubernetes-validations": rules});
    check(spec.clone(), Value::from(vec![0; 10_000]), &[]);
    check(
        spec,
        Value::from(vec![0; 150_000]),
        &[
            "spec: Invalid value: \"array\": validation failed due to running out of cost budget, no \
         further validation rules will be run",
        ],
    );
}

#[test]
fn transition_rules_need_both_sides() {
    let spec = json!({"type": "object", "properties": {"a": integer(json!([
        {"rule": "self >= oldSelf", "message": "it shrinks"}]))}});
    let want = ["spec.a: Invalid value: 1: it shrinks"];
    check(spec.clone(), json!({"a": 1}), &[]);
    check_update(spec.clone(), json!({"a": 1}), json!({}), &[]);
    check_update(spec.clone(), json!({"a": 1}), json!({"a": null}), &[]);
    check_update(spec.clone(), json!({"a": 1}), json!({"a": 2}), &want);
    check_update(spec, json!({"a": 2}), json!({"a": 2}), &[]);
    let spec = integer(json!([{"rule": "oldSelf.hasValue()", "optionalOldSelf": true}]));
    check_update(spec.clone(), json!(1), json!(1), &[]);
    check(spec, json!(1), &["spec: Invalid value: 1: failed rule: oldSelf.hasValue()"]);
}

#[test]
fn items_correspond_by_their_keys_alone() {
    let item = json!({"type": "object", "required": ["k"], "properties": {
        "k": {"type": "string", "maxLength": 5}, "v": {"type": "integer"}},
        "x-kubernetes-validations": [{"rule": "self.v >= oldSelf.v", "message": "it shrinks"}]});
    let spec = json!({"type": "array", "maxItems": 5, "items": item,
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]});
    let old = json!([{"k": "a", "v": 5}, {"k": "b", "v": 1}, {"k": "a", "v": 100}]);
    let new = json!([{"k": "b", "v": 1}, {"k": "c", "v": 0}, {"k": "a", "v": 4}, null]);
    check_update(spec, new, old, &["spec[2]: Invalid value: it shrinks"]);
}

#[test]
fn broken_rules_are_forgiven_where_nothing_changed() {
    let broken = json!([{"rule": "self < 5", "message": "too large"}]);
    let spec = json!({"type": "object", "properties": {
        "a": integer(broken.clone()),
        "b": {"type": "array", "maxItems": 5, "items": integer(broken)},
        "c": {"type": "string"}}});
    let check = |new, old, want: &[&str]| check_update(spec.clone(), new, old, want);
    check(json!({"a": 6, "c": "n"}), json!({"a": 6, "c": "o"}), &[]);
    check(json!({"a": 7}), json!({"a": 6}), &["spec.a: Invalid value: 7: too large"]);
    check(json!({"b": [6], "c": "n"}), json!({"b": [6], "c": "o"}), &[]);
    check(json!({"b": [6, 1]}), json!({"b": [6]}), &["spec.b[0]: Invalid value: 6: too large"]);
}

#[test]
fn an_observer_sees_every_rule() {
    let (schema, tree) = compiled(json!({"type": "object", "properties": {
        "list": {"type": "array", "maxItems": 5, "items": integer(json!([{"rule": "self > 1"}]))},
        "map": {"type": "object", "maxProperties": 5,
            "additionalProperties": integer(json!([{"rule": "1 / self > 1"}]))}}}));
    let mut seen = Vec::new();
    let object = json!({"spec": {"list": [1, 2], "map": {"a": 0}}});
    Walk::run(&tree, &schema, &object, None, &mut |run| {
        seen.push((run.path.to_owned(), run.rule.to_owned(), run.outcome));
    });
    let run = |path: &str, rule: &str, outcome| (path.to_owned(), rule.to_owned(), outcome);
    assert_eq!(
        seen,
        [
            run("spec.list[]", "self > 1", Outcome::Failed),
            run("spec.list[]", "self > 1", Outcome::Passed),
            run("spec.map[*]", "1 / self > 1", Outcome::Errored),
        ]
    );
}

#[test]
fn rules_that_do_not_compile_are_told() {
    let refused = |spec: Value| {
        let manifest = json!({"type": "object", "properties": {"spec": spec}});
        let schema = schema::read(&manifest, &Path::root()).expect("the schema is right");
        let errors = RuleTree::compile(&schema, &Path::root()).expect_err("a rule is wrong");
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let at = "properties[spec].x-kubernetes-validations[0]";
    let found = refused(integer(json!([{"rule": "self + 1"}])));
    let why = "cel expression must evaluate to a bool";
    assert_eq!(found, [format!("{at}.rule: Invalid value: \"self + 1\": {why}")]);
    let found = refused(integer(json!([{"rule": "self >"}])));
    let why = "compilation failed: ERROR: <input>:1:7: Syntax error";
    assert!(
        found[0].starts_with(&format!("{at}.rule: Invalid value: \"self >\": {why}")),
        "{found:?}"
    );
    let found = refused(integer(json!([{"rule": "true", "messageExpression": "1"}])));
    let why = "messageExpression must evaluate to a string";
    assert_eq!(found, [format!("{at}.messageExpression: Invalid value: \"1\": {why}")]);
}

#[test]
fn values_are_converted_by_their_schema() {
    let spec = |rule: &str| {
        json!({"type": "object", "x-kubernetes-validations": [{"rule": rule}], "properties": {
            "set": {"type": "array", "maxItems": 5, "x-kubernetes-list-type": "set",
                "items": {"type": "string", "maxLength": 5}},
            "list": {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 5}},
            "number": {"type": "number"},
            "time": {"type": "string", "format": "date-time"},
            "day": {"type": "string", "format": "date"},
            "span": {"type": "string", "format": "duration"},
            "bytes": {"type": "string", "format": "byte", "maxLength": 20},
            "a-b": {"type": "string", "maxLength": 5},
            "in": {"type": "string", "maxLength": 5},
            "either": {"x-kubernetes-int-or-string": true, "maxLength": 5},
            "map": {"type": "object", "maxProperties": 5,
                "additionalProperties": {"type": "string", "maxLength": 5}}}})
    };
    let object = json!({"set": ["a", "b"], "list": ["a", "b"], "number": 1, "a-b": "x", "in": "y",
        "time": "2024-01-01T00:00:00Z", "day": "2024-01-01", "span": "90 min", "bytes": "aGk=",
        "either": 5, "map": {"a-b": "z"}});
    let holds = [
        "self.set == ['b', 'a']",
        "self.list != ['b', 'a']",
        "self.number == 1.0",
        "self.time == timestamp('2024-01-01T01:00:00+01:00') && self.time == self.day",
        "self.span == duration('1h30m')",
        "self.bytes == b'hi'",
        "self.a__dash__b == 'x' && self.__in__ == 'y'",
        "self.either == 5 && type(self.either) == int",
        "self.map['a-b'] == 'z' && !('a__dash__b' in self.map)",
        "has(self.map) && size(self.set) == 2",
    ];
    for rule in holds {
        check(spec(rule), object.clone(), &[]);
    }
    let want = "spec: Invalid value: failed rule: self.list == ['b', 'a']";
    check(spec("self.list == ['b', 'a']"), object, &[want]);
}

/// A value may break its format: it stood there before the format did, or the format's check
/// takes what the conversion does not.
#[test]
fn a_text_that_breaks_its_format_is_an_error_where_a_rule_reads_it() {
    let spec = |format: &str, rule: &str| {
        json!({"type": "object", "x-kubernetes-validations": [{"rule": rule, "message": "m"}],
            "properties": {"size": {"type": "integer"},
                "it": {"type": "string", "format": format, "maxLength": 50}}})
    };
    let cases = [
        ("byte", "a", "Invalid byte formatted string a: illegal base64 data at input byte 0"),
        ("byte", "a+b/", "Invalid byte formatted string a+b/: illegal base64 data at input byte 1"),
        (
            "date",
            "2024-02-30",
            "Invalid date formatted string 2024-02-30: parsing time \"2024-02-30\": day out of range",
        ),
        (
            "date-time",
            "2024-01-01t00:00:00z",
            "Invalid date-time formatted string 2024-01-01t00:00:00z: parsing time \
             \"2024-01-01t00:00:00z\" as \"2006-01-02T15:04:05\": cannot parse \"t00:00:00z\" as \
             \"T\"",
        ),
        ("duration", "5", "Invalid duration 5: unable to parse 5 as duration"),
        (
            "duration",
            "9223372036854775808 days",
            "Invalid duration 9223372036854775808 days: strconv.Atoi: parsing \
             \"9223372036854775808\": value out of range",
        ),
    ];
    for (format, text, why) in cases {
        let (old, new) = (json!({"it": text, "size": 30}), json!({"it": text, "size": 65}));
        let want = format!("spec: Invalid value: \"object\": {why} evaluating rule: m");
        let reads = spec(format, "string(self.it) == ''");
        check_update(reads.clone(), new.clone(), old.clone(), &[&want]);
        check(reads, new.clone(), &[&want]);
        check_update(spec(format, "has(self.it)"), new.clone(), old.clone(), &[&want]);
        check_update(spec(format, "has(self.size)"), new, old, &[]);
    }
}

#[test]
fn rules_at_the_root_see_kind_and_name() {
    let manifest = json!({"type": "object", "x-kubernetes-validations": [
        {"rule": "self.kind == 'K' && self.apiVersion == 'a/v1' && self.metadata.name == 'n'"},
        {"rule": "!has(self.metadata.generateName)"}]});
    let schema = schema::read(&manifest, &Path::root()).expect("the schema is right");
    let tree = RuleTree::compile(&schema, &Path::root()).expect("the rules compile");
    let tree = tree.expect("there are rules");
    let object = |name: &str| json!({"kind": "K", "apiVersion": "a/v1", "metadata": {"name": name, "labels": {"x": "y"}}});
    assert!(Walk::run(&tree, &schema, &object("n"), None, &mut |_| {}).is_empty());
    let found = Walk::run(&tree, &schema, &object("m"), None, &mut |_| {});
    assert!(
        found[0].to_string().starts_with("<nil>: Invalid value: failed rule: self.kind"),
        "{found:?}"
    );
}

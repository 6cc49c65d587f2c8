use serde_json::json;

use super::{FieldSelector, label_selector};
use crate::discovery::sample;

const VALUE_WHY: &str = "a valid label must be an empty string or consist of alphanumeric \
    characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. \
    'MyValue',  or 'my_value',  or '12345', regex used for validation is \
    '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const KEY_WHY: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
    and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex \
    used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

fn refused(text: &str) -> String {
    let refusal = label_selector(text).expect_err(text);
    assert_eq!((refusal.code, &*refusal.reason), (400, "BadRequest"));
    refusal.message
}

#[test]
fn texts_that_are_no_selectors_are_refused_as_the_server_refuses_them() {
    let unreadable = |why: &str| format!("unable to parse requirement: {why}");
    for (text, want) in [
        ("a=b,", "found '', expected: identifier after ','".to_owned()),
        (",a", "found ',', expected: !, identifier, or 'end of string'".to_owned()),
        ("=b", "found '=', expected: !, identifier, or 'end of string'".to_owned()),
        ("(a)", "found '(', expected: !, identifier, or 'end of string'".to_owned()),
        ("a in (b", unreadable("found '', expected: ',' or ')'")),
        ("a in b", unreadable("found 'b' expected: '('")),
        ("a in (b c)", unreadable("found 'c', expected: ',' or ')'")),
        ("a b", unreadable("found 'b', expected: in, notin, =, ==, !=, gt, lt")),
        ("a!b", unreadable("found '!', expected: in, notin, =, ==, !=, gt, lt")),
        ("a=b=c", "found '=', expected: ',' or 'end of string'".to_owned()),
        ("a=b c", "found 'c', expected: ',' or 'end of string'".to_owned()),
        ("!a=b", "found '=', expected: ',' or 'end of string'".to_owned()),
        ("a in (b) c", "found 'c', expected: ',' or 'end of string'".to_owned()),
        ("a,,b", "found ',', expected: identifier after ','".to_owned()),
        ("!", unreadable("found '', expected: identifier")),
        ("a,!", unreadable("found '', expected: identifier")),
        ("a=(b)", unreadable("found '(', expected: identifier")),
        ("a<>b", unreadable("found '>', expected: identifier")),
        ("a===b", unreadable("found '=', expected: identifier")),
        (
            "a>x",
            unreadable(
                "values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an \
                 integer",
            ),
        ),
        ("a=-b", unreadable(&format!("values[0][a]: Invalid value: \"-b\": {VALUE_WHY}"))),
        ("a in (-x)", unreadable(&format!("values[0][a]: Invalid value: \"-x\": {VALUE_WHY}"))),
        ("-a", unreadable(&format!("<nil>: Invalid value: \"-a\": name part {KEY_WHY}"))),
        (
            "a/b/c=d",
            unreadable(&format!(
                "<nil>: Invalid value: \"a/b/c\": a valid label key {KEY_WHY} with an optional \
                 DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )),
        ),
    ] {
        assert_eq!(refused(text), want, "{text}");
    }
}

/// Which of `{}`, `{a: ""}`, `{a: b}`, `{a: c}` and `{a: 7}` are selected.
fn check(text: &str, want: &str) {
    let selector = label_selector(text).expect(text);
    let values = [None, Some(""), Some("b"), Some("c"), Some("7")];
    let selected = values
        .into_iter()
        .zip("-0bc7".chars())
        .filter(|(value, _)| selector.matches(|key| value.filter(|_| key == "a")))
        .map(|(_, letter)| letter);
    assert_eq!(selected.collect::<String>(), want, "{text}");
}

#[test]
fn selectors_select_what_they_say() {
    for (text, want) in [
        ("", "-0bc7"),
        (" ", "-0bc7"),
        ("a", "0bc7"),
        ("!a", "-"),
        ("a=b", "b"),
        ("a == b", "b"),
        ("a!=b", "-0c7"),
        ("a in (b,c)", "bc"),
        ("a in (b,)", "0b"),
        ("a in (,)", "0"),
        ("a in (b,,c)", "0bc"),
        ("a in ()", "0"),
        ("a notin ()", "-bc7"),
        ("a notin (b,c)", "-07"),
        ("a>6", "7"),
        ("a<6", ""),
        ("a=", "0"),
        ("a=,!b", "0"),
        ("a,a!=b,a notin (c)", "07"),
        ("in in (in)", ""),
        ("notin", ""),
    ] {
        check(text, want);
    }
}

fn fields(kind: &str, text: &str) -> Result<FieldSelector, String> {
    let kinds = [sample::custom(), sample::core()].concat();
    let kind = kinds.iter().find(|it| it.kind == kind).expect("the sample has it");
    FieldSelector::parse(text, kind).map_err(|refusal| refusal.message)
}

#[test]
fn fields_that_cannot_be_selected_by_are_refused_as_the_server_refuses_them() {
    let unknown = "\"foo\" is not a known field selector: only \"metadata.name\", \
                   \"metadata.namespace\"";
    let escape = "invalid field selector: invalid escape sequence: ";
    for (kind, text, want) in [
        ("Namespace", "foo=bar", "field label not supported: foo".to_owned()),
        ("Namespace", " metadata.name=x", "field label not supported:  metadata.name".to_owned()),
        ("Namespace", "=x", "field label not supported: ".to_owned()),
        (
            "Namespace",
            "metadata.namespace=x",
            "field label not supported: metadata.namespace".to_owned(),
        ),
        ("Widget", "foo=bar", "field label not supported: foo".to_owned()),
        ("LimitRange", "foo=bar", unknown.to_owned()),
        (
            "Namespace",
            "metadata.name",
            "invalid selector: 'metadata.name'; can't understand 'metadata.name'".to_owned(),
        ),
        ("Namespace", "a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'".to_owned()),
        ("Namespace", "metadata.name=a\\b", format!("{escape}\\b")),
        ("Namespace", "metadata.name=a\\", format!("{escape}\\")),
        (
            "Namespace",
            "metadata.name=a=b",
            "invalid field selector: unescaped character in value: 61".to_owned(),
        ),
    ] {
        assert_eq!(fields(kind, text), Err(want), "{kind} {text}");
    }
}

#[test]
fn fields_select_by_their_values() {
    let pod = json!({
        "metadata": {"name": "p", "namespace": "n"},
        "spec": {"nodeName": "node"},
        "status": {"phase": "Running", "podIPs": [{"ip": "10.0.0.1"}]},
    });
    for (text, want) in [
        ("", true),
        ("metadata.name=p,", true),
        ("metadata.name==p,metadata.namespace=n", true),
        ("metadata.name!=p", false),
        ("status.phase!=Pending,spec.nodeName=node", true),
        ("status.podIP=10.0.0.1", true),
        ("spec.hostNetwork=false", true),
        ("spec.nodeName=", false),
        ("metadata.name=a\\,b", false),
    ] {
        let selector = fields("Pod", text).expect(text);
        assert_eq!(selector.matches_object(&pod), want, "{text}");
    }
    assert_eq!(fields("Pod", "metadata.name=p").expect("it is one").name(), Some("p"));
}

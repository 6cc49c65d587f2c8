//! Expressions, asked of a real kube-apiserver.
//!
//! The tables of the unit tests become rules of one definition: which of them fail for an object,
//! with which words and values, and which are refused when the definition is made, has to be what
//! we say.

use std::collections::BTreeMap;

use kube_schema::Catalog;
use kube_schema::cel::{Declared, Env, Program, escape};
use serde_json::{Value, json};

use crate::rig::{Server, Verb};

const EVALUATIONS: &str = include_str!("../../src/cel/tests/evaluation.txt");
const REFUSALS: &str = include_str!("../../src/cel/tests/refusals.txt");
const OBJECT: &str = include_str!("../../src/cel/tests/object.json");

/// What one rule may be estimated to cost, so that all together stay within the server's limit.
const SMALL: u64 = 50_000;

/// What one rule may be estimated to cost at all. (compat: apiextensions validation.go)
const LIMIT: u64 = 10_000_000;

fn object() -> Value {
    serde_json::from_str(OBJECT).expect("the file is JSON")
}

/// One line of the table of evaluations.
struct Case {
    expression: &'static str,
    estimate: u64,
}

/// Expressions that are not asked: the server builds the list of the first before it counts, and
/// goes through a map in an order that it draws each time.
const LEFT_OUT: [&str; 2] = ["range(100000000)", "{'a':1,'b':2}.map(k, k)"];

fn cases() -> Vec<Case> {
    let lines = EVALUATIONS.lines().filter(|line| !line.starts_with('#'));
    let cases = lines.map(|line| {
        let parts: Vec<&str> = line.split('\t').collect();
        let [expression, _, _, estimate] = parts[..] else { panic!("four parts: {line}") };
        Case { expression, estimate: estimate.parse().expect("a number") }
    });
    cases.filter(|case| !LEFT_OUT.iter().any(|it| case.expression.contains(it))).collect()
}

/// A rule that asks an expression: a bool by itself, any other by what it holds.
fn rule(case: &Case, env: &Env) -> Value {
    let expression = case.expression;
    if Program::compile(expression, env).is_ok_and(|program| program.yields_bool()) {
        return json!({"rule": expression});
    }
    let message = format!("'%s'.format([{expression}])");
    // Values that `format` does not take are only looked at for errors.
    if Program::compile(&message, env).is_ok() {
        json!({"rule": wrapped(expression), "messageExpression": message})
    } else {
        json!({"rule": wrapped(expression)})
    }
}

/// A rule that is never held, of an expression of any type.
fn wrapped(expression: &str) -> String {
    format!("[{expression}].size() == 0")
}

fn definition(rules: &[Value]) -> Value {
    let mut spec = object()["schema"].clone();
    spec["x-kubernetes-validations"] = rules.into();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "asks.test.example.org"},
        "spec": {
            "group": "test.example.org",
            "names": {"plural": "asks", "singular": "ask", "kind": "Ask", "listKind": "AskList"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            }],
        },
    })
}

fn causes(status: &Value) -> Vec<String> {
    let causes = status["details"]["causes"].as_array().cloned().unwrap_or_default();
    let mut texts: Vec<String> =
        causes.iter().filter_map(|cause| cause["message"].as_str().map(str::to_owned)).collect();
    texts.sort();
    texts
}

/// Lines that one side has more often than the other.
fn differences(ours: &[String], theirs: &[String]) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    ours.iter().for_each(|text| counts.entry(text).or_default().0 += 1);
    theirs.iter().for_each(|text| counts.entry(text).or_default().1 += 1);
    let different = counts.into_iter().filter(|(_, (ours, theirs))| ours != theirs);
    different
        .map(|(text, (ours, theirs))| format!("{ours} of ours, {theirs} of theirs: {text}\n"))
        .collect()
}

#[tokio::test]
async fn every_function_and_operator_judges_as_on_the_server() {
    let server = Server::start().await;
    let cases = cases();
    let small: Vec<&Case> = cases.iter().filter(|case| case.estimate <= SMALL).collect();
    assert!(small.len() >= 300, "{} expressions are asked", small.len());
    let env = env();
    let rules: Vec<Value> = small.iter().map(|case| rule(case, &env)).collect();
    let definition = definition(&rules);
    let catalog = Catalog::read([definition.clone()]).expect("the definition is right");
    server.define(&definition).await;
    let asked = json!({
        "apiVersion": "test.example.org/v1",
        "kind": "Ask",
        "metadata": {"name": "all", "namespace": "default"},
        "spec": object()["value"],
    });
    let path = "/apis/test.example.org/v1/namespaces/default/asks";
    server.until_refused(path, &asked).await;
    let theirs = server.ask(Verb::Post, path, &asked).await;
    let ours = catalog.create(asked).status().expect("many rules fail");
    let (ours, theirs) = (causes(&ours), causes(&theirs.body));
    assert!(theirs.len() >= 300, "{} causes", theirs.len());
    assert!(ours == theirs, "{}", differences(&ours, &theirs));
}

/// The table of refusals: an expression, and what is said to it.
fn refusals() -> Vec<(String, String)> {
    let blocks = REFUSALS.split("\n\n").map(|block| {
        let lines: Vec<&str> = block.lines().filter(|it| !it.starts_with("# ")).collect();
        let said = lines.iter().skip(1).map(|it| it.strip_prefix("    ").unwrap_or(it));
        let said: Vec<&str> = said.collect();
        (lines.first().copied().unwrap_or_default().to_owned(), said.join("\n"))
    });
    blocks.filter(|(expression, _)| !expression.trim().is_empty()).collect()
}

/// What the server said to each rule, by its place in the list.
fn said(status: &Value) -> BTreeMap<usize, String> {
    let causes = status["details"]["causes"].as_array().cloned().unwrap_or_default();
    let of_rule = |cause: &Value| {
        let place = cause["field"].as_str()?.rsplit_once("validations[")?.1;
        let place = place.split(']').next()?.parse().ok()?;
        let message = cause["message"].as_str()?;
        let failed = ["compilation failed: ", "program instantiation failed: "];
        let start = failed.iter().find_map(|mark| message.find(mark))?;
        Some((place, without_numbers(&message[start..])))
    };
    causes.iter().filter_map(of_rule).collect()
}

/// The type of `self` has a number of its own each time.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split("selfType");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("selfType");
        out.push_str(part.trim_start_matches(|it: char| it.is_ascii_digit()));
    }
    out
}

#[tokio::test]
async fn what_the_server_refuses_is_refused_in_the_same_words() {
    let server = Server::start().await;
    let refusals = refusals();
    assert!(refusals.len() >= 300, "{} expressions are asked", refusals.len());
    let env = env();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let mut differences = String::new();
    let rules: Vec<Value> = refusals
        .iter()
        // The server asks for a bool before it makes a program.
        .map(|(rule, said)| match said.starts_with("program") {
            true => json!({"rule": wrapped(rule)}),
            false => json!({"rule": rule}),
        })
        .collect();
    let answer = server.ask(Verb::Post, path, &definition(&rules)).await;
    let said = said(&answer.body);
    for (place, (expression, table)) in refusals.iter().enumerate() {
        let ours = match Program::compile(expression, &env) {
            Ok(_) => "accepted".to_owned(),
            Err(error) if error.is_instantiation() => {
                format!("program instantiation failed: {error}")
            }
            Err(error) => format!("compilation failed: {error}"),
        };
        let theirs = said.get(&place).map_or("accepted", String::as_str);
        if ours != theirs || !ours.ends_with(table.as_str()) {
            differences.push_str(&format!("{expression}\nours   {ours}\ntheirs {theirs}\n"));
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

#[tokio::test]
async fn what_may_cost_too_much_is_refused() {
    let server = Server::start().await;
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let cases = cases();
    let large: Vec<&Case> = cases.iter().filter(|case| case.estimate > SMALL).collect();
    let over = large.iter().filter(|case| case.estimate > LIMIT).count();
    assert!(over >= 5, "{over} expressions are beyond the limit");
    for case in large {
        // A wrapped expression costs a little more than the table says.
        let rule = json!({"rule": wrapped(case.expression)});
        let answer = server.ask(Verb::Post, path, &definition(&[rule])).await;
        let is_refused = answer.body.to_string().contains("estimated rule cost exceeds budget");
        assert_eq!(is_refused, case.estimate > LIMIT, "{}: {:?}", case.expression, answer.body);
        assert_eq!(answer.is_success(), !is_refused, "{}", case.expression);
    }
}

/// The declaration of `self`; sizes do not matter to what is refused.
fn env() -> Env {
    let declared = declare(&object()["schema"]);
    Env::new().with("self", declared.clone()).with("oldSelf", declared)
}

fn declare(schema: &Value) -> Declared {
    if schema["x-kubernetes-int-or-string"] == true {
        return Declared::DYN;
    }
    match (schema["type"].as_str().unwrap_or(""), schema["format"].as_str().unwrap_or("")) {
        ("array", _) => Declared::list(declare(&schema["items"]), 0),
        ("object", _) if schema["additionalProperties"].is_object() => {
            Declared::map(declare(&schema["additionalProperties"]), 0)
        }
        ("object", _) => {
            let properties = schema["properties"].as_object().expect("it has properties");
            let field = |(name, property): (&String, &Value)| {
                (escape(name).expect("it can be named"), declare(property))
            };
            Declared::object(properties.iter().map(field))
        }
        ("string", "byte") => Declared::Bytes { max: 0 },
        ("string", "duration") => Declared::Duration { max: 0 },
        ("string", "date" | "date-time") => Declared::Timestamp { max: 0 },
        ("string", _) => Declared::String { max: 0 },
        ("boolean", _) => Declared::Bool,
        ("number", _) => Declared::Double,
        _ => Declared::Int,
    }
}

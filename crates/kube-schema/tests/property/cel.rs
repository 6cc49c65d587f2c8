//! Expressions of any kind: none panics, none works beyond its budget, and none says two things.

use std::sync::Arc;

use kube_schema::cel::{
    Budget, Declared, Duration, Env, Error, List, ListKind, Map, Program, Timestamp, Value,
    Variables,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

const EVALUATIONS: &str = include_str!("../../src/cel/tests/evaluation.txt");
const REFUSALS: &str = include_str!("../../src/cel/tests/refusals.txt");

/// Pieces that make an expression go wrong in interesting ways.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    ":",
    "?",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "==",
    "<",
    "&&",
    "||",
    " in ",
    "true",
    "null",
    "1",
    "9223372036854775807",
    "0x",
    "1u",
    "1.5",
    "1e9",
    "'a'",
    "b'\\xff'",
    "'''",
    "\"",
    "\\",
    "`a`",
    "self",
    "self.l",
    ".?s",
    "[?0]",
    "has(",
    ".all(x, ",
    ".map(x, ",
    ".optMap(x, ",
    "dyn(",
    "é",
    "\u{0}",
    "\n",
    "//",
    "@",
    "lists.range(",
    ".sort()",
    ".flatten(9)",
    "'%s'.format([",
    ".matches('",
    "{2,3}",
];

fn expressions() -> Vec<&'static str> {
    let evaluated = EVALUATIONS.lines().filter_map(|line| line.split_once('\t')).map(|it| it.0);
    let refused = REFUSALS.lines().filter(|line| !line.starts_with([' ', '#']));
    evaluated.chain(refused).filter(|line| !line.is_empty()).collect()
}

fn declared() -> Declared {
    let text = || Declared::String { max: 40 };
    let pair = || Declared::object([("k".to_owned(), text()), ("v".to_owned(), Declared::Int)]);
    let fields = [
        ("s", text()),
        ("i", Declared::Int),
        ("n", Declared::Double),
        ("b", Declared::Bool),
        ("d", Declared::Dyn { max: 40 }),
        ("l", Declared::list(text(), 5)),
        ("li", Declared::list(Declared::Int, 5)),
        ("set", Declared::list(text(), 5)),
        ("lo", Declared::list(pair(), 5)),
        ("ml", Declared::list(pair(), 5)),
        ("m", Declared::map(Declared::Int, 5)),
        ("o", Declared::object([("a".to_owned(), text()), ("c".to_owned(), text())])),
        ("ts", Declared::Timestamp { max: 32 }),
        ("du", Declared::Duration { max: 32 }),
        ("by", Declared::Bytes { max: 10 }),
        ("cidrs", Declared::list(text(), 4)),
        ("absent", text()),
    ];
    Declared::object(fields.map(|(name, declared)| (name.to_owned(), declared)))
}

fn value() -> Value {
    let object = |fields: Vec<(&str, Value)>| {
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
        Value::Map(Arc::new(Map::object(fields, [])))
    };
    let list = |items: Vec<Value>, kind| Value::List(Arc::new(List::new(items, kind)));
    let texts = |items: &[&str]| items.iter().map(|it| Value::string(*it)).collect::<Vec<_>>();
    let pair = |key, value| object(vec![("k", Value::string(key)), ("v", Value::Int(value))]);
    let pairs = || vec![pair("a", 1), pair("b", 2)];
    let keys = ["k".to_owned()].into();
    object(vec![
        ("s", Value::string("abc")),
        ("i", Value::Int(5)),
        ("n", Value::Double(2.5)),
        ("b", Value::Bool(true)),
        ("d", Value::string("x")),
        ("l", list(texts(&["a", "b", "c"]), ListKind::Atomic)),
        ("li", list(vec![Value::Int(3), Value::Int(1)], ListKind::Atomic)),
        ("set", list(texts(&["a", "b"]), ListKind::Set)),
        ("lo", list(pairs(), ListKind::Atomic)),
        ("ml", list(pairs(), ListKind::Map { keys })),
        ("m", Value::Map(Arc::new(Map::properties([("k".to_owned(), Value::Int(1))])))),
        ("o", object(vec![("a", Value::string("A"))])),
        ("ts", Value::Timestamp(Timestamp::parse("2020-01-01T00:00:00Z").expect("a time"))),
        ("du", Value::Duration(Duration::parse("1h").expect("a span"))),
        ("by", Value::Bytes(b"AB".as_slice().into())),
        ("cidrs", list(texts(&["10.0.0.0/16", "fd00::/64"]), ListKind::Atomic)),
    ])
}

fn world() -> (Env, Variables) {
    let env = Env::new().with("self", declared()).with("oldSelf", declared());
    let variables = env.variables().with("self", value()).with("oldSelf", value());
    (env, variables)
}

/// Compiles and runs a text twice: it ends, within its budget, and says the same each time.
fn check(text: &str, limit: u64) -> Result<(), TestCaseError> {
    let (env, variables) = world();
    let program = match Program::compile(text, &env) {
        Ok(program) => program,
        Err(error) => {
            prop_assert!(!error.to_string().is_empty());
            let again = Program::compile(text, &env).expect_err("it was refused before");
            prop_assert_eq!(error.to_string(), again.to_string());
            return Ok(());
        }
    };
    let run = || {
        let mut budget = Budget::new(limit);
        let outcome = program.run(&variables, &mut budget);
        (outcome.map(|value| value.to_string()), budget.spent())
    };
    let (outcome, spent) = run();
    match &outcome {
        Err(Error::CostExceeded) => {}
        Ok(_) | Err(_) => prop_assert!(spent <= limit, "{} of {}", spent, limit),
    }
    prop_assert_eq!((outcome, spent), run());
    Ok(())
}

/// What is done to an expression: at a place, so many characters are taken out, a piece is put in.
fn edits() -> impl Strategy<Value = Vec<(usize, usize, usize)>> {
    prop::collection::vec((0..200_usize, 0..4_usize, 0..=PIECES.len()), 0..6)
}

fn edited(text: &str, edits: &[(usize, usize, usize)]) -> String {
    let mut symbols: Vec<char> = text.chars().collect();
    for (place, removed, piece) in edits {
        let start = place % (symbols.len() + 1);
        let end = (start + removed).min(symbols.len());
        let piece = PIECES.get(*piece).copied().unwrap_or_default();
        symbols.splice(start..end, piece.chars());
    }
    symbols.into_iter().collect()
}

/// What fails is kept beside this file.
fn config() -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: 1_000,
        failure_persistence: Some(Box::new(persistence)),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_text_is_refused_or_runs(text in "\\PC{0,80}", limit in 0..2000_u64) {
        check(&text, limit)?;
    }

    #[test]
    fn any_pieces_are_refused_or_run(
        pieces in prop::collection::vec(0..PIECES.len(), 0..40),
        limit in 0..20_000_u64,
    ) {
        let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        check(&text, limit)?;
    }

    #[test]
    fn what_is_like_an_expression_is_refused_or_runs(
        first in any::<prop::sample::Index>(),
        second in any::<prop::sample::Index>(),
        joint in prop::sample::select(vec!["", " && ", " == ", " + ", ", ", ".map(x, "]),
        edits in edits(),
        limit in 0..1_000_000_u64,
    ) {
        let known = expressions();
        let text = match joint {
            "" => (*first.get(&known)).to_owned(),
            joint => format!("{}{joint}{}", first.get(&known), second.get(&known)),
        };
        check(&edited(&text, &edits), limit)?;
    }

    #[test]
    fn every_budget_ends_where_it_says(
        place in any::<prop::sample::Index>(),
        limit in 0..60_u64,
    ) {
        let known = expressions();
        let text: &&str = place.get(&known);
        check(text, limit)?;
    }
}

//! What bounds an expression: size, depth, cost and work.

use std::time::Duration as Span;

use super::fixture::{env, variables};
use crate::cel::{Budget, Error, Program};

fn compile_error(expression: &str) -> String {
    match Program::compile(expression, &env()) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn nested(open: &str, middle: &str, close: &str, depth: usize) -> String {
    [&open.repeat(depth), middle, &close.repeat(depth)].concat()
}

#[test]
fn the_deepest_nesting_is_accepted_and_the_next_is_refused() {
    let limit = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
    assert_eq!(compile_error(&nested("(", "true", ")", 249)), "accepted");
    assert_eq!(compile_error(&nested("(", "true", ")", 250)), limit);
    assert_eq!(compile_error(&nested("[", "", "]", 249)), "accepted");
    assert_eq!(compile_error(&nested("!(", "true", ")", 249)), "accepted");
    assert_eq!(compile_error(&nested("size([", "1", "])", 200)), limit);
}

#[test]
fn what_is_deep_and_wrong_is_refused_too() {
    for depth in [1, 10, 40, 60, 100, 249] {
        let error = compile_error(&nested("(", "1", "", depth));
        assert!(error.starts_with("ERROR: <input>:1:"), "{depth}: {error}");
        let error = compile_error(&nested("[", "1 2", "]", depth));
        assert!(error.starts_with("ERROR: <input>:1:"), "{depth}: {error}");
    }
}

#[test]
fn long_chains_are_refused_where_the_server_refuses_them() {
    let limit = "ERROR: <input>:-1:0: max recursion depth exceeded";
    let chain = |terms: usize| ["1"].repeat(terms).join(" + ");
    assert_eq!(compile_error(&chain(251)), "accepted");
    assert_eq!(compile_error(&chain(252)), limit);
    let logic = ["true"].repeat(5_000).join(" && ");
    assert_eq!(compile_error(&logic), "accepted");
}

#[test]
fn an_expression_beyond_all_size_is_refused() {
    let text = " ".repeat(100_001);
    let want = "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, \
                limit 100000";
    assert_eq!(compile_error(&text), want);
}

#[test]
fn a_call_ends_when_its_budget_is_spent() {
    let env = env();
    let text = "lists.range(2000).all(x, lists.range(2000).all(y, x + y >= 0))";
    let program = Program::compile(text, &env).expect("it compiles");
    let mut budget = Budget::per_call();
    let result = program.run(&variables(&env), &mut budget);
    assert_eq!(result.expect_err("it costs too much"), Error::CostExceeded);
    assert!((1_000_001..1_002_100).contains(&budget.spent()), "{}", budget.spent());
}

#[test]
fn work_that_costs_little_is_bounded_too() {
    let doubled = ".optMap(a, [a, a])".repeat(40);
    let text = format!("optional.of([1]){doubled} == optional.of([2])");
    // The macro copies what it is called on, so this is too large before it runs.
    assert!(compile_error(&text).contains("too large after its macros are expanded"));
    let text = "lists.range(300).map(x, lists.range(3000)).map(x, [x, x, x] == [x, x, x]).size()";
    let env = env();
    let program = Program::compile(text, &env).expect("it compiles");
    let mut budget = Budget::per_call();
    assert!(program.run(&variables(&env), &mut budget).is_ok());
}

/// How long the compiler of this test may take for the worst text.
const PATIENCE: Span = Span::from_secs(20);

#[test]
fn types_that_double_do_not_hang_the_checker() {
    assert!(PATIENCE > Span::ZERO);
    let mut text = "optional.of({1: 1})".to_owned();
    for _ in 0..12 {
        text.push_str(".optMap(a, {a: a})");
    }
    assert!(!compile_error(&text).is_empty());
}

#[test]
fn every_way_to_nest_ends_within_the_stack() {
    let ways = [
        ("[1].all(x, ", "true", ")", 240),
        ("[1].map(x, ", "1", ")", 240),
        ("optional.of(1).optMap(x, ", "1", ")", 100),
        ("dyn(", "1", ")", 240),
        ("[[1].size(), 1][", "0", "]", 100),
        ("{1: ", "1", "}", 240),
        ("-(", "1", ")", 240),
        ("(1 + ", "1", ")", 120),
        ("(1 < 2 && ", "true", ")", 120),
        ("true ? true : ", "true", "", 240),
        ("(true ? ", "true", " : false)", 240),
        ("has({'a': ", "1", "}.a) ? 1 : 2", 1),
        ("'a'.replace('a', ", "'a'", ")", 240),
        ("[?optional.of(", "1", ")]", 120),
        ("true || true && !dyn(", "true", ")", 240),
        ("true || true && ![1].all(x, ", "true", ")", 240),
        ("false || true && [1].map(x, ", "true", ") == [true]", 110),
    ];
    let env = env();
    for (open, middle, close, depth) in ways {
        let text = nested(open, middle, close, depth);
        let program = Program::compile(&text, &env)
            .unwrap_or_else(|error| panic!("{open} nests {depth} times: {error}"));
        let mut budget = Budget::per_call();
        let outcome = program.run(&variables(&env), &mut budget);
        assert!(outcome.is_ok() || budget.spent() > 0, "{open}: {outcome:?}");
        assert!(!compile_error(&nested(open, middle, close, 2_000)).is_empty());
    }
}

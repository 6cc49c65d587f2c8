//! Expressions and what the server's libraries make of them.
//!
//! The tables beside this file were written by cel-go 0.26 with Kubernetes 1.35's libraries; the
//! test of the `api` shelf asks a real server for the same.

mod fixture;
mod limits;

use super::{Budget, Program};
use fixture::{env, show, variables};

const EVALUATIONS: &str = include_str!("tests/evaluation.txt");
const REFUSALS: &str = include_str!("tests/refusals.txt");

/// What comes of an expression: a value or an error, what it cost, and the estimate.
fn outcome(expression: &str) -> String {
    let env = env();
    let program = match Program::compile(expression, &env) {
        Ok(program) => program,
        Err(error) => return format!("refused: {error}"),
    };
    let mut budget = Budget::per_call();
    let result = match program.run(&variables(&env), &mut budget) {
        Ok(value) => format!("= {}", show(&value)),
        Err(error) => format!("! {error}"),
    };
    format!("{result}\t{}\t{}", budget.spent(), program.estimated_cost())
}

/// What the server says to an expression that it refuses.
fn refusal(expression: &str) -> String {
    match Program::compile(expression, &env()) {
        Ok(_) => "accepted".to_owned(),
        Err(error) if error.is_instantiation() => format!("program instantiation failed: {error}"),
        Err(error) => error.to_string(),
    }
}

fn report(differences: &[String], cases: usize) {
    assert!(cases > 0, "the table is empty");
    let count = differences.len();
    assert!(differences.is_empty(), "{count} of {cases} differ:\n{}", differences.join("\n"));
}

#[test]
fn values_errors_costs_and_estimates_are_those_of_the_server() {
    let lines = EVALUATIONS.lines().filter(|line| !line.starts_with('#'));
    let cases: Vec<(&str, &str)> = lines.map(|it| it.split_once('\t').expect("a tab")).collect();
    let differences: Vec<String> = cases
        .iter()
        .map(|(expression, want)| (expression, want, outcome(expression)))
        .filter(|(_, want, found)| *want != found)
        .map(|(expression, want, found)| format!("{expression}\n  want {want}\n  have {found}"))
        .collect();
    report(&differences, cases.len());
}

#[test]
fn what_the_server_refuses_is_refused_in_its_words() {
    let blocks = REFUSALS.split("\n\n").map(|block| block.trim_start_matches('#'));
    let mut cases = 0;
    let mut differences = Vec::new();
    for block in blocks {
        let lines = block.lines().skip_while(|line| line.starts_with(" Expressions that"));
        let mut lines = lines.filter(|line| !line.is_empty());
        let Some(expression) = lines.next() else { continue };
        let want: Vec<&str> = lines.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
        let (want, found) = (want.join("\n"), refusal(expression));
        cases += 1;
        if want != found {
            differences.push(format!("{expression}\nwant {want}\nhave {found}"));
        }
    }
    report(&differences, cases);
}

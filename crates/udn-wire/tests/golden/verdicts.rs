//! The table of expected verdicts, asked of our own judge.

#![allow(clippy::disallowed_macros, reason = "the test says how much it asked")]

use crate::catalog::catalog;
use crate::judged::judge;
use crate::questions;

#[test]
fn our_judge_says_what_the_table_says() {
    let catalog = catalog();
    let questions =
        questions::files().iter().flat_map(|it| questions::questions(it)).collect::<Vec<_>>();
    let mut wrong = Vec::new();
    for question in &questions {
        let got = judge(&catalog, question);
        if got != question.answer {
            wrong.push(format!("{}\n  want {}\n  got {got}", question.title, question.answer));
        }
    }
    println!("{} questions", questions.len());
    assert!(wrong.is_empty(), "{} answers differ\n\n{}", wrong.len(), wrong.join("\n\n"));
}

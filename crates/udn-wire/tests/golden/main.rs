//! The golden shelf of `udn-wire`: stored cases with known answers.

#[path = "../kit/answer.rs"]
mod answer;
#[path = "../kit/catalog.rs"]
mod catalog;
#[path = "../kit/edit.rs"]
mod edit;
#[path = "../kit/judged.rs"]
mod judged;
#[path = "../kit/questions.rs"]
mod questions;

mod api_types;
mod deploy;
mod verdicts;

//! The api shelf of `udn-wire`: beside a real kube-apiserver.

#[path = "../kit/answer.rs"]
mod answer;
#[path = "../kit/catalog.rs"]
mod catalog;
#[path = "../kit/edit.rs"]
mod edit;
#[path = "../kit/questions.rs"]
mod questions;

mod admission;
mod verdicts;

//! The property shelf of `udn-wire`: what must hold for every constraint of the CRDs.

#[path = "../kit/answer.rs"]
mod answer;
#[path = "../kit/edit.rs"]
mod edit;
#[path = "../kit/judged.rs"]
mod judged;
#[path = "../kit/questions.rs"]
mod questions;

mod constraints;

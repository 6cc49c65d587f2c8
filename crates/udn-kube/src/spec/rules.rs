//! Collects what is wrong in one object of a manifest.
//!
//! Invariant: all breaches are told at once, each with the path of its object.

use udn_model::{Reason, Subnet};

use crate::refusal::Refusal;

/// The breaches of one object.
#[derive(Debug)]
pub(super) struct Rules<'a> {
    at: &'a str,
    refusals: Vec<Refusal>,
}

impl<'a> Rules<'a> {
    /// For the object at this path.
    pub(super) fn at(at: &'a str) -> Self {
        Self { at, refusals: Vec::new() }
    }

    pub(super) fn refuse(&mut self, is_broken: bool, message: impl AsRef<str>) {
        self.add(is_broken, Reason::InvalidSpec, message.as_ref());
    }

    pub(super) fn refuse_unbuilt(&mut self, is_asked: bool, message: impl AsRef<str>) {
        self.add(is_asked, Reason::NotSupported, message.as_ref());
    }

    /// A list that is given has at least one item and at most so many.
    pub(super) fn limit(&mut self, key: &str, list: Option<&[String]>, most: usize) {
        let is_broken = list.is_some_and(|list| list.is_empty() || list.len() > most);
        self.refuse(is_broken, format!("{key} has 1 to {most} items; change or remove it"));
    }

    /// The same for a list of CIDRs, each of which can be read.
    pub(super) fn cidrs(&mut self, key: &str, list: Option<&[String]>, most: usize) {
        self.limit(key, list, most);
        for text in list.unwrap_or_default() {
            if let Err(problem) = Subnet::parse(text) {
                self.refuse(true, format!("{key}: {problem}"));
            }
        }
    }

    /// A choice that is given is one of those known.
    pub(super) fn choose(&mut self, key: &str, choice: Option<&str>, known: &[&str]) {
        let Some(choice) = choice.filter(|choice| !known.contains(choice)) else { return };
        self.refuse(true, format!("{key} is \"{choice}\"; write {}", known.join(" or ")));
    }

    pub(super) fn finish(self) -> Result<(), Vec<Refusal>> {
        if self.refusals.is_empty() { Ok(()) } else { Err(self.refusals) }
    }

    pub(super) fn into_refusals(self) -> Vec<Refusal> {
        self.refusals
    }

    fn add(&mut self, is_broken: bool, reason: Reason, message: &str) {
        if is_broken {
            self.refusals.push(Refusal::new(reason, format!("{}: {message}", self.at)));
        }
    }
}

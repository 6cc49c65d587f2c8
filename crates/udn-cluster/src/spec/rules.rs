//! Collects what is wrong in one object of a manifest.
//!
//! Invariant: all breaches are told at once, each with the path of its field.

use udn_model::Reason;
use udn_wire::refusal::Refusal;

/// The breaches of one object.
#[derive(Debug)]
pub(super) struct Rules {
    at: String,
    refusals: Vec<Refusal>,
}

impl Rules {
    /// For the object at this path.
    pub(super) fn at(at: impl Into<String>) -> Self {
        Self { at: at.into(), refusals: Vec::new() }
    }

    /// The path of one of its fields; of the object itself where the field has no name.
    pub(super) fn path(&self, field: &str) -> String {
        if field.is_empty() { self.at.clone() } else { format!("{}.{field}", self.at) }
    }

    /// Tells a breach at a field, if there is one.
    pub(super) fn refuse(&mut self, is_broken: bool, field: &str, message: impl Into<String>) {
        self.tell(is_broken, Reason::InvalidSpec, field, message.into());
    }

    /// Tells what can be asked for and is not built yet.
    pub(super) fn refuse_unbuilt(
        &mut self,
        is_asked: bool,
        field: &str,
        message: impl Into<String>,
    ) {
        self.tell(is_asked, Reason::NotSupported, field, message.into());
    }

    /// Tells what can be asked for and is switched off.
    pub(super) fn refuse_switched_off(
        &mut self,
        is_asked: bool,
        field: &str,
        message: impl Into<String>,
    ) {
        self.tell(is_asked, Reason::FeatureOff, field, message.into());
    }

    /// A choice that is given is one of those known.
    pub(super) fn choose(&mut self, field: &str, choice: Option<&str>, known: &[&str]) {
        let Some(choice) = choice.filter(|choice| !known.contains(choice)) else { return };
        let message =
            format!("{field} is \"{}\"; write {}", choice.escape_default(), known.join(" or "));
        self.refuse(true, field, message);
    }

    /// The same for a choice that must be given.
    pub(super) fn need_choice(&mut self, field: &str, choice: Option<&str>, known: &[&str]) {
        let missing = format!("{field} is missing; write {}", known.join(" or "));
        self.refuse(choice.is_none(), field, missing);
        self.choose(field, choice, known);
    }

    /// A number that is given is within its bounds.
    pub(super) fn bound(&mut self, field: &str, number: Option<i32>, (least, most): (i32, i32)) {
        let Some(number) = number.filter(|number| !(least..=most).contains(number)) else { return };
        self.refuse(true, field, format!("{field} is {number}; write {least} to {most}"));
    }

    /// Takes over what another object's rules found.
    pub(super) fn take(&mut self, other: Self) {
        self.refusals.extend(other.refusals);
    }

    pub(super) fn finish(self) -> Result<(), Vec<Refusal>> {
        if self.refusals.is_empty() { Ok(()) } else { Err(self.refusals) }
    }

    fn tell(&mut self, is_so: bool, reason: Reason, field: &str, message: String) {
        if is_so {
            let path = self.path(field);
            self.refusals.push(Refusal::new(reason, message).at(path));
        }
    }
}

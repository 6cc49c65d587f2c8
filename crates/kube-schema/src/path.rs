//! Where in an object something is: `spec.subnets[1].cidr`.
//!
//! Built step by step while an object is walked; displayed as Kubernetes displays a field path.
//! Invariant: two paths with the same steps display alike, and the empty path displays `<nil>`.

use std::fmt;

/// One step from a value into a value it holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A field of an object, displayed `.name`.
    Field(String),
    /// A key of a map, displayed `[key]`.
    Key(String),
    /// A place in a list, displayed `[3]`.
    Index(usize),
}

/// The steps from an object's root to a value in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Vec<Step>);

impl Path {
    /// The object itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// The path of a field below fields, such as `["metadata", "name"]`.
    pub fn of_fields<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self(names.into_iter().map(|name| Step::Field(name.to_owned())).collect())
    }

    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path of a field below this one.
    #[must_use]
    pub fn field(&self, name: &str) -> Self {
        self.with(Step::Field(name.to_owned()))
    }

    /// The path of a map's key below this one.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.with(Step::Key(key.to_owned()))
    }

    /// The path of a list's item below this one.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    /// The path of `other` when it is taken relative to this one.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    pub(crate) fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = Vec::with_capacity(self.0.len() + 1);
        steps.extend_from_slice(&self.0);
        steps.push(step);
        Self(steps)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return out.write_str("<nil>");
        }
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if place == 0 => out.write_str(name)?,
                Step::Field(name) => write!(out, ".{name}")?,
                Step::Key(key) => write!(out, "[{key}]")?,
                Step::Index(index) => write!(out, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

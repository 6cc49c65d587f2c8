//! Selectors: which objects of a list a request is about.
//!
//! Reads query texts and `{matchLabels, matchExpressions}`; says whether an object is meant.
//! Invariant: a selector that was read is valid as the server defines it.

mod fields;
mod labels;
mod parse;

pub(crate) use fields::FieldSelector;
pub(crate) use labels::LabelSelector;
pub(crate) use labels::labels_text;

#[cfg(test)]
mod tests;

//! Reads fields of a manifest, noting what is missing or of the wrong type.
//!
//! Reads a JSON value with its path; returns plain values, errors are gathered on the side.
//! Invariant: reading never fails; whoever reads asks at the end whether there were errors.

use std::cell::RefCell;

use serde_json::Value;

use crate::field_error::FieldError;
use crate::path::Path;

/// Errors gathered while a manifest is read.
#[derive(Debug, Default)]
pub(crate) struct Complaints(RefCell<Vec<FieldError>>);

impl Complaints {
    pub(crate) fn push(&self, error: FieldError) {
        self.0.borrow_mut().push(error);
    }

    pub(crate) fn into_errors(self) -> Vec<FieldError> {
        self.0.into_inner()
    }
}

/// A value of a manifest, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node<'a> {
    value: &'a Value,
    at: Path,
    complaints: &'a Complaints,
}

impl<'a> Node<'a> {
    pub(crate) fn root(value: &'a Value, complaints: &'a Complaints) -> Self {
        Self { value, at: Path::root(), complaints }
    }

    pub(crate) fn value(&self) -> &'a Value {
        self.value
    }

    pub(crate) fn path(&self) -> &Path {
        &self.at
    }

    pub(crate) fn is_given(&self) -> bool {
        !self.value.is_null()
    }

    /// A field, or a null in its place.
    pub(crate) fn field(&self, name: &str) -> Node<'a> {
        const ABSENT: &Value = &Value::Null;
        if !matches!(self.value, Value::Object(_) | Value::Null) {
            self.complain("must be an object");
        }
        let value = self.value.get(name).unwrap_or(ABSENT);
        Node { value, at: self.at.field(name), complaints: self.complaints }
    }

    pub(crate) fn items(&self) -> Vec<Node<'a>> {
        let nodes = |items: &'a [Value]| {
            let nodes = items.iter().enumerate();
            nodes.map(|(place, value)| Node {
                value,
                at: self.at.index(place),
                complaints: self.complaints,
            })
        };
        match self.value {
            Value::Array(items) => nodes(items).collect(),
            Value::Null => Vec::new(),
            _ => {
                self.complain("must be an array");
                Vec::new()
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        match self.value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            _ => {
                self.complain("must be a string");
                String::new()
            }
        }
    }

    /// A text that must be there.
    pub(crate) fn needed(&self) -> String {
        self.needed_or("")
    }

    /// A text that must be there; `why` is told where it is not.
    pub(crate) fn needed_or(&self, why: &str) -> String {
        let text = self.text();
        if text.is_empty() {
            self.complaints.push(FieldError::required(self.at.clone(), why));
        }
        text
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.items().iter().map(Node::text).collect()
    }

    pub(crate) fn flag(&self) -> bool {
        match self.value {
            Value::Bool(flag) => *flag,
            Value::Null => false,
            _ => {
                self.complain("must be a boolean");
                false
            }
        }
    }

    pub(crate) fn integer(&self) -> i64 {
        if self.value.is_null() {
            return 0;
        }
        self.value.as_i64().unwrap_or_else(|| {
            self.complain("must be an integer");
            0
        })
    }

    /// One of several words; the first stands for a missing one if `default` says so.
    pub(crate) fn choice<T: Copy>(&self, known: &[(&str, T)], default: Option<T>) -> Option<T> {
        if self.value.is_null() && default.is_some() {
            return default;
        }
        let found = known.iter().find(|(word, _)| self.value.as_str() == Some(word));
        if found.is_none() {
            let words = known.iter().map(|(word, _)| (*word).to_owned());
            let error = FieldError::not_supported(self.at.clone(), self.value.clone(), words);
            self.complaints.push(error);
        }
        found.map(|(_, it)| *it)
    }

    /// Notes what a check of the whole value finds.
    pub(crate) fn check(&self, check: fn(&Value, &Path) -> Vec<FieldError>) {
        check(self.value, &self.at).into_iter().for_each(|error| self.complaints.push(error));
    }

    pub(crate) fn complain(&self, why: &str) {
        self.complaints.push(FieldError::invalid(self.at.clone(), self.value.clone(), why));
    }
}

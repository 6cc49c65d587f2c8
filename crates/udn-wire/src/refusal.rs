//! Why a thing of the user's cannot be used.
//!
//! Invariant: the sentence says what is wrong and what to do; the subject is added by who knows it.

use udn_model::{Finding, Reason, Subject};

/// A network, or a NAD, that is not taken as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub reason: Reason,
    /// Where in the object, if known.
    pub path: Option<String>,
    pub message: String,
}

/// A text of an annotation that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct Unreadable {
    pub key: &'static str,
    pub message: String,
}

impl Refusal {
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, path: None, message: message.into() }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Reason::InvalidConfig, message)
    }

    pub fn not_supported(message: impl Into<String>) -> Self {
        Self::new(Reason::NotSupported, message)
    }

    /// The same, at this place unless a better one is known.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path.get_or_insert_with(|| path.into());
        self
    }

    /// The same, where a manifest and not a NAD said it.
    pub fn in_spec(mut self) -> Self {
        if self.reason == Reason::InvalidConfig {
            self.reason = Reason::InvalidSpec;
        }
        self
    }

    pub fn about(self, subject: Subject) -> Finding {
        let finding = Finding::new(subject, self.reason, self.message);
        match self.path {
            Some(path) => finding.at(path),
            None => finding,
        }
    }
}

impl Unreadable {
    pub fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { key, message: message.into() }
    }

    pub fn about(&self, subject: Subject) -> Finding {
        let path = annotation_path(self.key);
        Finding::new(subject, Reason::InvalidAnnotation, &self.message).at(path)
    }
}

/// Where an annotation stands in its object.
pub fn annotation_path(key: &str) -> String {
    format!("metadata.annotations[{key}]")
}

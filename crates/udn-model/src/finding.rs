//! Findings: what is wrong in the user's objects, and what to do about it.
//!
//! Invariant: a finding is a value that ends in a condition, an event or on the screen, never an
//! error.

use std::fmt;

use serde::Serialize;

use crate::manifest::Manifest;
use crate::names::{NetworkName, NodeName, ObjectName};

mod reason;
#[cfg(test)]
mod tests;

pub use reason::{Reason, Topic};

/// One thing that is not as it should be.
///
/// How bad it is follows from the reason ([`Finding::severity`]); the message can be shown without
/// the path, and the path tells a reader of manifests at which line to show it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    pub subject: Subject,
    pub reason: Reason,
    /// Where in the subject's object, as Kubernetes writes field paths, such as
    /// `spec.network.localnet.vlan.access.id` or `metadata.annotations[k8s.ovn.org/node-id]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// One sentence: what is wrong and what to do.
    pub message: String,
    /// The object that the subject waits for, where there is one; for programs, since the message
    /// tells people.
    #[serde(skip)]
    pub waits_for: Option<Box<Subject>>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something that was asked for does not come about, or does harm.
    Error,
    /// It may be meant so, or it passes by itself.
    Warning,
}

/// Any number of findings.
pub type Findings = Vec<Finding>;

/// A stage's result together with what it found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told<T> {
    pub value: T,
    pub findings: Findings,
}

/// Whom a finding concerns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    Manifest(Manifest),
    /// A NAD.
    Nad(ObjectName),
    Network(NetworkName),
    Node(NodeName),
    Pod(ObjectName),
    Claim(ObjectName),
    Namespace(String),
}

impl Finding {
    pub fn new(subject: Subject, reason: Reason, message: impl Into<String>) -> Self {
        Self { subject, reason, path: None, message: message.into(), waits_for: None }
    }

    /// The same, at a place within the subject's object.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// The same, said of a subject that waits for another object.
    #[must_use]
    pub fn waiting_for(mut self, other: Subject) -> Self {
        self.waits_for = Some(Box::new(other));
        self
    }

    pub fn severity(&self) -> Severity {
        self.reason.severity()
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manifest(it) => it.fmt(f),
            Self::Nad(name) => write!(f, "NetworkAttachmentDefinition {name}"),
            Self::Network(name) => write!(f, "network {name}"),
            Self::Node(name) => write!(f, "node {name}"),
            Self::Pod(name) => write!(f, "pod {name}"),
            Self::Claim(name) => write!(f, "IPAMClaim {name}"),
            Self::Namespace(name) => write!(f, "namespace {name}"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.subject, self.reason)?;
        if let Some(path) = &self.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl<T> Told<T> {
    pub fn new(value: T, findings: Findings) -> Self {
        Self { value, findings }
    }
}

//! Errors as CNI tells them: a number that runtimes know, a sentence, and details.
//!
//! Takes a code and a sentence; returns the JSON that a plugin prints, and the text that a server
//! answers. Invariant: whatever is refused or goes wrong has a code of the table here.

use crate::quote::shorten;
use crate::version::Version;

/// Parsers repeat what they did not understand, however long it is.
const LONGEST_DETAILS: usize = 500;

/// What kind of failure it is, with the number that CNI gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// The `cniVersion` is not spoken, or has no such command.
    IncompatibleVersion,
    /// A key of the network configuration asks for what is not built.
    UnsupportedField,
    /// The pod or its sandbox is not there, or it is another one.
    UnknownContainer,
    /// One of the `CNI_…` variables is missing or not well formed.
    InvalidEnvironment,
    /// Reading or writing failed.
    InputOutput,
    /// Something is no JSON, no base64, or too large.
    Undecodable,
    /// The network configuration is JSON, and wrong.
    InvalidConfig,
    /// `CNI_NETNS` is no network namespace.
    InvalidNamespace,
    /// Nothing is wrong; something is not there yet.
    TryAgainLater,
    /// STATUS: no pod can be added now.
    NotAvailable,
    /// STATUS: no pod can be added now, and those that are may not reach each other.
    LimitedConnectivity,
    /// The caller may not ask: it is not root.
    Forbidden,
    /// A bug, or an answer that nobody expects.
    Internal,
}

impl Code {
    pub const ALL: [Self; 13] = [
        Self::IncompatibleVersion,
        Self::UnsupportedField,
        Self::UnknownContainer,
        Self::InvalidEnvironment,
        Self::InputOutput,
        Self::Undecodable,
        Self::InvalidConfig,
        Self::InvalidNamespace,
        Self::TryAgainLater,
        Self::NotAvailable,
        Self::LimitedConnectivity,
        Self::Forbidden,
        Self::Internal,
    ];

    /// As runtimes know it; from 100 on, numbers are the plugin's own.
    // compat: github.com/containernetworking/cni, pkg/types/types.go
    pub fn number(self) -> u32 {
        match self {
            Self::IncompatibleVersion => 1,
            Self::UnsupportedField => 2,
            Self::UnknownContainer => 3,
            Self::InvalidEnvironment => 4,
            Self::InputOutput => 5,
            Self::Undecodable => 6,
            Self::InvalidConfig => 7,
            Self::InvalidNamespace => 8,
            Self::TryAgainLater => 11,
            Self::NotAvailable => 50,
            Self::LimitedConnectivity => 51,
            Self::Forbidden => 100,
            Self::Internal => 999,
        }
    }

    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.number() == number)
    }

    /// Whether the same request may succeed later although nobody changes it.
    pub fn passes(self) -> bool {
        match self {
            Self::TryAgainLater | Self::NotAvailable | Self::LimitedConnectivity => true,
            Self::IncompatibleVersion
            | Self::UnsupportedField
            | Self::UnknownContainer
            | Self::InvalidEnvironment
            | Self::InputOutput
            | Self::Undecodable
            | Self::InvalidConfig
            | Self::InvalidNamespace
            | Self::Forbidden
            | Self::Internal => false,
        }
    }
}

/// A request that failed: what kubelet shows in the pod's events.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CniError {
    pub code: Code,
    /// One sentence: what is wrong, with whom, and what to do about it.
    pub message: String,
    /// What else is known; may be empty.
    pub details: String,
}

impl CniError {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: String::new() }
    }

    pub fn with_details(mut self, details: impl AsRef<str>) -> Self {
        self.details = shorten(details.as_ref(), LONGEST_DETAILS);
        self
    }

    /// What a plugin prints when it fails.
    pub fn to_json(&self, version: Version) -> String {
        let mut json = serde_json::json!({
            "cniVersion": version.as_str(),
            "code": self.code.number(),
            "msg": self.message,
        });
        if !self.details.is_empty() {
            json["details"] = self.details.as_str().into();
        }
        json.to_string()
    }
}

#[cfg(test)]
mod tests;

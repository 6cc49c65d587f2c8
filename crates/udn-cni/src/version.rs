//! Versions of the CNI protocol that the plugin speaks.
//!
//! Reads the `cniVersion` of a network configuration; returns a [`Version`], or nothing for a
//! version that is not spoken. Invariant: versions are ordered by age.

use std::fmt;

/// A version of the protocol, with the shape of results that belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    V0_3_1,
    V0_4_0,
    V1_0_0,
    V1_1_0,
}

impl Version {
    /// Every version that is spoken, oldest first.
    pub const ALL: [Self; 4] = [Self::V0_3_1, Self::V0_4_0, Self::V1_0_0, Self::V1_1_0];

    /// The one that is told where nobody asked for another.
    pub const NEWEST: Self = Self::V1_1_0;

    /// Exactly as the specification writes it, or nothing.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::V0_3_1 => "0.3.1",
            Self::V0_4_0 => "0.4.0",
            Self::V1_0_0 => "1.0.0",
            Self::V1_1_0 => "1.1.0",
        }
    }

    /// All versions in one line, for people.
    pub fn list() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// What is answered to the command VERSION.
    pub fn answer() -> String {
        let supported = Self::ALL.map(Self::as_str);
        serde_json::json!({"cniVersion": Self::NEWEST.as_str(), "supportedVersions": supported})
            .to_string()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;

//! What kind of cluster a round is about.
//!
//! Invariant: program, bench and manifests of one round agree on the settings, because they come from here.

use std::fmt;

use udn_model::ClusterSettings;

/// How many networks there are, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) networks: usize,
    pub(crate) kind: Kind,
}

/// Which networks there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Primary Layer2 networks, beside a default network of somebody else.
    Layer2,
    /// Every third is a Layer3 network, and the default network is ours.
    Mixed,
}

impl Kind {
    /// The settings of the cluster.
    pub(crate) fn settings(self) -> ClusterSettings {
        let builds_default_network = self == Self::Mixed;
        ClusterSettings { builds_default_network, ..<_>::default() }
    }

    /// How the program is told.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Layer2 => "layer2",
            Self::Mixed => "mixed",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        [Self::Layer2, Self::Mixed].into_iter().find(|kind| kind.word() == word)
    }
}

impl Shape {
    /// Whether a tenant's network is a Layer3 network.
    pub(crate) fn is_layer3(self, tenant: usize) -> bool {
        self.kind == Kind::Mixed && tenant.is_multiple_of(3)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Layer2 => write!(f, "{}", self.networks),
            Kind::Mixed => write!(f, "{} mixed", self.networks),
        }
    }
}

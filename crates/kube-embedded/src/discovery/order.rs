//! In what order groups and versions are listed.
//!
//! Reads names; returns keys to sort by.
//! Invariant: v2 > v1 > v1beta2 > v1beta1 > v1alpha1 > anything else.

use std::cmp::Reverse;

// compat: pkg/controlplane/apiserver/apis.go and the server's own list of priorities
const GROUPS: [&str; 20] = [
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
];

/// Groups of the server first, others by name.
pub(super) fn group(name: &str) -> (usize, &str) {
    (GROUPS.iter().position(|known| *known == name).unwrap_or(GROUPS.len()), name)
}

/// Greater is preferred.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank<'a> {
    /// By name, the first one preferred.
    Unversioned(Reverse<&'a str>),
    /// How stable, then the numbers of `v1beta2`.
    Versioned(Stability, u64, u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stability {
    Alpha,
    Beta,
    Stable,
}

pub(crate) fn version(name: &str) -> Rank<'_> {
    read(name).unwrap_or(Rank::Unversioned(Reverse(name)))
}

fn read(name: &str) -> Option<Rank<'_>> {
    let rest = name.strip_prefix('v')?;
    let (major, rest) = number(rest)?;
    if rest.is_empty() {
        return Some(Rank::Versioned(Stability::Stable, major, 0));
    }
    let (stability, rest) = match rest.strip_prefix("alpha") {
        Some(rest) => (Stability::Alpha, rest),
        None => (Stability::Beta, rest.strip_prefix("beta")?),
    };
    let (minor, rest) = number(rest)?;
    rest.is_empty().then_some(Rank::Versioned(stability, major, minor))
}

/// A number that does not start with zero, and what follows it.
fn number(text: &str) -> Option<(u64, &str)> {
    let length = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(length);
    if digits.starts_with('0') {
        return None;
    }
    Some((digits.parse().ok()?, rest))
}

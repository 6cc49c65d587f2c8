//! The shelves that tests stand on, told by file name alone.
//!
//! Reads a path below the root; returns the [`Shelf`] of the tests in that file.
//! Invariant: one file, one shelf; the prefix before the first `_` decides.

use serde::{Deserialize, Serialize};

use crate::text_file::TextFile;

/// A kind of test, by what has to be real for it to run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shelf {
    /// One function; a table of cases. Doc tests count as unit.
    Unit,
    /// Our own stored cases: world in, rows and status out.
    Golden,
    /// The shared cases: the same answer as OVN-Kubernetes.
    Peer,
    /// Laws that hold for random input.
    Property,
    /// The control plane in a seeded simulation with faults.
    Fault,
    /// A real kube-apiserver and etcd.
    Api,
    /// Real OVN and OVS; packets are the judge.
    Ovn,
    /// Real kubelets and containerd.
    Node,
    /// Real guests.
    Vm,
    /// Measurements; run by `cargo xtask bench`, not by `cargo xtask test`.
    #[value(skip)]
    Bench,
}

impl Shelf {
    /// Every shelf that `cargo xtask test` runs, in the order it runs them: the quick ones first.
    pub(crate) const TESTED: [Self; 9] = [
        Self::Unit,
        Self::Golden,
        Self::Peer,
        Self::Property,
        Self::Fault,
        Self::Api,
        Self::Ovn,
        Self::Node,
        Self::Vm,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Golden => "golden",
            Self::Peer => "peer",
            Self::Property => "property",
            Self::Fault => "fault",
            Self::Api => "api",
            Self::Ovn => "ovn",
            Self::Node => "node",
            Self::Vm => "vm",
            Self::Bench => "bench",
        }
    }

    /// The shelf with this name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::TESTED.into_iter().chain([Self::Bench]).find(|shelf| shelf.name() == name)
    }

    /// The shelf of an integration test file, by its name without `.rs`: `ovn_ping` is `ovn`.
    pub(crate) fn of_target(target: &str) -> Option<Self> {
        let prefix = target.split_once('_').map_or(target, |(prefix, _)| prefix);
        Self::parse(prefix).filter(|shelf| !matches!(shelf, Self::Unit | Self::Bench))
    }

    /// The shelf of the tests in a Rust file; `None` when its place names no shelf.
    pub(crate) fn of_file(file: &TextFile) -> Option<Self> {
        let parts: Vec<&str> = file.path.split('/').collect();
        match parts.iter().position(|part| matches!(*part, "src" | "tests" | "benches"))? {
            place if parts[place] == "src" => Some(Self::Unit),
            place if parts[place] == "benches" => Some(Self::Bench),
            place => {
                let target = parts.get(place + 1)?;
                Self::of_target(target.strip_suffix(".rs").unwrap_or(target))
            }
        }
    }

    /// Whether a test on this shelf is proof enough where `demanded` is the lowest that counts.
    pub(crate) fn satisfies(self, demanded: Self) -> bool {
        match (self, demanded) {
            (Self::Bench, Self::Bench) => true,
            (Self::Bench, _) | (_, Self::Bench) => false,
            (have, want) => have.height() >= want.height(),
        }
    }

    /// How much of the world is real; equal heights prove the same.
    fn height(self) -> u8 {
        match self {
            Self::Bench => 0,
            Self::Unit | Self::Golden | Self::Peer | Self::Property => 1,
            Self::Fault => 2,
            Self::Api => 3,
            Self::Ovn => 4,
            Self::Node => 5,
            Self::Vm => 6,
        }
    }
}

#[cfg(test)]
mod tests;

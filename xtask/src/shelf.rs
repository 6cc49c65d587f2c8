//! The shelves that tests stand on, told by the name of the test program alone.
//!
//! Reads a path below the root; returns the [`Shelf`] of the tests in that file.
//! Invariant: one program, one shelf; nothing on a shelf of another kind stands in for it.

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

    /// The shelf of an integration test program, which is its name.
    pub(crate) fn of_target(target: &str) -> Option<Self> {
        Self::parse(target).filter(|shelf| !matches!(shelf, Self::Unit | Self::Bench))
    }

    /// The shelf of the tests in a Rust file: `tests/api.rs` and all below `tests/api/` stand on api.
    /// `None` when its place names no shelf, as that of a kit which several programs share.
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

    /// Whether a test on this shelf is proof where `demanded` is asked for: a shelf of the same kind.
    pub(crate) fn satisfies(self, demanded: Self) -> bool {
        self == demanded || (self.is_pure() && demanded.is_pure())
    }

    /// Whether nothing has to be real: these shelves are one kind.
    fn is_pure(self) -> bool {
        match self {
            Self::Unit | Self::Golden | Self::Peer | Self::Property => true,
            Self::Fault | Self::Api | Self::Ovn | Self::Node | Self::Vm | Self::Bench => false,
        }
    }

    /// What has to run for a test of this shelf to be what it says: how the names of the servers
    /// begin, one of which is enough. Empty where nothing has to.
    pub(crate) fn real_parts(self) -> &'static [&'static str] {
        match self {
            Self::Api => &["kube-apiserver"],
            Self::Ovn => &["ovn-", "ovs-", "ovsdb-"],
            Self::Node => &["kubelet"],
            Self::Vm => &["qemu"],
            Self::Unit | Self::Golden | Self::Peer | Self::Property => &[],
            Self::Fault | Self::Bench => &[],
        }
    }
}

#[cfg(test)]
mod tests;

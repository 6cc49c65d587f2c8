//! What this machine has, and which shelves it therefore allows.
//!
//! Reads rights, folders and the outcome of set-up; returns obstacles as sentences.
//! Invariant: an obstacle says what is missing, so that a reader can mend it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::setup::Readiness;
use crate::shelf::Shelf;

/// Where the shared cases lie, seen from the root of the tree.
const SHARED_CASES: &str = "../shared/cases";

/// What this machine has.
#[derive(Debug, Clone, Default)]
pub(crate) struct Machine {
    pub(crate) is_root: bool,
    pub(crate) has_shared_cases: bool,
    pub(crate) readiness: Readiness,
}

impl Machine {
    /// Looks at the machine; `readiness` comes from set-up.
    pub(crate) fn look(root: &Path, readiness: Readiness) -> Self {
        let is_root = std::fs::metadata("/proc/self").is_ok_and(|myself| myself.uid() == 0);
        Self { is_root, has_shared_cases: root.join(SHARED_CASES).is_dir(), readiness }
    }

    /// Why the shelf cannot run here; `None` when it can.
    pub(crate) fn obstacle(&self, shelf: Shelf) -> Option<String> {
        match shelf {
            Shelf::Unit | Shelf::Golden | Shelf::Property | Shelf::Fault | Shelf::Bench => None,
            Shelf::Peer => self.shared_cases(),
            Shelf::Api => self.kubernetes(),
            Shelf::Ovn => self.root().or_else(|| self.ovn()),
            Shelf::Node | Shelf::Vm => {
                let obstacle = self.root().or_else(|| self.ovn()).or_else(|| self.kubernetes());
                obstacle.or_else(|| self.node())
            }
        }
    }

    fn shared_cases(&self) -> Option<String> {
        (!self.has_shared_cases).then(|| format!("the shared cases are not at {SHARED_CASES}"))
    }

    fn root(&self) -> Option<String> {
        (!self.is_root).then(|| "it makes network namespaces, which needs root".to_owned())
    }

    fn ovn(&self) -> Option<String> {
        self.readiness.ovn.as_ref().map(|reason| format!("there is no OVN root: {reason}"))
    }

    fn kubernetes(&self) -> Option<String> {
        let reason = self.readiness.kubernetes.as_ref()?;
        Some(format!("the Kubernetes programs are missing: {reason}"))
    }

    fn node(&self) -> Option<String> {
        self.readiness.node.as_ref().map(|reason| format!("nodes cannot run pods: {reason}"))
    }
}

#[cfg(test)]
mod tests;

//! Where control groups of version 2 are, and how far above one's own namespace they begin.
//!
//! Reads the kernel's list of mounts; returns a [`Hierarchy`].
//! Invariant: a mount of some group below the root is none, for the host's kubelet may not be in it.

use std::path::PathBuf;

/// The hierarchy of control groups of version 2, as one process sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hierarchy {
    /// Where its root is mounted.
    pub(super) root: PathBuf,
    /// How far that is above the root of the process' namespace of control groups.
    pub(super) above: usize,
}

impl Hierarchy {
    /// The hierarchy that reaches highest among mounts, as `mountinfo` lists them.
    pub(super) fn find(mounts: &str) -> Option<Self> {
        let mut found: Option<Self> = None;
        for line in mounts.lines() {
            let Some(hierarchy) = of_mount(line) else { continue };
            // Of several as high, the first is the usual one.
            if found.as_ref().is_none_or(|it| it.above < hierarchy.above) {
                found = Some(hierarchy);
            }
        }
        found
    }
}

// compat: Documentation/filesystems/proc.rst, mountinfo; the root is told from the reader's namespace on
fn of_mount(line: &str) -> Option<Hierarchy> {
    let (mount, kind) = line.split_once(" - ")?;
    if kind.split(' ').next() != Some("cgroup2") {
        return None;
    }
    let mut fields = mount.split(' ').skip(3);
    let (root, place) = (fields.next()?, fields.next()?);
    let names: Vec<&str> = root.split('/').filter(|it| !it.is_empty()).collect();
    let is_above = names.iter().all(|it| *it == "..");
    is_above.then(|| Hierarchy { root: place.into(), above: names.len() })
}

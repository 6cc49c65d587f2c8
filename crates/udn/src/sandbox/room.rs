//! Whether this machine has room for a real cluster.
//!
//! Reads how much memory and disk are free; returns what is missing, in one sentence.
//! Invariant: what cannot be found out counts as enough.

use std::env;
use std::fs;

use nix::sys::statvfs::statvfs;

/// What the control plane takes, in MiB: the API server, etcd, both managers and the controller.
const MEMORY: u64 = 700;
/// What each node takes: kubelet, containerd, OVN, Open vSwitch, the agent and a few pods.
const MEMORY_OF_NODE: u64 = 350;
/// What etcd and logs take on disk.
const DISK: u64 = 500;
/// What images and containers of each node take there.
const DISK_OF_NODE: u64 = 100;

/// What is free, in MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) memory: u64,
    pub(super) disk: u64,
}

impl Room {
    /// Looks at this machine.
    pub(super) fn here() -> Self {
        let disk = statvfs(&env::temp_dir()).map(|it| it.blocks_available() * it.fragment_size());
        Self {
            memory: memory().unwrap_or(u64::MAX),
            disk: disk.map_or(u64::MAX, |bytes| bytes >> 20),
        }
    }

    /// What is missing for so many nodes.
    pub(super) fn lack(self, nodes: u64) -> Option<String> {
        let memory = MEMORY + MEMORY_OF_NODE * nodes;
        let disk = DISK + DISK_OF_NODE * nodes;
        if self.memory < memory {
            let free = self.memory;
            return Some(format!("{memory} MiB of memory, and {free} MiB are free"));
        }
        let (free, folder) = (self.disk, env::temp_dir());
        let folder = folder.display();
        (free < disk).then(|| format!("{disk} MiB of disk, and {folder} has {free} MiB free"))
    }
}

fn memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kibibytes / 1024)
}

#[cfg(test)]
mod tests;

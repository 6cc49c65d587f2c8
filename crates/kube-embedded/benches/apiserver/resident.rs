//! The memory that processes hold.
//!
//! Reads `/proc`; returns bytes, of the processes and of all below them.
//! Invariant: a process that is gone holds nothing.

use std::collections::BTreeMap;
use std::fs;

pub(crate) fn bytes(roots: &[u32]) -> usize {
    let parents = parents();
    let is_below = |pid: u32| {
        let mut line = std::iter::successors(Some(pid), |pid| parents.get(pid).copied());
        line.any(|pid| roots.contains(&pid))
    };
    parents.keys().copied().filter(|pid| is_below(*pid)).map(resident).sum()
}

/// Every process and the one that started it.
fn parents() -> BTreeMap<u32, u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| Some((pid, field(pid, "PPid:")?))).collect()
}

fn resident(pid: u32) -> usize {
    field(pid, "VmRSS:").map_or(0, |kibibytes: usize| kibibytes << 10)
}

fn field<T: std::str::FromStr>(pid: u32, name: &str) -> Option<T> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

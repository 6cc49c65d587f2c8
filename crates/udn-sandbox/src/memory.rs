//! How much memory a node's programs use.
//!
//! Invariant: shared pages are counted once, in proportion, so that sums are true.

use std::fs;

/// The proportional set size of programs, in KiB; those that are gone count nothing.
pub(crate) fn kibibytes(pids: &[u32]) -> u64 {
    pids.iter().filter_map(|pid| proportional(*pid)).sum()
}

fn proportional(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.split_whitespace().next()?.parse().ok()
}

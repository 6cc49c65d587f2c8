//! What the kernel tells of running programs.
//!
//! Reads `/proc/<pid>/stat`; returns a [`Stat`] for one program or for all.
//! Invariant: a program that ended while we looked is left out, never an error of the whole.

use std::fs;
use std::io;

#[cfg(test)]
mod tests;

/// One program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) pid: u32,
    /// Whether it has ended and only waits to be noticed.
    pub(crate) is_zombie: bool,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    /// When it began, in clock ticks since the machine did.
    pub(crate) start: u64,
}

impl Stat {
    /// What is told of one program.
    pub(crate) fn of(pid: u32) -> io::Result<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let unknown = || io::Error::new(io::ErrorKind::InvalidData, "unknown form of stat");
        Self::parse(pid, &text).ok_or_else(unknown)
    }

    /// What is told of all programs.
    pub(crate) fn all() -> io::Result<Vec<Self>> {
        let entries = fs::read_dir("/proc")?.flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        Ok(pids.filter_map(|pid| Self::of(pid).ok()).collect())
    }

    fn parse(pid: u32, text: &str) -> Option<Self> {
        // The second field is the program's name in brackets and may hold anything, so count behind it.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
        Some(Self {
            pid,
            is_zombie: *fields.first()? == "Z",
            parent: u32::try_from(number(1)?).ok()?,
            group: u32::try_from(number(2)?).ok()?,
            start: number(19)?,
        })
    }
}

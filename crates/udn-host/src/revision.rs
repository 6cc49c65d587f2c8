//! What must change on a bridge, judged from the difference that `ovs-ofctl diff-flows` tells.
//!
//! Reads the difference between the bridge and the wanted flows; returns the lines of one bundle.
//! Invariant: a flow without our cookie is never removed; nor are those that the switch added by
//! itself, whose end is its own business.

use std::fmt::Write;

use crate::flow::COOKIE;

#[cfg(test)]
mod tests;

/// The changes that make a bridge carry the wanted flows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revision {
    /// What `ovs-ofctl --bundle add-flows` reads; empty when there is nothing to do.
    pub bundle: String,
    pub removed: usize,
    pub added: usize,
}

impl Revision {
    /// Judges the difference between the bridge (`-`) and the plan (`+`).
    pub fn of(difference: &str) -> Self {
        let mut revision = Self::default();
        let (mut removals, mut additions) = (String::new(), String::new());
        for line in difference.lines() {
            if let Some(flow) = line.strip_prefix('-').and_then(PrintedFlow::parse) {
                if flow.cookie == COOKIE {
                    // Writing to a text never fails.
                    let _ = writeln!(removals, "delete_strict {},{}", flow.table, flow.condition);
                    revision.removed += 1;
                }
            } else if let Some(flow) = line.strip_prefix('+') {
                let _ = writeln!(additions, "add {}", flow.trim());
                revision.added += 1;
            }
        }
        revision.bundle = removals + &additions;
        revision
    }

    pub fn is_empty(&self) -> bool {
        self.bundle.is_empty()
    }
}

/// A flow of the bridge as the tool prints it.
#[derive(Debug)]
struct PrintedFlow<'a> {
    table: &'a str,
    /// Priority and matches.
    condition: &'a str,
    cookie: u64,
}

impl<'a> PrintedFlow<'a> {
    /// Reads `[table=N ]priority=P,… [cookie=C ][…_timeout=T ]actions=…`.
    fn parse(line: &'a str) -> Option<Self> {
        let (head, _) = line.split_once("actions=")?;
        let mut words = head.split_whitespace().peekable();
        let table = words.next_if(|word| word.starts_with("table=")).unwrap_or("table=0");
        let condition = words.next()?;
        let cookie = words.find_map(|word| word.strip_prefix("cookie=0x"));
        let cookie = cookie.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        Some(Self { table, condition, cookie: cookie.unwrap_or_default() })
    }
}

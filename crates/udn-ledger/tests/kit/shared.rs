//! The shared cases, if they are there.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "these tests read the shared cases, and say when they are absent"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The cases whose id begins so, or nothing where the shared cases are absent.
pub(crate) fn cases(folder: &str, prefix: &str) -> Vec<(String, Value)> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases");
    let root = env::var_os("UDN_CASES").map_or(beside, PathBuf::from);
    let Ok(entries) = fs::read_dir(root.join(folder)) else {
        println!("skipped: the shared cases are absent; set UDN_CASES to their folder");
        return Vec::new();
    };
    let mut cases = Vec::new();
    for entry in entries {
        let path = entry.expect("readable").path();
        let case: Value =
            serde_json::from_slice(&fs::read(path).expect("readable")).expect("a case is JSON");
        let id = case["id"].as_str().expect("a case has an id").to_owned();
        if id.starts_with(prefix) {
            cases.push((id, case));
        }
    }
    assert!(!cases.is_empty(), "there is no case {prefix}*");
    cases
}

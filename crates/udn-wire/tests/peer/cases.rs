//! The shared cases, and the pages that say which are left out; also for tests of other crates.

#![allow(dead_code, reason = "each test that uses the cases reads another part of them")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the shared cases are files, and well formed"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

/// One case.
pub(crate) struct Case {
    pub(crate) id: String,
    whole: Value,
}

impl Case {
    /// What stands at a path such as `/input/namespace`.
    pub(crate) fn at(&self, path: &str) -> &Value {
        self.whole.pointer(path).unwrap_or(&Value::Null)
    }

    pub(crate) fn text(&self, path: &str) -> &str {
        self.at(path).as_str().unwrap_or("")
    }

    pub(crate) fn is(&self, path: &str) -> bool {
        self.at(path).as_bool().unwrap_or(false)
    }

    /// The texts of a list.
    pub(crate) fn texts(&self, path: &str) -> Vec<String> {
        texts(self.at(path))
    }

    /// Compares whether it worked with whether it should have.
    pub(crate) fn agree<T>(&self, outcome: Result<T, String>) -> Result<Option<T>, String> {
        match (outcome, self.text("/expect")) {
            (Ok(thing), "ok") => Ok(Some(thing)),
            (Err(_), "error") => Ok(None),
            (Ok(_), want) => Err(format!("worked, but the case says {want}")),
            (Err(why), want) => Err(format!("failed ({why}), but the case says {want}")),
        }
    }
}

/// The texts of a list; none where there is no list.
pub(crate) fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// The cases of a folder; `None` where the shared folder is absent.
pub(crate) fn all(folder: &str) -> Option<Vec<Case>> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases");
    let root = std::env::var_os("UDN_CASES").map_or(beside, PathBuf::from);
    let files = std::fs::read_dir(root.join(folder)).ok()?;
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let cases = paths.into_iter().map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        let whole: Value = serde_json::from_str(&text).unwrap();
        Case { id: whole["id"].as_str().unwrap().to_owned(), whole }
    });
    Some(cases.collect())
}

/// The cases that a page of `docs/compat` leaves out, with the reasons.
pub(crate) fn left_out(page: &str) -> BTreeMap<String, String> {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/compat").join(page);
    let text = std::fs::read_to_string(page).expect("the page exists");
    let row = |line: &str| {
        let cells = line.strip_prefix("| `")?;
        let (id, rest) = cells.split_once("` |")?;
        Some((id.to_owned(), rest.trim_end_matches('|').trim().to_owned()))
    };
    let mut rows = BTreeMap::new();
    for (id, reason) in text.lines().filter_map(row) {
        assert!(!reason.is_empty(), "{id} has no reason");
        assert_eq!(rows.insert(id.clone(), reason), None, "{id} is named twice");
    }
    rows
}

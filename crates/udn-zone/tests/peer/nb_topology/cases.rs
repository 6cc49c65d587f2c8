//! The shared cases on disk, and the page that says which of them hold here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One case.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) body: Value,
}

/// What the page says of one case.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// The steps that are equal here.
    pub(crate) equal: BTreeSet<String>,
    /// The steps that are not looked at, or differ.
    pub(crate) left_out: BTreeSet<String>,
}

/// All cases of the folder, or `None` where it is absent.
pub(crate) fn all() -> Option<Vec<Case>> {
    let folder = folder().join("nb-topology");
    let files = std::fs::read_dir(&folder).ok()?;
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    Some(paths.iter().map(|path| read(path)).collect())
}

/// The verdicts of `docs/compat/nb-topology.md`, by case.
pub(crate) fn verdicts() -> BTreeMap<String, Verdict> {
    let page = here().join("../../docs/compat/nb-topology.md");
    let text = std::fs::read_to_string(page).unwrap();
    let mut verdicts: BTreeMap<String, Verdict> = BTreeMap::new();
    let (equal, left_out) = text.split_once("## Left out").expect("the page has both sections");
    for (case, steps) in rows(equal) {
        verdicts.entry(case).or_default().equal.extend(steps);
    }
    for (case, steps) in rows(left_out) {
        verdicts.entry(case).or_default().left_out.extend(steps);
    }
    verdicts
}

/// The cases of a table, each with its steps.
fn rows(section: &str) -> impl Iterator<Item = (String, Vec<String>)> {
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let mut cells = row.split('|');
        let case = cells.next().unwrap().trim().trim_matches('`').to_owned();
        let steps = cells.next().expect("a row has steps").split(',');
        (case, steps.map(|step| step.trim().to_owned()).collect())
    })
}

impl Case {
    /// The steps in order, each with what must stand after it.
    pub(crate) fn steps(&self) -> Vec<(String, &Value)> {
        let listed = self.body["steps"].as_array().into_iter().flatten();
        let listed = listed.map(|step| (text(&step["step"]), &step["nb"]));
        let asserted = self.body["assertions"].as_array().into_iter().flatten();
        let asserted = asserted.enumerate().map(|(at, it)| (format!("{}", at + 1), &it["rows"]));
        let single = ["expected_nb", "expected_nb_subset"].into_iter();
        let single = single.filter_map(|key| Some(("end".to_owned(), self.body.get(key)?)));
        listed.chain(asserted).chain(single).collect()
    }

    /// Whether only some rows are told.
    pub(crate) fn is_subset(&self) -> bool {
        self.body.get("expected_nb_subset").is_some()
    }

    pub(crate) fn input(&self, key: &str) -> &Value {
        &self.body["input"][key]
    }
}

fn folder() -> PathBuf {
    let chosen = std::env::var_os("UDN_CASES").map(PathBuf::from);
    chosen.unwrap_or_else(|| here().join("../../../shared/cases"))
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> Case {
    let body: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    Case { id: text(&body["id"]), body }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

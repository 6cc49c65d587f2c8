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
    /// The steps that are equal but for some rows, each by words that it holds.
    pub(crate) nearly: BTreeMap<String, BTreeSet<String>>,
    /// The steps that are not looked at, or differ.
    pub(crate) left_out: BTreeSet<String>,
}

impl Verdict {
    /// Every step that the page names, as often as it does.
    pub(crate) fn steps(&self) -> Vec<String> {
        let named = self.equal.iter().chain(self.nearly.keys()).chain(&self.left_out);
        named.cloned().collect()
    }
}

/// All cases of a folder, or `None` where it is absent.
pub(crate) fn all(name: &str) -> Option<Vec<Case>> {
    let folder = folder().join(name);
    let files = std::fs::read_dir(&folder).ok()?;
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    Some(paths.iter().map(|path| read(path)).collect())
}

/// The verdicts of the page of a folder, by case.
pub(crate) fn verdicts(name: &str) -> BTreeMap<String, Verdict> {
    let page = here().join(format!("../../docs/compat/{name}.md"));
    let text = std::fs::read_to_string(page).unwrap();
    let mut verdicts: BTreeMap<String, Verdict> = BTreeMap::new();
    let mut section = "";
    for line in text.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let Some(Row { case, steps, third }) = Row::of(line) else { continue };
        let verdict = verdicts.entry(case).or_default();
        match section {
            "Equal" => verdict.equal.extend(steps),
            "Equal but for some rows" => {
                let rows: BTreeSet<String> =
                    third.split(';').map(|it| it.trim().to_owned()).collect();
                verdict.nearly.extend(steps.into_iter().map(|step| (step, rows.clone())));
            }
            "Left out" => verdict.left_out.extend(steps),
            other => panic!("a case in section {other} of the page"),
        }
    }
    verdicts
}

/// A row of one of the page's tables.
struct Row {
    case: String,
    steps: Vec<String>,
    third: String,
}

impl Row {
    fn of(line: &str) -> Option<Self> {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let case = cells.next()?.trim().trim_matches('`').to_owned();
        let steps = cells.next().expect("a row has steps").split(',');
        let steps = steps.map(|step| step.trim().to_owned()).collect();
        let third = cells.next().unwrap_or_default().trim_matches('`').to_owned();
        Some(Self { case, steps, third })
    }
}

impl Case {
    /// The steps in order, each with what must stand after it.
    pub(crate) fn steps(&self) -> Vec<(String, &Value)> {
        let listed = self.listed().map(|step| (text(&step["step"]), &step["nb"]));
        let asserted = self.body["assertions"].as_array().into_iter().flatten();
        let asserted = asserted.enumerate().map(|(at, it)| (format!("{}", at + 1), &it["rows"]));
        let single = ["expected_nb", "expected_nb_subset"].into_iter();
        let single = single.filter_map(|key| Some(("end".to_owned(), self.body.get(key)?)));
        listed.chain(asserted).chain(single).collect()
    }

    /// A step with all that is told of it, if the case lists its steps.
    pub(crate) fn step(&self, name: &str) -> Option<&Value> {
        self.listed().find(|step| step["step"] == name)
    }

    fn listed(&self) -> impl Iterator<Item = &Value> {
        self.body["steps"].as_array().into_iter().flatten()
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

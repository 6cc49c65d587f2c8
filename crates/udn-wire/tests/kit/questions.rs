//! The table of expected verdicts: what a server must say to which request.
//!
//! Reads `tests/verdicts/*.yaml` (its README tells the form); returns one [`Question`] for each case
//! and kind. Invariant: every answer was written by a person; nothing here asks a judge for it.

#![allow(clippy::disallowed_methods, reason = "the table is read from files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::edit;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verdicts");

/// Objects to begin with, in the same folder.
const BASES: &str = "bases";

/// One request with the answer that it must get.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// File, case and kind, for people.
    pub(crate) title: String,
    /// The object before the request; none for a create.
    pub(crate) standing: Option<Value>,
    pub(crate) verb: Verb,
    pub(crate) object: Value,
    pub(crate) answer: Answer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Create,
    Update,
    UpdateStatus,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Base {
    kinds: Vec<String>,
    /// Fields beside `kind` and `metadata`.
    #[serde(default)]
    object: BTreeMap<String, Value>,
    /// What stands at `spec` of a UDN and at `spec.network` of a CUDN.
    #[serde(default)]
    network: Option<Value>,
    /// What a status request sends.
    #[serde(default)]
    status: Option<Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    case: String,
    base: String,
    /// Instead of the base's kinds.
    #[serde(default)]
    kinds: Option<Vec<String>>,
    #[serde(default)]
    with: BTreeMap<String, Value>,
    #[serde(default)]
    change: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    status: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    answer: Option<String>,
    #[serde(default)]
    refused: Option<Vec<String>>,
    #[serde(default)]
    undecodable: Option<String>,
}

/// The names of the files with cases, in order.
pub(crate) fn files() -> Vec<String> {
    let entries = fs::read_dir(FOLDER).expect("the table is there");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let yaml = paths.filter(|path| path.extension().is_some_and(|it| it == "yaml"));
    let stem = |path: PathBuf| path.file_stem().and_then(|it| it.to_str()).map(str::to_owned);
    let mut names: Vec<String> = yaml.filter_map(stem).filter(|name| name != BASES).collect();
    names.sort();
    names
}

/// The questions of one file.
pub(crate) fn questions(file: &str) -> Vec<Question> {
    let bases: BTreeMap<String, Base> = read(BASES);
    let cases: Vec<Case> = read(file);
    let mut questions: Vec<Question> = Vec::new();
    for case in &cases {
        let base = bases.get(&case.base).unwrap_or_else(|| panic!("{file}: no {}", case.base));
        for kind in case.kinds.as_ref().unwrap_or(&base.kinds) {
            let name = format!("{}-{}", file.to_lowercase(), questions.len());
            questions.push(question(file, case, base, (kind, &name)));
        }
    }
    questions
}

fn read<T: for<'a> Deserialize<'a>>(file: &str) -> T {
    let path = Path::new(FOLDER).join(format!("{file}.yaml"));
    let text = fs::read_to_string(&path).expect("the file can be read");
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn question(file: &str, case: &Case, base: &Base, (kind, name): (&str, &str)) -> Question {
    let title = format!("{file}: {} ({kind})", case.case);
    let network = if kind == "ClusterUserDefinedNetwork" { "spec.network" } else { "spec" };
    let make = |object: &mut Value, edits: &BTreeMap<String, Value>| {
        for (path, value) in edits {
            edit::make(object, network, path, value).unwrap_or_else(|it| panic!("{title}: {it}"));
        }
    };
    let mut object = whole(base, kind, name);
    make(&mut object, &case.with);
    let before = object.clone();
    let (verb, standing) = match (&case.change, &case.status) {
        (None, None) => (Verb::Create, None),
        (Some(change), None) => {
            make(&mut object, change);
            (Verb::Update, Some(before))
        }
        (None, Some(status)) => {
            object["status"] = base.status.clone().expect("the base has a status");
            make(&mut object, status);
            (Verb::UpdateStatus, Some(before))
        }
        (Some(_), Some(_)) => panic!("{title}: either change or status"),
    };
    let answer = answer(case, network).unwrap_or_else(|| panic!("{title}: one answer is needed"));
    Question { title, standing, verb, object, answer }
}

fn answer(case: &Case, network: &str) -> Option<Answer> {
    match (case.answer.as_deref(), &case.refused, &case.undecodable) {
        (Some("accepted"), None, None) => Some(Answer::Accepted),
        (None, Some(lines), None) if !lines.is_empty() => Some(Answer::refused(lines, network)),
        (None, None, Some(why)) => Some(Answer::Undecodable(why.clone())),
        _ => None,
    }
}

/// The base as an object of the kind.
fn whole(base: &Base, kind: &str, name: &str) -> Value {
    let mut object = json!({ "kind": kind, "metadata": { "name": name } });
    let (api_version, is_namespaced) = match kind {
        "UserDefinedNetwork" => ("k8s.ovn.org/v1", true),
        "ClusterUserDefinedNetwork" => ("k8s.ovn.org/v1", false),
        "NodeNetworkReport" => ("k8s.ovn.org/v1alpha1", false),
        "IPAMClaim" => ("k8s.cni.cncf.io/v1alpha1", true),
        "NetworkAttachmentDefinition" => ("k8s.cni.cncf.io/v1", true),
        other => panic!("the kind {other} is unknown"),
    };
    object["apiVersion"] = api_version.into();
    if is_namespaced {
        object["metadata"]["namespace"] = "ns".into();
    }
    for (field, value) in &base.object {
        object[field] = value.clone();
    }
    match (&base.network, kind) {
        (None, _) => {}
        (Some(network), "ClusterUserDefinedNetwork") => {
            if object["spec"].is_null() {
                object["spec"] = json!({ "namespaceSelector": { "matchLabels": { "team": "a" } } });
            }
            object["spec"]["network"] = network.clone();
        }
        (Some(network), _) => object["spec"] = network.clone(),
    }
    object
}

//! Writes `docs/api.md`: every field, bound and rule of our CRDs.
//!
//! Reads `deploy/crds`; returns one file.
//! Invariant: nothing is said about a field that its schema does not say.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use super::GeneratedFile;
use crate::workspace::Workspace;

mod bounds;
mod page;
#[cfg(test)]
mod tests;

use page::Page;

const FOLDER: &str = "deploy/crds";
const INTRODUCTION: &str = "# API reference

<!-- Generated from deploy/crds by `cargo xtask gen`. Change the descriptions there. -->

Every kind of object that a user meets, with each field, its bounds and its rules. `udn validate -f FILE` checks
a manifest against all of them without a cluster; `udn crds | kubectl apply --server-side -f -` installs them.
";

pub(super) fn write(workspace: &Workspace) -> Result<Vec<GeneratedFile>> {
    let folder = workspace.root.join(FOLDER);
    let mut manifests = BTreeMap::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("reading {FOLDER}"))? {
        let path = entry?.path();
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let manifest: Value =
            serde_saphyr::from_str(&text).with_context(|| path.display().to_string())?;
        manifests.insert(order(&manifest), manifest);
    }
    let text = reference(manifests.values());
    Ok(vec![GeneratedFile { path: "docs/api.md".to_owned(), text }])
}

/// What users write comes first, what programs write last.
fn order(manifest: &Value) -> (usize, String) {
    let kind = text(&manifest["spec"]["names"]["kind"]).to_owned();
    let known = ["UserDefinedNetwork", "ClusterUserDefinedNetwork", "IPAMClaim"];
    (known.iter().position(|it| *it == kind).unwrap_or(known.len()), kind)
}

/// The whole page.
fn reference<'a>(manifests: impl IntoIterator<Item = &'a Value>) -> String {
    let manifests: Vec<&Value> = manifests.into_iter().collect();
    let mut page = Page::new(INTRODUCTION);
    for manifest in &manifests {
        page.link_kind(manifest);
    }
    for manifest in manifests {
        page.add_kind(manifest);
    }
    page.into_text()
}

/// A text of a manifest; empty if there is none.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

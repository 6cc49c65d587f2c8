//! Writes `deploy/manifests`, and what of the chart is not written by hand.
//!
//! Reads `deploy/chart/udn` (schema of the values, templates of our programs) and `deploy/{crds,policies,rbac}`;
//! returns the chart's other files and the manifests, which are what Helm makes of the chart's defaults.
//! Invariant: an object is written by hand in one place only.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use super::GeneratedFile;
use crate::workspace::Workspace;

mod template;
#[cfg(test)]
mod tests;
mod values;

const CHART: &str = "deploy/chart/udn";
const MANIFESTS: &str = "deploy/manifests";
/// Makes the namespace; Helm makes it itself.
const NAMESPACE: &str = "agents.yaml";

/// The order in which `kubectl apply -f` of the folder meets them: by name.
const NAMESPACE_PLACE: &str = "00";
const CRDS_PLACE: &str = "01";
const POLICIES_PLACE: &str = "02";
const ROLES_PLACE: &str = "03";

pub(super) fn write(workspace: &Workspace) -> Result<Vec<GeneratedFile>> {
    let schema = workspace.read(&format!("{CHART}/values.schema.json"))?;
    let schema: Value = serde_json::from_str(&schema).context("reading the values' schema")?;
    let options = values::options(&schema).context("reading the values' schema")?;
    let mut files = vec![
        file(format!("{CHART}/values.yaml"), values::page(&options)),
        file(format!("{CHART}/README.md"), values::readme(&options)),
    ];
    for (name, text) in folder(workspace, "deploy/crds")? {
        files.push(file(format!("{CHART}/crds/{name}"), text.clone()));
        files.push(file(format!("{MANIFESTS}/{CRDS_PLACE}-{name}"), text));
    }
    for (source, place) in [("policies", POLICIES_PLACE), ("rbac", ROLES_PLACE)] {
        for (name, text) in folder(workspace, &format!("deploy/{source}"))? {
            let (place, guarded) = match name.as_str() {
                NAMESPACE => (NAMESPACE_PLACE, guarded(&text)),
                _ => (place, text.clone()),
            };
            files.push(file(format!("{CHART}/templates/{place}-{source}-{name}"), guarded));
            files.push(file(format!("{MANIFESTS}/{place}-{source}-{name}"), text));
        }
    }
    for (name, text) in own_templates(workspace)? {
        let manifest = template::render(&text, &options);
        let manifest = manifest.with_context(|| format!("{CHART}/templates/{name}"))?;
        files.push(file(format!("{MANIFESTS}/{name}"), manifest));
    }
    Ok(files)
}

fn file(path: String, text: String) -> GeneratedFile {
    GeneratedFile { path, text }
}

/// The same, only where the namespace is asked of the chart.
fn guarded(text: &str) -> String {
    format!("{{{{- if .Values.namespace.create }}}}\n{}\n{{{{- end }}}}\n", text.trim_end())
}

/// The templates that are written by hand: the places of the others are lower.
fn own_templates(workspace: &Workspace) -> Result<Vec<(String, String)>> {
    let mut templates = folder(workspace, &format!("{CHART}/templates"))?;
    templates.retain(|(name, _)| !name.starts_with('0'));
    Ok(templates)
}

/// The YAML files of a folder, by name.
fn folder(workspace: &Workspace, path: &str) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(workspace.root.join(path)).with_context(|| path.to_owned())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".yaml") {
            let text = workspace.read(&format!("{path}/{name}"))?;
            files.push((name, text));
        }
    }
    files.sort();
    Ok(files)
}

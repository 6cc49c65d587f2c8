//! `udn explain`: prints any value between two stages.
//!
//! Invariant: nothing is written anywhere but to standard output.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use ovn::{Plan, SimulatedDatabase};
use serde::Serialize;
use serde_json::{Value, json};
use udn_blueprint::owners;
use udn_cluster::dry_run::{DryRun, Scope, dry_run};
use udn_cluster::{Reading, World, Write};
use udn_control::zone::ZoneDryRun;
use udn_model::{ClusterSettings, NodeName};

use crate::args::{ExplainRequest, Output, Stage};
use crate::output;
use crate::validate::{Unusable, gather};

mod text;

/// Runs `udn explain`.
pub(crate) fn run(request: &ExplainRequest) -> Result<ExitCode> {
    let settings = ClusterSettings::default();
    let Reading { mut world, problems, skipped } = read(&request.manifests)?;
    for problem in &problems {
        output::complain(format_args!("error: {problem}"));
    }
    for skipped in &skipped {
        output::complain(format_args!("note: {skipped}"));
    }
    for assumption in udn_sandbox::assume_nodes(&mut world) {
        output::complain(format_args!("note: {assumption}"));
    }
    let cluster = dry_run(world, &settings, Scope::Manifests);
    let shown = match request.stage {
        Stage::Intent => show_intent(request, &cluster)?,
        Stage::Grants => show_grants(request, &cluster)?,
        Stage::Sheet | Stage::Plan => show_zones(request, &cluster, &settings)?,
    };
    output::print(shown)?;
    let is_whole = problems.is_empty();
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The manifests of a file or a folder.
fn read(path: &Path) -> Result<Reading> {
    let mut texts = Vec::new();
    let unusable = |it: Unusable| anyhow!("{}: {}", it.file, it.message);
    for source in gather(&[path.to_owned()]).map_err(unusable)? {
        texts.push((source.name(), source.read().map_err(unusable)?));
    }
    Ok(World::read(texts.iter().map(|(name, text)| (name.as_str(), text.as_bytes()))))
}

fn show_intent(request: &ExplainRequest, cluster: &DryRun) -> Result<String> {
    match request.output {
        Output::Text => {
            Ok(text::intent(&cluster.intent.value) + &text::findings(&cluster.findings))
        }
        Output::Json => pretty(&json!({
            "intent": cluster.intent.value,
            "findings": cluster.findings,
        })),
    }
}

fn show_grants(request: &ExplainRequest, cluster: &DryRun) -> Result<String> {
    match request.output {
        Output::Text => {
            let written: Vec<String> = cluster.writes.iter().map(Write::to_yaml).collect();
            let grants = text::grants(&cluster.grants);
            let written = written.join("---\n");
            let findings = text::findings(&cluster.findings);
            Ok(format!("{grants}\n# what would be written\n{written}{findings}"))
        }
        Output::Json => pretty(&json!({
            "grants": cluster.grants,
            "written": cluster.writes,
            "findings": cluster.findings,
        })),
    }
}

fn show_zones(
    request: &ExplainRequest,
    cluster: &DryRun,
    settings: &ClusterSettings,
) -> Result<String> {
    let nodes = chosen_nodes(request, cluster)?;
    let mut texts = String::new();
    let mut values = serde_json::Map::new();
    for node in nodes {
        let zone = ZoneDryRun::new(&cluster.world, &node, settings);
        let findings = [cluster.findings.clone(), zone.findings()].concat();
        let (shown, value) = match request.stage {
            Stage::Plan => show_plan(&zone)?,
            Stage::Sheet | Stage::Intent | Stage::Grants => show_sheets(&zone)?,
        };
        texts.push_str(&format!("# {node}\n{shown}{}", text::findings(&findings)));
        values.insert(node.to_string(), json!({ "rows": value, "findings": findings }));
    }
    match request.output {
        Output::Text => Ok(texts),
        Output::Json => pretty(&Value::Object(values)),
    }
}

fn chosen_nodes(request: &ExplainRequest, cluster: &DryRun) -> Result<Vec<NodeName>> {
    let all = &cluster.intent.value.nodes;
    let Some(wanted) = &request.node else { return Ok(all.keys().cloned().collect()) };
    let wanted = NodeName::new(wanted);
    if !all.contains_key(&wanted) {
        let known: Vec<&str> = all.keys().map(NodeName::as_str).collect();
        bail!("there is no node {wanted}; the manifests have {}", known.join(", "));
    }
    Ok(vec![wanted])
}

fn show_sheets(zone: &ZoneDryRun) -> Result<(String, Value)> {
    let sheets: Vec<_> = zone.sheets().iter().flat_map(|(_, sheets)| sheets).collect();
    let southbound = zone.southbound();
    let shown: Vec<String> =
        sheets.iter().copied().chain([&southbound]).map(ToString::to_string).collect();
    Ok((shown.concat(), json!({ "northbound": sheets, "southbound": southbound })))
}

fn show_plan(zone: &ZoneDryRun) -> Result<(String, Value)> {
    let mut standing = SimulatedDatabase::new(owners::northbound(zone.node()));
    let mut plans: Vec<Plan> = Vec::new();
    for (_, sheets) in zone.sheets() {
        let plan = standing.plan(sheets).context("the drawn rows cannot be compared")?;
        standing.apply(&plan).map_err(|fault| anyhow::anyhow!("OVN would refuse: {fault}"))?;
        plans.push(plan);
    }
    let shown: Vec<String> = plans.iter().map(ToString::to_string).collect();
    Ok((shown.concat(), json!(plans)))
}

fn pretty(value: &impl Serialize) -> Result<String> {
    let mut text = serde_json::to_string_pretty(value).context("the value cannot be shown")?;
    text.push('\n');
    Ok(text)
}

//! `udn explain`: prints any value between two stages, of manifests or of a cluster.
//!
//! Invariant: nothing is written anywhere but to standard output.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::json;
use udn_cluster::Write;
use udn_cluster::dry_run::DryRun;

use crate::args::{ExplainRequest, Output, Stage};
use crate::output;

mod source;
mod text;
mod zones;

use source::Source;

/// Runs `udn explain`.
pub(crate) fn run(request: &ExplainRequest) -> Result<ExitCode> {
    if request.northbound.is_some() && request.stage != Stage::Plan {
        bail!("a database is compared with in the last stage only; add --stage plan");
    }
    let source = Source::read(request)?;
    let shown = match request.stage {
        Stage::Intent => show_intent(request, &source.cluster)?,
        Stage::Grants => show_grants(request, &source.cluster)?,
        Stage::Sheet | Stage::Plan => zones::show(request, &source)?,
    };
    output::print(shown)?;
    Ok(if source.is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

fn pretty(value: &impl Serialize) -> Result<String> {
    let mut text = serde_json::to_string_pretty(value).context("the value cannot be shown")?;
    text.push('\n');
    Ok(text)
}

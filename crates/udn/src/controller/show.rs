//! Prints what the controller would write: `--dry-run`.
//!
//! Invariant: what is printed can be read by a YAML parser, and each document says what it is for.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;
use udn_cluster::dry_run::DryRun;
use udn_cluster::{Act, Event, EventType};

use crate::args::Output;
use crate::output;

#[cfg(test)]
mod tests;

/// Prints a dry run.
pub(super) fn show(run: &DryRun, output: Output) -> Result<ExitCode> {
    let text = match output {
        Output::Text => text(run),
        Output::Json => json(run)?,
    };
    output::print(text)?;
    Ok(ExitCode::SUCCESS)
}

fn json(run: &DryRun) -> Result<String> {
    let DryRun { writes, events, .. } = run;
    let value = json!({ "writes": writes, "events": events });
    let text = serde_json::to_string_pretty(&value).context("the writes cannot be shown")?;
    Ok(text + "\n")
}

fn text(run: &DryRun) -> String {
    let DryRun { writes, events, .. } = run;
    let mut text: String = writes.iter().map(|it| format!("---\n{}", it.to_yaml())).collect();
    for event in events {
        let _ = writeln!(text, "# {}", told(event));
    }
    text + &summary(run)
}

fn told(event: &Event) -> String {
    let kind = match event.kind {
        EventType::Normal => "note",
        EventType::Warning => "warning",
    };
    let message = event.message.replace('\n', " ");
    format!("{kind} {} about {}: {message}", event.reason, event.about)
}

fn summary(run: &DryRun) -> String {
    let DryRun { writes, events, .. } = run;
    if writes.is_empty() && events.is_empty() {
        return "# nothing to do: everything is as it should be\n".to_owned();
    }
    let count = |is: fn(&Act) -> bool| writes.iter().filter(|write| is(&write.act)).count();
    format!(
        "# {} writes: {} creations, {} replacements, {} patches, {} statuses, {} deletions; \
         {} events; nothing was written\n",
        writes.len(),
        count(|act| matches!(act, Act::Create(_))),
        count(|act| matches!(act, Act::Replace(_))),
        count(|act| matches!(act, Act::Patch(_) | Act::TestedPatch(_))),
        count(|act| matches!(act, Act::ApplyStatus(_) | Act::PatchStatus(_))),
        count(|act| matches!(act, Act::Delete { .. })),
        events.len(),
    )
}

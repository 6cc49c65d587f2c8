//! Prints what the controller would write: `--dry-run`.
//!
//! Invariant: what is printed can be read by a YAML parser, and each document says what it is for.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use udn_cluster::controller::{Act, Event, EventType, Write};
use udn_control::cluster::server::Rehearsal;
use udn_wire::Target;

use crate::args::Output;

#[cfg(test)]
mod tests;

/// Prints a rehearsal.
pub(super) fn show(rehearsal: &Rehearsal, output: Output) -> Result<ExitCode> {
    let text = match output {
        Output::Text => text(rehearsal),
        Output::Json => json(rehearsal)?,
    };
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        outcome => outcome.context("cannot print the writes").map(|()| ExitCode::SUCCESS),
    }
}

fn json(rehearsal: &Rehearsal) -> Result<String> {
    let Rehearsal { writes, events } = rehearsal;
    let value = json!({ "writes": writes, "events": events });
    let text = serde_json::to_string_pretty(&value).context("the writes cannot be shown")?;
    Ok(text + "\n")
}

fn text(rehearsal: &Rehearsal) -> String {
    let Rehearsal { writes, events } = rehearsal;
    let mut text: String = writes.iter().map(document).collect();
    for event in events {
        let _ = writeln!(text, "# {}", told(event));
    }
    text + &summary(rehearsal)
}

fn document(write: &Write) -> String {
    let (verb, body) = match &write.act {
        Act::Create(object) => ("create", Some(object)),
        Act::Replace(object) => ("replace", Some(object)),
        Act::Patch(patch) => ("patch", Some(patch)),
        Act::ApplyStatus(status) => ("apply status of", Some(status)),
        Act::PatchStatus(patch) => ("patch status of", Some(patch)),
        Act::TestedPatch(patch) => ("patch with tests", Some(patch)),
        Act::Delete { .. } => ("delete", None),
    };
    let body = body.map(yaml).unwrap_or_default();
    format!("---\n# {verb} {}\n{body}", named(&write.target))
}

fn yaml(value: &Value) -> String {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let text = serde_saphyr::to_string_with_options(value, options);
    let text = text.expect("a JSON value can be written as YAML");
    format!("{}\n", text.trim_end())
}

fn named(target: &Target) -> String {
    let Target { kind, namespace, name } = target;
    match namespace.is_empty() {
        true => format!("{} {name}", kind.as_str()),
        false => format!("{} {namespace}/{name}", kind.as_str()),
    }
}

fn told(event: &Event) -> String {
    let kind = match event.kind {
        EventType::Normal => "note",
        EventType::Warning => "warning",
    };
    let message = event.message.replace('\n', " ");
    format!("{kind} {} about {}: {message}", event.reason, named(&event.about))
}

fn summary(rehearsal: &Rehearsal) -> String {
    let Rehearsal { writes, events } = rehearsal;
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

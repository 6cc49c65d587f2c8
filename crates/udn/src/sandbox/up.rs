//! `udn sandbox up`: start, apply, show, and stay.
//!
//! Invariant: the sandbox is gone when the function returns, whatever happened in between.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use udn_model::ClusterSettings;
use udn_sandbox::remote::{Answer, Caller, Listener, Request};
use udn_sandbox::{Applied, Matrix, Probe, Sandbox, SandboxSettings, drawing};

use super::ended::Ended;
use super::prepare::{PARTS, prepare};
use super::progress::{Quiet, Stages};
use super::{absolute, example, folder, kubernetes, own_name};
use crate::args::UpRequest;
use crate::output;

/// Runs `udn sandbox up`.
pub(super) fn run(request: &UpRequest) -> Result<ExitCode> {
    if request.kubernetes.is_wanted {
        return kubernetes::run(request);
    }
    prepare(PARTS)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(stay(request))
}

async fn stay(request: &UpRequest) -> Result<ExitCode> {
    let mut ended = Ended::watch()?;
    let settings = SandboxSettings::new(folder(), ClusterSettings::default());
    let stages = Stages::new();
    let mut sandbox = Sandbox::open(settings).await?;
    let shown = tokio::select! {
        shown = show(&mut sandbox, request, stages) => shown?,
        () = ended.wait() => return Ok(ExitCode::from(130)),
    };
    let code = if shown { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if request.once {
        return Ok(code);
    }
    let listener = Listener::open(&folder())?;
    output::print_line("\nCtrl-C ends it and removes everything.")?;
    loop {
        tokio::select! {
            () = ended.wait() => break,
            caller = listener.next() => serve(&mut sandbox, caller?).await?,
            () = sandbox.changed() => follow(&mut sandbox).await?,
        }
    }
    output::print_line("\nremoving everything …")?;
    Ok(code)
}

/// Applies the manifests and prints everything there is to see; tells whether all is well.
async fn show(sandbox: &mut Sandbox, request: &UpRequest, mut stages: Stages) -> Result<bool> {
    let manifests = match &request.manifests {
        Some(manifests) => absolute(manifests)?,
        None => example::FIRST_LIGHT.write(&folder()).context("could not write the example")?,
    };
    output::print_line(format_args!("applying {}", manifests.display()))?;
    let applied = sandbox.apply(&manifests, &mut stages).await?;
    output::print(told(&applied))?;
    let drawing = drawing::draw(&applied.intent, &applied.grants, &sandbox.hosts());
    output::print_line(format_args!("\n{drawing}"))?;
    let matrix = sandbox.probe(&applied, &mut stages).await?;
    output::print_line(format_args!("\n{matrix}"))?;
    output::print_line(sum_up_pings(&matrix))?;
    output::print_line(summary(sandbox, &applied, &stages))?;
    if !request.once {
        output::print_line(suggestions(sandbox, &applied, &manifests))?;
    }
    Ok(matrix.is_green() && applied.problems.is_empty())
}

fn told(applied: &Applied) -> String {
    let problems = applied.problems.iter().map(|problem| format!("  ! {problem}\n"));
    let findings = applied.findings.iter().map(|finding| format!("  ! {finding}\n"));
    let warnings = applied.warnings.iter().map(|warning| format!("  ! {warning}\n"));
    problems.chain(findings).chain(warnings).collect()
}

pub(super) fn sum_up_pings(matrix: &Matrix) -> String {
    if matrix.cells.is_empty() {
        return "no pod is attached to a network, so there is nothing to ping".to_owned();
    }
    let wrong = matrix.failures().count();
    match wrong {
        0 => format!("all {} pings are as they must be", matrix.cells.len()),
        wrong => {
            let mut text = format!("{wrong} of {} pings are wrong:", matrix.cells.len());
            for (probe, _) in matrix.failures().take(20) {
                let Probe { from, address, expectation, .. } = probe;
                let _ = write!(text, "\n  {} → {address}: expected {expectation}", from.pod);
            }
            text
        }
    }
}

fn summary(sandbox: &Sandbox, applied: &Applied, stages: &Stages) -> String {
    let memory: Vec<String> = sandbox
        .memory()
        .iter()
        .map(|(node, kibibytes)| format!("{node} {} MiB", kibibytes / 1024))
        .collect();
    format!(
        "{:.1} s from set-up to here; {} rows written; memory: {}",
        stages.total().as_secs_f32(),
        applied.receipt.inserted + applied.receipt.updated,
        memory.join(", ")
    )
}

fn suggestions(sandbox: &Sandbox, applied: &Applied, manifests: &Path) -> String {
    let attachments = applied.intent.attachments.values().flat_map(|of| of.keys());
    let mut pods = attachments.map(|key| key.pod.name.to_string());
    let pod = pods.next().unwrap_or_default();
    let other = pods.next().unwrap_or_else(|| pod.clone());
    let node = applied.intent.nodes.keys().next().map(ToString::to_string).unwrap_or_default();
    let (manifests, kubeconfig) = (manifests.display(), sandbox.kubeconfig().display());
    let udn = own_name();
    format!(
        "\nThings to try from another terminal:\n  \
         {udn} sandbox exec {pod} -- ip route\n  \
         {udn} sandbox ping {pod} {other}\n  \
         kubectl --kubeconfig {kubeconfig} get cudn,net-attach-def,pods -A\n  \
         {udn} explain -f {manifests} --node {node}\n  \
         cp -r {manifests} /tmp/mine; edit it; {udn} sandbox apply -f /tmp/mine"
    )
}

/// Serves one request from another terminal.
async fn serve(sandbox: &mut Sandbox, mut caller: Caller) -> Result<()> {
    let Request::Apply(manifests) = caller.request.clone();
    output::print_line(format_args!("applying {}", manifests.display()))?;
    let mut stages = Stages::new();
    let outcome = sandbox.apply(&manifests, &mut stages).await;
    let (text, is_good) = match outcome {
        Ok(applied) => (describe(&applied), applied.problems.is_empty()),
        Err(error) => (format!("error: {:#}", anyhow::Error::new(error)), false),
    };
    for line in text.lines() {
        caller.answer(&Answer::Line(line.to_owned())).await;
    }
    caller.answer(&Answer::Done { is_good }).await;
    Ok(())
}

/// Shows what came of a change that somebody made in the API.
async fn follow(sandbox: &mut Sandbox) -> Result<()> {
    output::print_line("the API changed")?;
    output::print_line(match sandbox.follow(&mut Quiet).await {
        Ok(applied) => describe(&applied),
        Err(error) => format!("error: {:#}", anyhow::Error::new(error)),
    })
}

/// What an application changed, plan by plan.
fn describe(applied: &Applied) -> String {
    let mut text = told(applied);
    for (node, batch, plan) in &applied.plans {
        let _ = write!(text, "{node}, {batch}:\n{plan}");
    }
    let _ = match applied.is_empty() {
        true => write!(text, "nothing to do: everything stands as the manifests say"),
        false => write!(
            text,
            "changed {} objects, inserted {}, updated {}, removed {} rows, {} changes on hosts",
            applied.changed,
            applied.receipt.inserted,
            applied.receipt.updated,
            applied.receipt.removed,
            applied.host_changes
        ),
    };
    text
}

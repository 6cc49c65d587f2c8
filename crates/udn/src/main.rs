//! The front panel: reads arguments, runs a command, prints for people, sets the exit code.
//!
//! Invariant: an error ends here as one line that says what was being done and why it failed.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::args::{Arguments, Command, LogFormat};

mod apiserver;
mod args;
mod controller;
mod crds;
mod explain;
mod sandbox;
mod settings;
mod validate;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    start_log(&arguments);
    let outcome = match &arguments.command {
        Command::Apiserver(request) => apiserver::run(request),
        Command::Controller(request) => controller::run(request),
        Command::Validate(request) => validate::run(request),
        Command::Crds(request) => crds::run(request),
        Command::Explain(request) => explain::run(request),
        Command::Sandbox(request) => sandbox::run(request),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A program that runs for months tells what changes; a command tells only what is wrong.
fn start_log(arguments: &Arguments) {
    let (least, format) = match &arguments.command {
        Command::Controller(request) => (1, request.log_format),
        Command::Apiserver(_)
        | Command::Validate(_)
        | Command::Crds(_)
        | Command::Explain(_)
        | Command::Sandbox(_) => (0, LogFormat::Text),
    };
    let level = match arguments.verbose.saturating_add(least) {
        0 => tracing::Level::WARN,
        1 => tracing::Level::INFO,
        _ => tracing::Level::DEBUG,
    };
    // Of what libraries do, only what goes wrong is of interest; our crates have these names.
    let ours = ["udn", "ovn", "ovsdb", "kube_embedded"].map(|name| (name, level));
    let filter = Targets::new().with_default(level.min(tracing::Level::WARN)).with_targets(ours);
    let is_terminal = io::stderr().is_terminal();
    let log = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let registry = tracing_subscriber::registry();
    match format {
        LogFormat::Text => registry.with(log.with_ansi(is_terminal).with_filter(filter)).init(),
        LogFormat::Json => {
            registry.with(log.json().flatten_event(true).with_filter(filter)).init();
        }
    }
}

//! The front panel: reads arguments, runs a command, prints for people, sets the exit code.
//!
//! Invariant: an error ends here as one line that says what was being done and why it failed. Nothing
//! is printed but through [`output`].

// These panic where nobody reads any more.
#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::args::{Arguments, Command, LogFormat};
use crate::output::{READER_LEFT, ReaderLeft};

mod apiserver;
mod args;
mod connect;
mod controller;
mod crds;
mod explain;
mod node;
mod output;
mod sandbox;
mod settings;
mod signals;
mod validate;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => return show_answer(&answer),
    };
    start_log(&arguments);
    match run(&arguments.command) {
        Ok(code) => code,
        Err(error) if error.is::<ReaderLeft>() => ExitCode::from(READER_LEFT),
        Err(error) => {
            output::complain(format_args!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Apiserver(request) => apiserver::run(request),
        Command::Controller(request) => controller::run(request),
        Command::Node(request) => node::run(request),
        Command::Validate(request) => validate::run(request),
        Command::Crds(request) => crds::run(request),
        Command::Explain(request) => explain::run(request),
        Command::Sandbox(request) => sandbox::run(request),
    }
}

/// Prints the help or version that was asked for, or why the arguments are wrong.
fn show_answer(answer: &clap::Error) -> ExitCode {
    match answer.print() {
        Ok(()) => u8::try_from(answer.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(_) => ExitCode::from(READER_LEFT),
    }
}

/// A program that runs for months tells what changes; a command tells only what is wrong.
fn start_log(arguments: &Arguments) {
    let (least, format) = match &arguments.command {
        Command::Controller(request) => (1, request.log_format),
        Command::Node(request) => (u8::from(!request.cleanup.cleanup), request.log_format),
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
    // It logs every error that it returns, and we tell each cause once.
    let filter = filter.with_target("kube_client::client::builder", LevelFilter::OFF);
    let is_terminal = io::stderr().is_terminal();
    // A log that cannot be written is complained of by a macro that panics for the same reason.
    let log = tracing_subscriber::fmt::layer().with_writer(io::stderr).log_internal_errors(false);
    let registry = tracing_subscriber::registry();
    match format {
        LogFormat::Text => registry.with(log.with_ansi(is_terminal).with_filter(filter)).init(),
        LogFormat::Json => {
            registry.with(log.json().flatten_event(true).with_filter(filter)).init();
        }
    }
}

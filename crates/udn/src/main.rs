//! The front panel: reads arguments, runs a command, prints for people, sets the exit code.
//!
//! Invariant: an error ends here as one line that says what was being done and why it failed.

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, Command};

mod apiserver;
mod args;
mod crds;
mod explain;
mod sandbox;
mod validate;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    start_log(arguments.verbose);
    let outcome = match &arguments.command {
        Command::Apiserver(request) => apiserver::run(request),
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

fn start_log(verbose: u8) {
    let level = match verbose {
        0 => tracing::Level::WARN,
        1 => tracing::Level::INFO,
        _ => tracing::Level::DEBUG,
    };
    tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).init();
}

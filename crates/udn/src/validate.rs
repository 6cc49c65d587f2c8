//! `udn validate`: checks manifests as a cluster would, and beyond what a server can see.
//!
//! Reads files one at a time; prints findings as they are found.
//! Invariant: nothing of a file is kept but what the review of all objects together needs.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use kube_schema::Catalog;
use serde_json::Value;
use udn_manifest::manifest::documents;
use udn_wire::deploy;

use crate::args::ValidateRequest;
use crate::output;
pub(crate) use finding::Unusable;
use printer::Printer;
use session::Session;
pub(crate) use sources::gather;

mod against;
mod changes;
mod finding;
mod former;
mod identity;
mod judge;
mod printer;
mod review;
mod session;
mod sources;
mod text;

/// The exit code for input that cannot be used.
const UNUSABLE: u8 = 2;

/// Runs `udn validate`.
pub(crate) fn run(request: &ValidateRequest) -> Result<ExitCode> {
    let mut printer = Printer::new(request.output).map_err(output::failure)?;
    match validate(request, &mut printer) {
        Ok(code) => Ok(code),
        Err(Stopped::Unusable(what)) => {
            output::complain(format_args!("error: {} {}", what.file, what.message));
            printer.stop(what).map_err(output::failure)?;
            Ok(ExitCode::from(UNUSABLE))
        }
        Err(Stopped::Output(error)) => Err(output::failure(error)),
        Err(Stopped::Other(error)) => Err(error),
    }
}

/// Why validation does not come to its end.
#[derive(Debug)]
enum Stopped {
    Unusable(Unusable),
    Output(io::Error),
    Other(anyhow::Error),
}

impl From<Unusable> for Stopped {
    fn from(unusable: Unusable) -> Self {
        Self::Unusable(unusable)
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<anyhow::Error> for Stopped {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

fn validate(request: &ValidateRequest, printer: &mut Printer) -> Result<ExitCode, Stopped> {
    let sources = gather(&request.manifests)?;
    let catalog = catalog()?;
    let former = former::read(request, &catalog)?;
    let mut session = Session::new(&catalog, &former, &request.namespace, printer);
    for source in &sources {
        session.take(source)?;
    }
    if session.is_empty() {
        return Err(nothing(request).into());
    }
    session.review(&request.settings)?;
    let summary = session.finish()?;
    Ok(match (summary.unusable, summary.errors) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::FAILURE,
        (_, _) => ExitCode::from(UNUSABLE),
    })
}

fn nothing(request: &ValidateRequest) -> Unusable {
    let name = |path: &PathBuf| match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    };
    let names: Vec<String> = request.manifests.iter().map(name).collect();
    Unusable::whole(names.join(", "), "holds no object; there is nothing to validate")
}

/// The CRDs and policies that are built in.
fn catalog() -> Result<Catalog> {
    let manifests = deploy::CRDS.iter().chain(deploy::POLICIES);
    let mut values: Vec<Value> = Vec::new();
    for manifest in manifests {
        for document in documents(manifest.text) {
            let objects = document.objects().with_context(|| manifest.path.to_owned())?;
            values.extend(objects.into_iter().map(|object| object.value));
        }
    }
    Catalog::read(values).context("the CRDs that are built in cannot be used")
}

//! The typed tables of `crates/ovn`, from the schemas of the OVN that tests run.
//!
//! Reads the schema files of the OVN root; returns formatted Rust files.
//! Invariant: the schema files themselves are not kept in the tree.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use ovsdb::DatabaseSchema;
use udn_lab::ovn_root::{Database, OvnRoot};

use super::GeneratedFile;
use crate::workspace::Workspace;

mod source;

/// Every database and the module that its tables are written to.
const MODULES: [(Database, &str); 3] = [
    (Database::Northbound, "northbound"),
    (Database::Southbound, "southbound"),
    (Database::OpenVswitch, "open_vswitch"),
];

/// Writes one file per database.
pub(super) fn write(workspace: &Workspace) -> Result<Vec<GeneratedFile>> {
    let root = OvnRoot::find().context("the schemas come with OVN; run `cargo xtask setup`")?;
    MODULES
        .iter()
        .map(|(database, module)| write_module(workspace, &root, *database, module))
        .collect()
}

fn write_module(
    workspace: &Workspace,
    root: &OvnRoot,
    database: Database,
    module: &str,
) -> Result<GeneratedFile> {
    let path = root.schema(database);
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let schema = DatabaseSchema::parse(&text)?;
    let text = format_source(workspace, &source::render(&schema))?;
    Ok(GeneratedFile { path: format!("crates/ovn/src/generated/{module}.rs"), text })
}

/// Formats Rust source as the workspace is formatted.
fn format_source(workspace: &Workspace, source: &str) -> Result<String> {
    let mut rustfmt = Command::new("rustfmt")
        .current_dir(&workspace.root)
        .args(["--edition", "2024", "--emit", "stdout", "--config-path"])
        .arg(&workspace.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("starting rustfmt")?;
    let mut input = rustfmt.stdin.take().context("rustfmt takes no input")?;
    // The whole input is written before any output is read; rustfmt reads all of it first.
    input.write_all(source.as_bytes()).context("writing to rustfmt")?;
    drop(input);
    let output = rustfmt.wait_with_output().context("waiting for rustfmt")?;
    if !output.status.success() {
        bail!("rustfmt refused the generated source");
    }
    String::from_utf8(output.stdout).context("rustfmt wrote something other than text")
}

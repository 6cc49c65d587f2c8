//! `cargo xtask gen`: writes the generated files, or tells which are out of date.
//!
//! Reads the workspace; writes below its root. Invariant: a generator returns whole files and
//! touches nothing, so that writing and checking cannot differ.

use std::io::ErrorKind;

use anyhow::{Context, Result};

use crate::args::GenRequest;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

mod api_reference;
mod chart;
mod go_types;
mod native_kinds;
mod native_wire;
mod ovn_tables;

/// A file as its generator wants it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GeneratedFile {
    /// Path below the root.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// One source of generated files.
struct Generator {
    name: &'static str,
    /// Returns every file it owns; says plainly what is missing when it cannot.
    write: fn(&Workspace) -> Result<Vec<GeneratedFile>>,
}

/// Every generator. A new one is a module below `gen/` and a line here.
const GENERATORS: &[Generator] = &[
    Generator { name: "API reference", write: api_reference::write },
    Generator { name: "OVN tables", write: ovn_tables::write },
    Generator { name: "manifests and chart", write: chart::write },
];

/// Generators that start a real server, and so run only when asked for.
const FROM_SERVER: &[Generator] = &[
    Generator { name: "Go types", write: go_types::write },
    Generator { name: "native kinds", write: native_kinds::write },
    Generator { name: "native wire", write: native_wire::write },
];

/// Runs `cargo xtask gen`.
pub(crate) fn run(workspace: &Workspace, request: &GenRequest) -> Result<Verdict> {
    let mut verdict = Verdict::Pass;
    let generators = if request.schemas { FROM_SERVER } else { GENERATORS };
    for generator in generators {
        match (generator.write)(workspace) {
            Ok(files) => {
                for file in files {
                    if settle_file(workspace, request, &file)?.is_fail() {
                        verdict = Verdict::Fail;
                    }
                }
            }
            Err(error) => {
                println!("{}: cannot be generated: {error:#}", generator.name);
                verdict = Verdict::Fail;
            }
        }
    }
    if request.check && !verdict.is_fail() {
        println!("all generated files are up to date");
    }
    Ok(verdict)
}

/// Writes the file, or with `--check` tells how it differs.
fn settle_file(
    workspace: &Workspace,
    request: &GenRequest,
    file: &GeneratedFile,
) -> Result<Verdict> {
    let path = workspace.root.join(&file.path);
    let found = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("reading {}", file.path)),
    };
    let Some(hint) = difference(found.as_deref(), &file.text) else { return Ok(Verdict::Pass) };
    if request.check {
        println!("{}: out of date; run `cargo xtask gen`\n{hint}", file.path);
        return Ok(Verdict::Fail);
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    }
    std::fs::write(&path, &file.text).with_context(|| format!("writing {}", file.path))?;
    println!("wrote {}", file.path);
    Ok(Verdict::Pass)
}

/// The first line in which the two differ, for people; `None` when they are equal.
fn difference(found: Option<&str>, wanted: &str) -> Option<String> {
    let Some(found) = found else { return Some("  the file does not exist".to_owned()) };
    if found == wanted {
        return None;
    }
    let mut lines = (1..).zip(pairs(found, wanted));
    let hint = lines.find(|(_, (have, want))| have != want).map(|(number, (have, want))| {
        format!("  line {number}\n  - {}\n  + {}", shown(have), shown(want))
    });
    Some(hint.unwrap_or_else(|| "  only the line endings differ".to_owned()))
}

/// The lines of both texts side by side, to the end of the longer one.
fn pairs<'a>(
    left: &'a str,
    right: &'a str,
) -> impl Iterator<Item = (Option<&'a str>, Option<&'a str>)> {
    let (mut left, mut right) = (left.lines(), right.lines());
    std::iter::from_fn(move || match (left.next(), right.next()) {
        (None, None) => None,
        pair => Some(pair),
    })
}

fn shown(line: Option<&str>) -> &str {
    line.unwrap_or("(end of the file)")
}

#[cfg(test)]
mod tests;

//! The list of what is in the image, as SPDX 2.3: packages of Debian, and crates in our binaries.
//!
//! Reads the list that the image base keeps, and what cargo says of the binaries' crates; returns one JSON text.
//! Invariant: the same image has the same list, so nothing in it tells when it was made.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use udn_lab::image_base::{ImageBase, Package};

use crate::workspace::Workspace;

#[cfg(test)]
mod tests;

/// A crate in a binary.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    version: String,
    /// As its manifest tells it.
    license: String,
}

/// Returns the list for an image.
pub(super) fn write(
    workspace: &Workspace,
    base: &ImageBase,
    name: &str,
    digest: &str,
) -> Result<String> {
    let text = render(name, digest, &base.packages()?, &crates(workspace)?);
    Ok(format!("{}\n", serde_json::to_string_pretty(&text)?))
}

/// The crates that the binaries are made of, ours among them.
fn crates(workspace: &Workspace) -> Result<BTreeSet<Crate>> {
    let words =
        ["tree", "--locked", "--package", "udn", "--package", "udn-cni", "--edges", "normal"];
    let mut command = workspace.cargo(&words);
    command.args(["--prefix", "none", "--no-dedupe", "--format", "{p}|{l}"]);
    let output = command.output().context("starting cargo tree")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo tree failed:\n{complaint}");
    let crates = parse(&String::from_utf8_lossy(&output.stdout));
    ensure!(!crates.is_empty(), "cargo tree told of no crate");
    Ok(crates)
}

/// Reads lines such as `serde v1.0.1 (proc-macro)|MIT`.
fn parse(text: &str) -> BTreeSet<Crate> {
    let read = |line: &str| {
        let (package, license) = line.split_once('|')?;
        let mut words = package.split_whitespace();
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        let license = license.trim();
        Some(Crate {
            name: name.to_owned(),
            version: version.to_owned(),
            license: if license.is_empty() { "NOASSERTION" } else { license }.to_owned(),
        })
    };
    text.lines().filter_map(read).collect()
}

fn render(name: &str, digest: &str, packages: &[Package], crates: &BTreeSet<Crate>) -> Value {
    let image = json!({
        "SPDXID": "SPDXRef-image", "name": name, "versionInfo": digest,
        "downloadLocation": "NOASSERTION", "primaryPackagePurpose": "CONTAINER",
    });
    let debian = packages.iter().map(debian);
    let contained: Vec<Value> = debian.chain(crates.iter().map(of_crate)).collect();
    let packages = [vec![image], contained].concat();
    let described = json!({ "spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
        "relatedSpdxElement": "SPDXRef-image" });
    let contains = packages.iter().skip(1).map(contains);
    let relations: Vec<Value> = std::iter::once(described).chain(contains).collect();
    json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        // One image, one document: the digest makes the name its own.
        "documentNamespace": format!("urn:udn:image:{digest}"),
        // SPDX demands a time; builds are the same whenever they are made.
        "creationInfo": { "created": "1970-01-01T00:00:00Z", "creators": ["Tool: cargo xtask image"] },
        "packages": packages,
        "relationships": relations,
    })
}

fn debian(package: &Package) -> Value {
    let Package { name, version, architecture } = package;
    json!({
        "SPDXID": format!("SPDXRef-deb-{}", identifier(name)), "name": name, "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "comment": "unpacked, and cut down to what the image needs",
        "externalRefs": [purl(&format!("pkg:deb/debian/{name}@{version}?arch={architecture}"))],
    })
}

fn of_crate(it: &Crate) -> Value {
    let Crate { name, version, license } = it;
    json!({
        "SPDXID": format!("SPDXRef-crate-{}", identifier(&format!("{name}-{version}"))),
        "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
        // Old manifests put a slash where SPDX has a word.
        "licenseDeclared": license.replace('/', " OR ").replace("  ", " "),
        "externalRefs": [purl(&format!("pkg:cargo/{name}@{version}"))],
    })
}

fn purl(locator: &str) -> Value {
    json!({ "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
        "referenceLocator": locator.replace('+', "%2B") })
}

fn contains(package: &Value) -> Value {
    json!({ "spdxElementId": "SPDXRef-image", "relationshipType": "CONTAINS",
        "relatedSpdxElement": package["SPDXID"] })
}

/// SPDX's identifiers have letters, digits, dots and dashes only.
fn identifier(name: &str) -> String {
    name.chars().map(|it| if it.is_ascii_alphanumeric() || it == '.' { it } else { '-' }).collect()
}

//! Checks the crates of others that we use: each has a reason, one version, and no build script
//! of ours stands beside them.
//!
//! Takes the crates, `deny.toml` and `Cargo.lock` as text; returns problems.
//! Invariant: a reason stands in `deny.toml` only while some crate of ours uses its subject.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::crates;
use super::problem::Problem;
use crate::workspace::{Dependency, DependencyKind, Member};

pub(crate) const DENY: &str = "deny.toml";
pub(crate) const LOCK: &str = "Cargo.lock";

/// Crates that only these of ours may use in product code; tests and benches are free.
const RESERVED: &[(&str, &[&str])] = &[("anyhow", &["udn", "xtask"])];

/// The part of `deny.toml` that gives reasons.
#[derive(Debug, Deserialize)]
struct Deny {
    bans: Bans,
}

#[derive(Debug, Deserialize)]
struct Bans {
    /// One row for each crate we name in a manifest.
    #[serde(default)]
    features: Vec<Row>,
    /// Second versions that we put up with.
    #[serde(default)]
    skip: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Row {
    #[serde(rename = "crate")]
    name: String,
    #[serde(default)]
    reason: String,
}

#[derive(Debug, Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Debug, Deserialize)]
struct Locked {
    name: String,
    version: String,
}

pub(crate) fn check(members: &[Member], deny: &str, lock: &str) -> Result<Vec<Problem>> {
    let deny: Deny = toml::from_str(deny).with_context(|| format!("reading {DENY}"))?;
    let lock: Lock = toml::from_str(lock).with_context(|| format!("reading {LOCK}"))?;
    let used = used(members);
    let found = [
        check_reasons(&used, &deny.bans.features),
        check_rows(&used, &deny.bans.features),
        check_versions(&used, &lock, &deny.bans.skip),
        check_reserved(members),
        check_build_scripts(members),
    ];
    Ok(found.concat())
}

/// Every crate of others that a manifest names, with the first of ours that does.
fn used(members: &[Member]) -> BTreeMap<&str, &str> {
    let mut used = BTreeMap::new();
    for member in members {
        for dependency in member.dependencies.iter().filter(|found| found.path.is_none()) {
            used.entry(dependency.name.as_str()).or_insert(member.name.as_str());
        }
    }
    used
}

fn check_reasons(used: &BTreeMap<&str, &str>, rows: &[Row]) -> Vec<Problem> {
    let given: BTreeSet<&str> =
        rows.iter().filter(|row| !row.reason.is_empty()).map(|row| row.name.as_str()).collect();
    let missing = used.iter().filter(|(name, _)| !given.contains(*name));
    missing
        .map(|(name, user)| {
            let text = format!(
                "{user} uses `{name}`, which has no row; \
                 add {{ crate = \"{name}\", reason = \"…\" }} to [bans] features"
            );
            Problem::in_file(DENY, text)
        })
        .collect()
}

fn check_rows(used: &BTreeMap<&str, &str>, rows: &[Row]) -> Vec<Problem> {
    let idle = rows.iter().filter(|row| !used.contains_key(row.name.as_str()));
    idle.map(|row| Problem::in_file(DENY, format!("no crate uses `{}`; remove its row", row.name)))
        .collect()
}

fn check_versions(used: &BTreeMap<&str, &str>, lock: &Lock, skip: &[Row]) -> Vec<Problem> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let direct = lock.package.iter().filter(|locked| used.contains_key(locked.name.as_str()));
    for locked in direct.filter(|locked| !skip.iter().any(|row| row.covers(locked))) {
        versions.entry(&locked.name).or_default().push(&locked.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    versions
        .iter()
        .map(|(name, versions)| {
            let text = format!(
                "`{name}` is there in {}; bring the users to one version, \
                 or add the other to [bans] skip in {DENY} with a reason",
                versions.join(" and ")
            );
            Problem::in_file(LOCK, text)
        })
        .collect()
}

impl Row {
    /// Whether the row, `name` or `name@version`, speaks of this locked crate.
    fn covers(&self, locked: &Locked) -> bool {
        match self.name.split_once('@') {
            None => self.name == locked.name,
            Some((name, version)) => {
                let version = version.trim_start_matches('=');
                let rest = locked.version.strip_prefix(version);
                name == locked.name && rest.is_some_and(|r| r.is_empty() || r.starts_with('.'))
            }
        }
    }
}

fn check_reserved(members: &[Member]) -> Vec<Problem> {
    let is_misuse = |member: &Member, dependency: &Dependency| {
        let users = RESERVED.iter().find(|(name, _)| *name == dependency.name);
        dependency.kind == DependencyKind::Normal
            && users.is_some_and(|(_, users)| !users.contains(&member.name.as_str()))
    };
    let mut problems = Vec::new();
    for member in members {
        for dependency in member.dependencies.iter().filter(|found| is_misuse(member, found)) {
            let text = format!("`{}` is not for this crate; give errors a type", dependency.name);
            problems.push(Problem::in_file(crates::manifest(&member.name), text));
        }
    }
    problems
}

fn check_build_scripts(members: &[Member]) -> Vec<Problem> {
    let has_script = |member: &&Member| {
        member.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "custom-build"))
    };
    let text = "it has a build.rs; generate with `cargo xtask gen` and commit the result";
    members
        .iter()
        .filter(has_script)
        .map(|member| Problem::in_file(crates::manifest(&member.name), text))
        .collect()
}

#[cfg(test)]
mod tests;

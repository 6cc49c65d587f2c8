//! Checks that no file names a package registry's host.
//!
//! Takes files; returns problems. Parts are had by package name through their ordinary clients,
//! which know their registries; a host in the tree would bypass a mirror that a site has set.
//! Invariant: lock files are exempt, because their clients write the registry into them.

use super::problem::Problem;
use crate::text_file::TextFile;

/// Written in two halves, so that this file does not name them either.
const HOSTS: &[(&str, &str)] = &[
    ("crates", ".io"),
    ("docs", ".rs/"),
    ("static.rust-", "lang.org"),
    ("proxy.", "golang.org"),
    ("sum.", "golang.org"),
    ("deb.", "debian.org"),
    ("ftp.", "debian.org"),
    ("security.", "debian.org"),
    ("archive.", "ubuntu.com"),
    ("registry.", "npmjs.org"),
    ("pypi", ".org"),
    ("python", "hosted.org"),
    ("docker", ".io"),
    ("ghcr", ".io"),
    ("quay", ".io"),
    ("gcr", ".io"),
    ("registry.", "k8s.io"),
];

const LOCK_FILES: &[&str] = &["Cargo.lock", "go.sum"];

pub(crate) fn check(files: &[TextFile]) -> Vec<Problem> {
    let hosts: Vec<String> =
        HOSTS.iter().map(|(first, second)| format!("{first}{second}")).collect();
    let checked = files.iter().filter(|file| !LOCK_FILES.contains(&file.name()));
    checked.flat_map(|file| check_file(file, &hosts)).collect()
}

fn check_file(file: &TextFile, hosts: &[String]) -> Vec<Problem> {
    let named = |(line, text): (usize, &str)| {
        let host = hosts.iter().find(|host| text.contains(host.as_str()))?;
        let host = host.trim_end_matches('/');
        let text = format!("names the registry host {host}; ask for the package by its name only");
        Some(Problem::at(file, line, text))
    };
    file.numbered_lines().filter_map(named).collect()
}

#[cfg(test)]
mod tests;

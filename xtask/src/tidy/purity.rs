//! Checks that pure crates stay pure: in what they need, and in the lints that guard them.
//!
//! Takes each pure crate's dependency tree and its `clippy.toml`; returns problems.
//! Invariant: the whole tree counts, not only what the manifest names.

use super::crates;
use super::problem::Problem;
use crate::text_file::TextFile;
use crate::workspace::Member;

/// The pure crate whose lints the others copy.
const MODEL: &str = "crates/ovsdb/clippy.toml";

/// Crates that no pure crate may need, with what they bring in.
const IMPURE: &[(&str, &[&str])] = &[
    ("an async runtime", &["tokio", "async-std", "smol", "async-io", "mio", "futures-executor"]),
    (
        "sockets or a client",
        &["hyper", "hyper-util", "h2", "reqwest", "ureq", "tonic", "socket2", "quinn", "rustls"],
    ),
    ("a Kubernetes client", &["kube", "kube-client", "kube-runtime"]),
    ("a clock", &["chrono", "time", "quanta", "coarsetime", "iana-time-zone"]),
    ("randomness", &["rand", "rand_core", "getrandom", "fastrand", "oorandom"]),
    ("logging", &["log", "tracing", "tracing-core", "slog", "env_logger", "defmt"]),
    ("system calls", &["nix", "rustix", "tempfile", "notify", "walkdir", "rtnetlink"]),
];

/// What one crate needs: chains of crate names, from the crate itself to the crate needed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    owner: String,
    chains: Vec<Vec<String>>,
}

impl Tree {
    /// Reads `cargo tree --prefix depth --format {p}`: `2memchr v2.8.0` lies two steps down.
    pub(crate) fn parse(owner: &str, printed: &str) -> Self {
        let mut chain: Vec<String> = Vec::new();
        let mut chains = Vec::new();
        for line in printed.lines() {
            let name_at = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
            let (depth, rest) = line.split_at(name_at);
            let Ok(depth) = depth.parse::<usize>() else { continue };
            chain.truncate(depth);
            chain.push(rest.split(' ').next().unwrap_or(rest).to_owned());
            chains.push(chain.clone());
        }
        Self { owner: owner.to_owned(), chains }
    }
}

pub(crate) fn check_trees(trees: &[Tree]) -> Vec<Problem> {
    trees.iter().flat_map(check_tree).collect()
}

fn check_tree(tree: &Tree) -> Vec<Problem> {
    let impure = |chain: &Vec<String>| {
        let brings = brings(chain.last()?)?;
        let text = format!("a pure crate may not need {brings}: {}", chain.join(" → "));
        Some(Problem::in_file(crates::manifest(&tree.owner), text))
    };
    tree.chains.iter().filter_map(impure).collect()
}

fn brings(name: &str) -> Option<&'static str> {
    IMPURE.iter().find(|(_, names)| names.contains(&name)).map(|(brings, _)| *brings)
}

/// Every pure crate has a `clippy.toml` of its own, and all are the same.
pub(crate) fn check_lints(members: &[Member], files: &[TextFile]) -> Vec<Problem> {
    let read = |path: &str| files.iter().find(|file| file.path == path).map(|file| &file.text);
    let model = read(MODEL);
    let pure = members.iter().filter(|member| crates::is_pure(&member.name));
    let paths = pure.map(|member| format!("crates/{}/clippy.toml", member.name));
    paths
        .filter_map(|path| match read(&path) {
            None => Some(Problem::in_file(&path, format!("missing; copy {MODEL}"))),
            found if found != model => {
                Some(Problem::in_file(&path, format!("differs from {MODEL}; change all or none")))
            }
            Some(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;

//! One suite of behaviours, tried on a real kube-apiserver and on ours.
//!
//! The behaviours stand in `conformance/cases/`; transcripts are left under the target folder's
//! `tmp/conformance/`. `CONFORMANCE=text` tries only the behaviours whose names hold the text;
//! `CONFORMANCE_STORED=1` takes the transcripts of the real server from the last whole run.
//! Invariant: both servers are asked the same.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the test talks to servers, and says how many behaviours are equal"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use futures_util::StreamExt;
use kube_embedded::{Authorization, Server};
use udn_lab::kubernetes::Cluster;

mod compare;
mod normal;
mod play;
mod script;
mod stand;
mod target;
mod words;

use compare::{Comparison, Transcripts, compare, known, read, write};
use play::play;
use script::{Behaviour, behaviours};
use stand::stand;
use target::Target;

/// How many behaviours run at once on one server.
const AT_ONCE: usize = 16;

/// Behaviours that wait for controllers, which start before the others.
const SLOW: &[&str] = &["collect: ", "namespaces: ", "crds: "];

#[tokio::test(flavor = "multi_thread")]
async fn both_servers_behave_the_same() {
    let behaviours = chosen();
    let server = Server::builder().authorization(Authorization::Rbac).start();
    let server = server.await.expect("it starts");
    let ours = Target::new("ours", server.client());
    let (first, second) = match stored(&behaviours) {
        Some(first) => (first, run(&ours, &behaviours).await),
        None => {
            let cluster = Cluster::start().expect("it starts");
            let real = Target::real("real", &cluster).await;
            tokio::join!(run(&real, &behaviours), run(&ours, &behaviours))
        }
    };
    let comparison = compare(&first, &second);
    print(&comparison);
    let known: BTreeMap<String, String> = known(include_str!("conformance/known.txt"))
        .into_iter()
        .filter(|(name, _)| is_wanted(name))
        .collect();
    let complaints = comparison.complaints(&known);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn print(comparison: &Comparison) {
    for (name, difference) in &comparison.differing {
        println!("=== {name}\n{difference}");
    }
    let (equal, differing) = (comparison.equal, comparison.differing.len());
    println!("{} behaviours: {equal} equal, {differing} differing", equal + differing);
    for name in comparison.differing.keys() {
        println!("  {name}");
    }
}

fn chosen() -> Vec<Behaviour> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/conformance/cases");
    let mut all = behaviours(&folder);
    let names: BTreeSet<&str> = all.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names.len(), all.len(), "every behaviour has a name of its own");
    all.retain(|it| is_wanted(&it.name));
    all.sort_by_key(|it| !SLOW.iter().any(|slow| it.name.starts_with(slow)));
    all
}

fn is_wanted(name: &str) -> bool {
    env::var("CONFORMANCE").map_or(true, |text| name.contains(&text))
}

async fn run(target: &Target, behaviours: &[Behaviour]) -> Transcripts {
    let start = Instant::now();
    stand(target, behaviours.len()).await;
    let stood = start.elapsed();
    let plays = behaviours.iter().enumerate().map(async |(index, behaviour)| {
        let start = Instant::now();
        let transcript = play(target, behaviour, index).await;
        (behaviour.name.clone(), transcript, start.elapsed())
    });
    let played: Vec<_> =
        futures_util::stream::iter(plays).buffer_unordered(AT_ONCE).collect().await;
    println!("{}: {stood:?} to prepare, {:?} in all", target.run, start.elapsed());
    for (name, _, took) in played.iter().filter(|(.., took)| took.as_secs() >= 5) {
        println!("  {took:?} {name}");
    }
    let transcripts = played.into_iter().map(|(name, transcript, _)| (name, transcript)).collect();
    let file = file(target.run);
    fs::create_dir_all(file.parent().expect("it is in a folder")).expect("the folder can be made");
    fs::write(file, write(&transcripts)).expect("the file can be written");
    transcripts
}

/// The transcripts of the real server, if they were asked for and there are some.
fn stored(behaviours: &[Behaviour]) -> Option<Transcripts> {
    env::var_os("CONFORMANCE_STORED")?;
    let mut transcripts = read(&fs::read_to_string(folder().join("real.txt")).ok()?);
    let names: BTreeSet<&str> = behaviours.iter().map(|it| it.name.as_str()).collect();
    transcripts.retain(|name, _| names.contains(name.as_str()));
    Some(transcripts)
}

/// Where the transcripts of a run are left; a run of some behaviours keeps those of all.
fn file(run: &str) -> PathBuf {
    let part = if env::var_os("CONFORMANCE").is_some() { "-part" } else { "" };
    folder().join(format!("{run}{part}.txt"))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance")
}

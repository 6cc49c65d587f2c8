//! An API server of ours beside etcd and kube-apiserver: writes, lists, watches, memory, start.
//!
//! `cargo xtask bench apiserver` runs both over TLS with the same client and the same objects, one
//! after the other, and prints what each took and how many times better ours is. In memory it
//! stands beside an etcd that does not wait for the disk, with a file beside one that does.
//! `-- --quick` runs a small round. At the end it says which goals are met.
//! Invariant: a server is a program of its own, so that its memory is its own.

use std::error::Error;

mod contestant;
mod objects;
mod resident;
mod rounds;
mod table;

use contestant::Contestant;
use rounds::{Results, Sizes};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Runtime::new()?;
    if let Some(place) = words.iter().position(|word| word == contestant::SERVE) {
        return runtime.block_on(contestant::serve(&words[place + 1..]));
    }
    let is_quick = words.iter().any(|word| word == "--quick");
    let sizes = if is_quick { Sizes::QUICK } else { Sizes::WHOLE };
    runtime.block_on(compete(&sizes, is_quick))
}

async fn compete(sizes: &Sizes, is_quick: bool) -> Outcome<()> {
    let light = Sizes { pods: sizes.creates, watchers: 0, ..sizes.clone() };
    let memory = run(Contestant::ours(None), sizes).await?;
    let loose = run(Contestant::real(false), sizes).await?;
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("store");
    let file = run(Contestant::ours(Some(&store)), &light).await?;
    // The last server was killed, so that this one repairs the file and reads it.
    let (_, restart) = Contestant::ours(Some(&store))?;
    let strict = run(Contestant::real(true), &light).await?;
    table::print("in memory", "etcd without fsync", &memory, &loose);
    table::print("in a file", "etcd with fsync", &file, &strict);
    println!("{:<34} {:>14.1}", "start after a crash, ms", restart * 1e3);
    if !is_quick {
        table::judge([("in memory", &memory, &loose), ("in a file", &file, &strict)]);
    }
    Ok(())
}

async fn run(start: Outcome<(Contestant, f64)>, sizes: &Sizes) -> Outcome<Results> {
    let (contestant, started) = start?;
    let results = rounds::all(&contestant, sizes, started).await?;
    drop(contestant);
    Ok(results)
}

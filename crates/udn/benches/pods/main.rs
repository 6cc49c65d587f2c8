//! The cluster controller at a real kube-apiserver: how long pods wait for their addresses, and what it
//! costs.
//!
//! `cargo xtask bench pods` makes networks, then pods on them as fast as the server takes them, and
//! waits until each pod carries its annotation; beside it, at a server of its own that has the same
//! networks, a bare client holds the same watches and patches the same pods, as many at a time.
//! `-- --quick` runs a small round, `-- 2000/400` one of so many pods over so many networks.
//! Invariant: whoever patches is a program of its own, so that its time and memory are its own.

use std::error::Error;

mod bare;
#[path = "../networks/cluster.rs"]
mod cluster;
#[path = "../networks/controller.rs"]
mod controller;
mod pods;
mod table;

use pods::Taken;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many pods there are in a round, and over how many networks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) pods: usize,
    pub(crate) networks: usize,
}

const SIZES: [Size; 3] = [
    Size { pods: 2_000, networks: 50 },
    Size { pods: 2_000, networks: 400 },
    Size { pods: 10_000, networks: 1_600 },
];
const QUICK: [Size; 1] = [Size { pods: 200, networks: 10 }];

/// How often each is measured, alternately; the middle one counts, as machines have bad moments.
const REPEATS: usize = 3;

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Runtime::new()?;
    if let Some(place) = words.iter().position(|word| word == bare::WORK) {
        return runtime.block_on(bare::work(&words[place + 1..]));
    }
    let given: Vec<Size> = words.iter().filter_map(|word| size(word)).collect();
    let is_quick = words.iter().any(|word| word == "--quick");
    let (sizes, repeats): (&[Size], usize) = match &given[..] {
        [] if is_quick => (&QUICK, 1),
        [] => (&SIZES, REPEATS),
        given => (given, 1),
    };
    runtime.block_on(async {
        let mut rounds = Vec::new();
        for size in sizes {
            let (mut bare, mut ours) = (Vec::new(), Vec::new());
            for _ in 0..repeats {
                bare.push(pods::bare(*size).await?);
                ours.push(pods::ours(*size).await?);
            }
            let (bare, ours) = (Taken::median(&bare), Taken::median(&ours));
            rounds.push(table::Round { size: *size, bare, ours });
            table::progress(&rounds);
        }
        table::print(&rounds);
        Ok(())
    })
}

/// `2000/400`.
fn size(word: &str) -> Option<Size> {
    let (pods, networks) = word.split_once('/')?;
    Some(Size { pods: pods.parse().ok()?, networks: networks.parse().ok()? })
}

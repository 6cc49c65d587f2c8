//! The cluster controller at a real kube-apiserver: how long networks take, and what it costs.
//!
//! `cargo xtask bench networks` makes N primary Layer2 CUDNs, each for one namespace, and waits until
//! all NADs carry their numbers and all CUDNs say so; beside it a bare client sends the same writes
//! to a server of its own. Then 99 networks are made with and without one that is fed garbage.
//! `-- --quick` runs a small round, `-- 400` one of that size.
//! Invariant: the controller is a program of its own, so that its time and memory are its own.

use std::error::Error;

mod cluster;
mod controller;
mod controller_program;
mod garbage;
mod networks;
mod table;

use networks::Taken;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many networks there are in each round.
const SIZES: [usize; 3] = [50, 400, 1_600];
const QUICK: [usize; 1] = [50];

/// How often each is measured, alternately; the middle one counts, as machines have bad moments.
const REPEATS: usize = 3;

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Runtime::new()?;
    if let Some(place) = words.iter().position(|word| word == controller_program::WORK) {
        return runtime.block_on(controller_program::work(&words[place + 1..]));
    }
    let given: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let is_quick = words.iter().any(|word| word == "--quick");
    let sizes: &[usize] = match &given[..] {
        [] if is_quick => &QUICK,
        [] => &SIZES,
        given => given,
    };
    runtime.block_on(async {
        let mut rounds = Vec::new();
        for size in sizes {
            let (mut bare, mut ours) = (Vec::new(), Vec::new());
            for _ in 0..REPEATS {
                bare.push(networks::bare(*size).await?);
                ours.push(networks::ours(*size).await?);
            }
            let (bare, ours) = (Taken::median(&bare), Taken::median(&ours));
            rounds.push(table::Round { size: *size, bare, ours });
            table::progress(&rounds);
        }
        table::print(&rounds);
        if !given.is_empty() {
            return Ok(());
        }
        let well = garbage::round(false).await?;
        let ill = garbage::round(true).await?;
        table::print_garbage(&well, &ill);
        Ok(())
    })
}

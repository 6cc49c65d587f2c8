//! The zone controller at a real kube-apiserver, with a real NB, SB and northd: what a cold start
//! takes, and then one more pod, network and node, at three sizes; and how soon OVN has all ports up.
//!
//! `cargo xtask bench zone` measures 50, 450 and 1,350 primary Layer2 networks with six nodes;
//! `-- 450` one size; `-- --no-ports` leaves out the node with ovn-controller and OVS.
//! On a machine that does much else besides, `chrt -r 10 cargo xtask bench zone` measures all the same.
//! Invariant: the controller is a program of its own, so that its time and memory are its own.

// proves: X-13, V-25

use std::error::Error;

mod manifests;
mod ports;
mod program;
mod rounds;
mod server;
mod table;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many networks there are in each round; pods grow with them.
const SIZES: [usize; 3] = [50, 450, 1_350];

/// At which of them OVN's ports are waited for.
const SIZES_WITH_PORTS: [usize; 2] = [50, 450];

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().collect();
    if let Some(place) = words.iter().position(|word| word == program::WORK) {
        return program::work(&words[place + 1..]);
    }
    let given: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let sizes = if given.is_empty() { SIZES.to_vec() } else { given };
    let has_ports = !words.iter().any(|word| word == "--no-ports");
    tokio::runtime::Runtime::new()?.block_on(async {
        let (mut rounds, mut ups) = (Vec::new(), Vec::new());
        for size in sizes {
            let ground = server::Ground::prepare(size).await?;
            if has_ports && SIZES_WITH_PORTS.contains(&size) {
                ups.push(ports::measure(&ground).await?);
                eprintln!("{size} networks: measured until ports are up");
            }
            rounds.push(rounds::measure(&ground).await?);
            eprintln!("{size} networks: measured start and single changes");
        }
        table::print(&rounds, &ups);
        Ok(())
    })
}

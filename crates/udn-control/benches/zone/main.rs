//! The zone controller at a real kube-apiserver, with a real NB, SB and northd: what a cold start
//! takes, and then one more pod, network and node, at three sizes; and how soon OVN has all ports up.
//!
//! `cargo xtask bench zone` measures 50, 450 and 1,350 primary Layer2 networks with six nodes, then 450
//! of which every third is a Layer3 network, beside a default network of ours;
//! `-- 450` one size, `-- mixed` the last; `-- --no-ports` leaves out the node with ovn-controller and OVS.
//! On a machine that does much else besides, `chrt -r 10 cargo xtask bench zone` measures all the same.
//! Invariant: the controller is a program of its own, so that its time and memory are its own.

// proves: X-13, V-25

use std::error::Error;

mod manifests;
mod ports;
mod program;
mod rounds;
mod server;
mod shape;
mod table;

use shape::{Kind, Shape};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many networks there are in each round; pods grow with them.
const SIZES: [usize; 3] = [50, 450, 1_350];

/// How many in the round with Layer3 networks.
const MIXED: usize = 450;

/// At which of them OVN's ports are waited for.
const SIZES_WITH_PORTS: [usize; 2] = [50, 450];

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().collect();
    if let Some(place) = words.iter().position(|word| word == program::WORK) {
        return program::work(&words[place + 1..]);
    }
    let given: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let shapes = shapes(&given, words.iter().any(|word| word == Kind::Mixed.word()));
    let has_ports = !words.iter().any(|word| word == "--no-ports");
    tokio::runtime::Runtime::new()?.block_on(async {
        let (mut rounds, mut ups) = (Vec::new(), Vec::new());
        for shape in shapes {
            let ground = server::Ground::prepare(shape).await?;
            let is_with_ports = shape.kind == Kind::Layer2;
            if has_ports && is_with_ports && SIZES_WITH_PORTS.contains(&shape.networks) {
                ups.push(ports::measure(&ground).await?);
                eprintln!("{shape} networks: measured until ports are up");
            }
            rounds.push(rounds::measure(&ground).await?);
            eprintln!("{shape} networks: measured start and single changes");
        }
        table::print(&rounds, &ups);
        Ok(())
    })
}

/// What is measured: all, or what is asked for.
fn shapes(given: &[usize], is_mixed_asked: bool) -> Vec<Shape> {
    let is_all = given.is_empty() && !is_mixed_asked;
    let sizes = if is_all { &SIZES[..] } else { given };
    let layer2 = sizes.iter().map(|networks| Shape { networks: *networks, kind: Kind::Layer2 });
    let mixed = Shape { networks: MIXED, kind: Kind::Mixed };
    layer2.chain((is_all || is_mixed_asked).then_some(mixed)).collect()
}

//! Pods of one real node: what our CNI server takes for an ADD with 1, 50 and 200 primary Layer2
//! networks there, how much memory `udn node` has then, and how soon pods are Ready.
//!
//! First kubelet starts pods, one after the other, through the reference bridge plugin alone, then on
//! the same node through ours, without Multus in either case: a pod of ours gets two links, one on the
//! default network and one on its own. Then kubelet is stopped, and a program on the node stands in for
//! kubelet and containerd: each pod is created at the API server, bound to the node, and at once the
//! plugin's real binary is started for it, as a runtime would. So no ADD waits for kubelet's own pace, and
//! the zone controller, northd and ovn-controller are busy with the very pod meanwhile.
//!
//! The share is what the server counts itself (`udn_cni_add_share_seconds`): from the pod's turn to its
//! answer, but for the waits for the pod's annotation and for `ovn-installed`. What the plugin's process
//! took, less the same waits, stands beside it.
//! `cargo xtask bench cni` measures all; `-- 50` one size, `-- --no-kubelet` no Ready times,
//! `-- --pause` holds each size until Enter, for whoever wants to look at the programs.
//! Invariant: all that is measured is a program of its own, built as it is shipped to users.

use std::error::Error;
use std::process::Command;

#[path = "../../tests/kit/programs.rs"]
mod programs;

mod adds;
mod api;
mod ready;
mod runtime;
mod stand;
mod table;

use adds::Round;
use ready::Waits;
use stand::Stand;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many networks there are in each round.
const SIZES: [usize; 3] = [1, 50, 200];

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().collect();
    let has = |flag: &str| words.iter().any(|word| word == flag);
    if has(runtime::WORK) {
        return runtime::work();
    }
    let given: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let sizes = if given.is_empty() { &SIZES[..] } else { &given };
    build_plugin()?;
    let mut stand = Stand::start()?;
    let asked = Asked { sizes, has_kubelet: !has("--no-kubelet"), is_held: has("--pause") };
    let measured = tokio::runtime::Runtime::new()?.block_on(measure(&mut stand, &asked));
    measured.inspect_err(|_| eprintln!("udn node said last:\n{}", stand.said()))
}

/// What is to be measured.
struct Asked<'a> {
    sizes: &'a [usize],
    has_kubelet: bool,
    is_held: bool,
}

async fn measure(stand: &mut Stand, asked: &Asked<'_>) -> Outcome<()> {
    let waits = if asked.has_kubelet {
        Some(measure_waits(stand).await?)
    } else {
        stand.install()?;
        None
    };
    stand.stop_kubelet();
    let rounds = measure_adds(stand, asked).await?;
    table::print(&rounds, waits.as_ref());
    Ok(())
}

/// What was measured may not be a plugin of yesterday: it is no part of this package.
fn build_plugin() -> Outcome<()> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--quiet", "--release", "--package", "udn-cni"]);
    let status = command.args(["--bin", "ovn-k8s-cni-overlay"]).status()?;
    if status.success() { Ok(()) } else { Err("the plugin cannot be built".into()) }
}

/// How long pods took with each plugin; the bridge first, while nothing of ours runs.
async fn measure_waits(stand: &mut Stand) -> Outcome<Waits> {
    stand.use_bridge()?;
    let bridge = ready::measure(stand, ready::PLAIN).await?;
    eprintln!("measured pods on the bridge");
    stand.install()?;
    stand.grow(1).await?;
    let ours = ready::measure(stand, &stand::tenant(0)).await?;
    eprintln!("measured pods on a network of ours");
    Ok(Waits { bridge, ours })
}

async fn measure_adds(stand: &mut Stand, asked: &Asked<'_>) -> Outcome<Vec<Round>> {
    let mut rounds = Vec::new();
    for size in asked.sizes {
        let took = stand.grow(*size).await?;
        eprintln!("{size} networks stand after {:.1} s", took.as_secs_f64());
        let round = adds::measure(stand, *size).await?;
        table::progress(&round);
        rounds.push(round);
        if asked.is_held {
            eprintln!("udn node is program {}; Enter goes on", stand.agent()?);
            std::io::stdin().read_line(&mut String::new())?;
        }
    }
    Ok(rounds)
}

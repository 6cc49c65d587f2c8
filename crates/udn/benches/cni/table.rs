//! What a person sees of the bench, and what the register keeps.
//!
//! Invariant: a goal stands beside the figure that it is about.

use crate::adds::Round;
use crate::ready::Waits;
use crate::runtime::STEPS;

/// The quantiles that are shown.
const SHOWN: [usize; 3] = [50, 90, 99];

pub(crate) fn progress(round: &Round) {
    let (half, most) = (quantile(&round.shares, 50), quantile(&round.shares, 99));
    let (networks, memory) = (round.networks, round.memory.0);
    eprintln!("{networks} networks: share {half:.2} ms, p99 {most:.2} ms; {memory:.1} MB");
}

pub(crate) fn print(rounds: &[Round], waits: Option<&Waits>) {
    println!(
        "{:<34} {:>9} {:>9} {:>9} {:>9}",
        "ADD, milliseconds", "networks", "p50", "p90", "p99"
    );
    for round in rounds {
        let rows: [(&str, &[f64]); 6] = [
            ("our share, as the server counts", &round.shares),
            ("the plugin's process, less waits", &round.processes),
            ("the plugin's process", &round.totals),
            ("of that, waits for the pod", &round.for_pod),
            ("of that, waits for OVN", &round.for_flows),
            ("DEL, the plugin's process", &round.dels),
        ];
        for (name, seconds) in rows {
            let [half, most, all] = SHOWN.map(|percent| quantile(seconds, percent));
            println!("{name:<34} {:>9} {half:>9.2} {most:>9.2} {all:>9.2}", round.networks);
        }
        for (step, seconds) in STEPS.iter().zip(&round.steps) {
            let [half, most, all] = SHOWN.map(|percent| quantile(seconds, percent));
            let name = format!("  step of the share: {step}");
            println!("{name:<34} {:>9} {half:>9.2} {most:>9.2} {all:>9.2}", round.networks);
        }
        let (held, most) = round.memory;
        println!(
            "{:<34} {:>9} {held:>9.1} {:>9} {most:>9.1}",
            "udn node, MB and most", round.networks, ""
        );
    }
    if let Some(waits) = waits {
        for (name, seconds) in [("the bridge", &waits.bridge), ("our network", &waits.ours)] {
            let name = format!("create to Ready on {name}");
            let [half, most, all] = SHOWN.map(|percent| quantile(seconds, percent));
            println!("{name:<34} {:>9} {half:>9.0} {most:>9.0} {all:>9.0}", "");
        }
    }
    figures(rounds, waits);
}

fn figures(rounds: &[Round], waits: Option<&Waits>) {
    for round in rounds {
        let networks = round.networks;
        println!("figure: share-{networks}-p50 {:.2} ms", quantile(&round.shares, 50));
        println!("figure: share-{networks}-p99 {:.2} ms goal <= 20", quantile(&round.shares, 99));
        println!("figure: process-{networks}-p99 {:.2} ms", quantile(&round.processes, 99));
    }
    let of = |networks: usize| rounds.iter().find(|it| it.networks == networks);
    if let (Some(one), Some(many)) = (of(1), of(200)) {
        for percent in [50, 99] {
            let growth = quantile(&many.shares, percent) / quantile(&one.shares, percent);
            println!("figure: share-200-to-1-p{percent} {growth:.2} times goal <= 1.2");
        }
    }
    if let Some(many) = of(200) {
        println!("figure: udn-node-200-rss {:.1} MB goal <= 60", many.memory.0);
        println!("figure: udn-node-200-peak {:.1} MB", many.memory.1);
    }
    if let Some(Waits { bridge, ours }) = waits {
        for percent in [50, 99] {
            let (bridge, ours) = (quantile(bridge, percent), quantile(ours, percent));
            println!("figure: bridge-ready-p{percent} {bridge:.0} ms");
            println!("figure: pod-ready-p{percent} {ours:.0} ms");
        }
    }
}

/// The figure of which so many of a hundred are not above, in milliseconds.
fn quantile(seconds: &[f64], percent: usize) -> f64 {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(place).copied().unwrap_or_default() * 1e3
}

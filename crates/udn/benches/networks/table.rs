//! What a person sees of the bench.
//!
//! Invariant: a goal that is missed is said to be missed.

use std::time::Duration;

use crate::networks::Taken;

/// One size.
pub(crate) struct Round {
    pub(crate) size: usize,
    pub(crate) bare: Taken,
    pub(crate) ours: Taken,
}

pub(crate) fn progress(rounds: &[Round]) {
    if let Some(round) = rounds.last() {
        let Round { size, bare, ours } = round;
        eprintln!("{size} networks: {:.2} s, bare {:.2} s", ours.seconds, bare.seconds);
    }
}

pub(crate) fn print(rounds: &[Round]) {
    println!(
        "{:>9} {:>14} {:>14} {:>7} {:>9} {:>12} {:>10}",
        "networks",
        "bare client, s",
        "controller, s",
        "ratio",
        "CPU, s",
        "CPU/net, ms",
        "peak, MiB"
    );
    for Round { size, bare, ours } in rounds {
        println!(
            "{size:>9} {:>14.2} {:>14.2} {:>7.2} {:>9.2} {:>12.2} {:>10.1}",
            bare.seconds,
            ours.seconds,
            ours.seconds / bare.seconds,
            ours.busy,
            ours.busy * 1e3 / count(*size),
            ours.peak
        );
    }
    let goal =
        |name: &str, is_met: bool| println!("{} {name}", if is_met { "met   " } else { "MISSED" });
    if let Some(it) = rounds.iter().find(|it| it.size == 400) {
        goal("400: at most 1.2 x the bare client", it.ours.seconds <= 1.2 * it.bare.seconds);
        goal("400: at most 2.5 s", it.ours.seconds <= 2.5);
        goal("400: at most 0.5 s of CPU", it.ours.busy <= 0.5);
        goal("400: at most 40 MiB", it.ours.peak <= 40.0);
    }
    if let [first, .., last] = rounds {
        let cost = |it: &Round| it.ours.busy / count(it.size);
        goal(
            "CPU per network at the largest within 1.3 x of the smallest",
            cost(last) <= 1.3 * cost(first),
        );
    }
}

pub(crate) fn print_garbage(well: &[Duration], ill: &[Duration]) {
    let at = |times: &[Duration], part: usize| {
        times.get(times.len() * part / 100).copied().unwrap_or_default().as_secs_f64() * 1e3
    };
    println!("\n{:>24} {:>9} {:>9} {:>9}", "99 networks, ms", "p50", "p90", "p99");
    for (name, times) in [("alone", well), ("beside garbage", ill)] {
        println!("{name:>24} {:>9.1} {:>9.1} {:>9.1}", at(times, 50), at(times, 90), at(times, 99));
    }
    let ratio = at(ill, 99) / at(well, 99);
    let verdict = if ratio <= 1.2 { "met   " } else { "MISSED" };
    println!("{verdict} p99 within 1.2 x: {ratio:.2}");
}

fn count(size: usize) -> f64 {
    f64::from(u32::try_from(size).unwrap_or(u32::MAX))
}

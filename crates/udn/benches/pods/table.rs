//! What a person sees of the bench.
//!
//! Invariant: a goal that is missed is said to be missed.

use crate::Size;
use crate::pods::Taken;

/// One size.
pub(crate) struct Round {
    pub(crate) size: Size,
    pub(crate) bare: Taken,
    pub(crate) ours: Taken,
}

impl Round {
    fn rate(&self, taken: &Taken) -> f64 {
        count(self.size.pods) / taken.seconds
    }

    fn ratio(&self) -> f64 {
        self.rate(&self.ours) / self.rate(&self.bare)
    }

    /// Milliseconds of processor time for each pod.
    fn cost(&self, taken: &Taken) -> f64 {
        taken.busy * 1e3 / count(self.size.pods)
    }
}

pub(crate) fn progress(rounds: &[Round]) {
    if let Some(round) = rounds.last() {
        let Size { pods, networks } = round.size;
        let (ours, bare) = (round.rate(&round.ours), round.rate(&round.bare));
        eprintln!("{pods} pods over {networks} networks: {ours:.0} pods/s, bare {bare:.0} pods/s");
    }
}

pub(crate) fn print(rounds: &[Round]) {
    println!(
        "{:>6} {:>8} {:<10} {:>7} {:>6} {:>8} {:>8} {:>11} {:>9}",
        "pods",
        "networks",
        "who",
        "pods/s",
        "ratio",
        "p50, ms",
        "p99, ms",
        "CPU/pod, ms",
        "peak, MiB"
    );
    for round in rounds {
        let Size { pods, networks } = round.size;
        for (who, taken) in [("bare", &round.bare), ("controller", &round.ours)] {
            println!(
                "{pods:>6} {networks:>8} {who:<10} {:>7.0} {:>6.2} {:>8.1} {:>8.1} {:>11.3} {:>9.1}",
                round.rate(taken),
                round.rate(taken) / round.rate(&round.bare),
                taken.half,
                taken.most,
                round.cost(taken),
                taken.peak
            );
        }
    }
    for round in rounds {
        let Size { pods, networks } = round.size;
        let goal = |name: &str, is_met: bool| {
            let verdict = if is_met { "met   " } else { "MISSED" };
            println!("{verdict} {pods} over {networks}: {name}");
        };
        goal("at least 0.8 x the bare client", round.ratio() >= 0.8);
        goal("at most 0.5 ms of CPU for each pod", round.cost(&round.ours) <= 0.5);
        goal("at most 60 MB", round.ours.peak * 1.048_576 <= 60.0);
    }
    if let [first, .., last] = rounds {
        let cost = |it: &Round| it.cost(&it.ours);
        let verdict = if cost(last) <= 1.3 * cost(first) { "met   " } else { "MISSED" };
        println!("{verdict} CPU per pod with the most networks within 1.3 x of the fewest");
    }
}

fn count(size: usize) -> f64 {
    f64::from(u32::try_from(size).unwrap_or(u32::MAX))
}

//! Prints figures side by side, and holds them against the goals.
//!
//! Invariant: a ratio above one means that ours is better.

use crate::rounds::Results;

/// Goals: so many times the writes, so small a part of the memory, so short a start.
const WRITES: f64 = 5.0;
const MEMORY: f64 = 10.0;
const START: f64 = 0.1;

pub(crate) fn print(ours: &str, real: &str, our: &Results, their: &Results) {
    println!("\n{:<34} {ours:>14} {real:>20} {:>8}", "", "ratio");
    let more = |name: &str, our: f64, their: f64| {
        println!("{name:<34} {our:>14.0} {their:>20.0} {:>7.1}x", our / their);
    };
    let less = |name: &str, our: f64, their: f64| {
        println!("{name:<34} {our:>14.1} {their:>20.1} {:>7.1}x", their / our);
    };
    let mebibytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    more("creates a second, 32 at once", our.creates, their.creates);
    more("creates a second, one by one", our.single, their.single);
    more("merge patches a second, 32 at once", our.patches, their.patches);
    let pods = our.pods;
    less(&format!("list of {pods} pods, ms"), our.list * 1e3, their.list * 1e3);
    if let (Some(our), Some(their)) = (our.fan_out, their.fan_out) {
        less("a change to all watchers, p50 ms", our.0 * 1e3, their.0 * 1e3);
        less("a change to all watchers, p99 ms", our.1 * 1e3, their.1 * 1e3);
    }
    let (small, large) = (mebibytes(our.memory), mebibytes(their.memory));
    less(&format!("memory with {pods} pods, MiB"), small, large);
    let (small, large) = (mebibytes(our.memory_after), mebibytes(their.memory_after));
    less("memory after listing them, MiB", small, large);
    less("start to first answer, ms", our.start * 1e3, their.start * 1e3);
}

/// Says of every goal whether it is met.
pub(crate) fn judge(pairs: [(&str, &Results, &Results); 2]) {
    let say = |is_met: bool, goal: String| {
        println!("{} {goal}", if is_met { "met:   " } else { "missed:" });
    };
    for (name, our, their) in pairs {
        let creates = our.creates / their.creates;
        say(creates >= WRITES, format!("{name}, {WRITES} times the creates ({creates:.1})"));
        let patches = our.patches / their.patches;
        say(patches >= WRITES, format!("{name}, {WRITES} times the patches ({patches:.1})"));
        let memory = their.memory as f64 / our.memory as f64;
        say(memory >= MEMORY, format!("{name}, 1/{MEMORY} of the memory (1/{memory:.1})"));
        let start = our.start * 1e3;
        say(our.start <= START, format!("{name}, start in {:.0} ms ({start:.0})", START * 1e3));
    }
}

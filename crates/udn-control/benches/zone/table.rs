//! What a person sees of the bench, and what the register keeps.
//!
//! Invariant: a goal stands beside the figure that it is about.

use crate::ports::Ups;
use crate::rounds::{Added, Round};
use crate::shape::{Kind, Shape};

/// What OVN-Kubernetes took on this machine for the cold start, NB as it left it.
const OVN_KUBERNETES: &str = "17.9 s, 15.9 s of CPU, 442 MB";

pub(crate) fn print(rounds: &[Round], ups: &[Ups]) {
    let names: String = rounds.iter().map(|it| format!("{:>12}", it.shape.to_string())).collect();
    println!("{:<52}{names}", "networks");
    for (name, figure) in rows() {
        let cells: String = rounds.iter().map(|it| format!("{:>12.2}", figure(it))).collect();
        println!("{name:<52}{cells}");
    }
    println!("OVN-Kubernetes, cold start with 450 networks: {OVN_KUBERNETES}");
    for Ups { networks, ports, ours, raw } in ups {
        let ratio = ours / raw;
        println!(
            "{networks} networks, {ports} ports up: {ours:.2} s; from one raw transaction {raw:.2} s; × {ratio:.2}"
        );
    }
    figures(rounds, ups);
}

type Figure = fn(&Round) -> f64;

fn rows() -> [(&'static str, Figure); 24] {
    [
        ("pods", |it| it.pods as f64),
        ("cold start until NB is complete, s", |it| it.cold.seconds),
        ("cold start, CPU s", |it| it.cold.busy),
        ("cold start, peak MB", |it| it.peak),
        ("cold start, transactions", |it| it.cold.transactions),
        ("start anew, nothing to write, s", |it| it.anew.seconds),
        ("start anew, CPU s", |it| it.anew.busy),
        ("one pod: event to commit, ms", |it| it.pod.half),
        ("one pod: nine of ten within, ms", |it| it.pod.most),
        ("one pod: of that from drawing on, ms", |it| it.pod.commit),
        ("one pod: request to rest, ms", |it| it.pod.all),
        ("one pod: CPU ms", |it| it.pod.busy),
        ("one pod: transactions", |it| it.pod.transactions),
        ("one network: event to commit, ms", |it| it.network.half),
        ("one network: nine of ten within, ms", |it| it.network.most),
        ("one network: of that from drawing on, ms", |it| it.network.commit),
        ("one network: request to rest, ms", |it| it.network.all),
        ("one network: CPU ms", |it| it.network.busy),
        ("one network: transactions", |it| it.network.transactions),
        ("one node: event to commit, mean of all networks, ms", |it| it.node.half),
        ("one node: nine of ten within, ms", |it| it.node.most),
        ("one node: request to rest, ms", |it| it.node.all),
        ("one node: CPU ms", |it| it.node.busy),
        ("one node: transactions", |it| it.node.transactions),
    ]
}

fn figures(rounds: &[Round], ups: &[Ups]) {
    let of = |networks: usize| {
        rounds.iter().find(|it| it.shape == Shape { networks, kind: Kind::Layer2 })
    };
    let mixed = rounds.iter().find(|it| it.shape.kind == Kind::Mixed);
    let starts = [of(450).map(|it| ("450", it)), mixed.map(|it| ("mixed", it))];
    for (name, it) in starts.into_iter().flatten() {
        println!("figure: cold-{name}-time {:.2} s goal <= 2", it.cold.seconds);
        println!("figure: cold-{name}-cpu {:.2} s goal <= 1.5", it.cold.busy);
        println!("figure: cold-{name}-peak {:.1} MB goal <= 60", it.peak);
        println!("figure: cold-{name}-transactions {:.0} transactions", it.cold.transactions);
    }
    for round in rounds {
        let of = |name: &str, added: &Added, goal: &str| {
            let cluster = match round.shape.kind {
                Kind::Layer2 => round.shape.networks.to_string(),
                Kind::Mixed => "mixed".to_owned(),
            };
            println!("figure: {name}-{cluster}-commit {:.2} ms{goal}", added.half);
            println!("figure: {name}-{cluster}-cpu {:.2} ms", added.busy);
        };
        of("pod", &round.pod, " goal <= 2");
        of("network", &round.network, "");
        of("node", &round.node, "");
    }
    if let (Some(small), Some(large)) = (of(50), of(1_350)) {
        let growth = large.pod.half / small.pod.half;
        println!("figure: pod-1350-to-50 {growth:.2} times goal <= 1.2");
    }
    for Ups { networks, ours, raw, .. } in ups {
        println!("figure: ports-up-{networks}-to-raw {:.2} times goal <= 1.2", ours / raw);
    }
}

//! kubectl says of `udn apiserver` what it says of kube-apiserver.
//!
//! The same script runs against both; what is different by nature, such as times, is made equal.
//! Invariant: a command whose output may differ says why in the script.

mod even;
mod play;
mod script;
mod server;

use std::fmt::Write as _;

use udn_lab::kubernetes::Cluster;

use script::Step;

const SCRIPT: &[(&str, &str)] = &[
    ("apply", include_str!("kubectl/apply.txt")),
    ("get", include_str!("kubectl/get.txt")),
    ("change", include_str!("kubectl/change.txt")),
    ("delete", include_str!("kubectl/delete.txt")),
    ("describe", include_str!("kubectl/describe.txt")),
    ("rights", include_str!("kubectl/rights.txt")),
    ("nodes", include_str!("kubectl/nodes.txt")),
    ("kinds", include_str!("kubectl/kinds.txt")),
    ("networks", include_str!("kubectl/networks.txt")),
];

#[test]
fn kubectl_cannot_tell_the_servers_apart() {
    let steps: Vec<Step> =
        SCRIPT.iter().flat_map(|(name, text)| script::read(name, text)).collect();
    let ours = server::Ours::start();
    let theirs = Cluster::start().expect("the cluster starts");
    let (ours, theirs) = std::thread::scope(|scope| {
        let ours = scope.spawn(|| play::play(&steps, ours.kubeconfig()));
        let theirs = scope.spawn(|| play::play(&steps, theirs.kubeconfig()));
        (ours.join().expect("it plays"), theirs.join().expect("it plays"))
    });
    let mut report = String::new();
    for ((step, ours), theirs) in steps.iter().zip(&ours).zip(&theirs) {
        let (ours, theirs) = (even::even(ours), even::even(theirs));
        // What is excused may be equal all the same, where a controller was slow.
        if step.excuse.is_none() && ours != theirs {
            writeln!(report, "{}\n{}", step.shown(), difference(&ours, &theirs))
                .expect("a string takes all");
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

/// Lines that only one of two texts has, in their order: `-` kube-apiserver's, `+` ours.
fn difference(ours: &str, theirs: &str) -> String {
    let (ours, theirs): (Vec<&str>, Vec<&str>) = (ours.lines().collect(), theirs.lines().collect());
    let same_start = ours.iter().zip(&theirs).take_while(|(ours, theirs)| ours == theirs).count();
    let rest = ours.len().min(theirs.len()) - same_start;
    let same_end = ours.iter().rev().zip(theirs.iter().rev()).take(rest);
    let same_end = same_end.take_while(|(ours, theirs)| ours == theirs).count();
    let middle = |lines: &[&str], mark: &str| -> Vec<String> {
        lines[same_start..lines.len() - same_end]
            .iter()
            .map(|it| format!("  {mark} {it}"))
            .collect()
    };
    [middle(&theirs, "-"), middle(&ours, "+")].concat().join("\n")
}

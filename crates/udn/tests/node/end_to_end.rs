//! A judge that is not ours: specs of Kubernetes' own end-to-end suite, on the default network.
//!
//! Played are the specs that need pods, nodes and host ports alone: the default network has no
//! Services and no network policies. Left out are SCTP, which needs a module that kernels may lack,
//! and what needs the Internet.
//!
//! Reads what the suite prints; returns nothing.
//! Invariant: a spec that fails, is skipped or is not found fails the test.

use std::process::Command;
use std::thread::scope;

use crate::stand::Stand;

/// Which specs are played, and how many there are; rounds are played side by side, because specs
/// wait most of the time. None of them touches what another one made.
const ROUNDS: &[(&str, usize)] = &[
    // Pods reach pods on their own node and on others, and nodes reach pods.
    (r"Granular Checks: Pods should function for (intra|node)-pod communication: (http|udp) ", 4),
    // Each pod reaches each other one at its addresses of both families, for ten seconds each.
    (r"IPv6DualStack\] should be able to reach pod on ipv4 and ipv6 ip", 1),
    // Nodes and pods have addresses of both families; host ports of several pods do not meet.
    (r"IPv6DualStack\] should (have ipv4|create pod)|HostPort validates", 4),
    // Pods see each other's own address; a pod is wired until its last container ended.
    (r"NoSNAT|Connectivity Pod Lifecycle should .* terminating Pod", 3),
];

#[test]
fn specs_of_kubernetes_own_suite_pass() {
    let stand = Stand::start(2);
    let suite =
        |focus| stand.cluster.end_to_end(focus).expect("the suite and its images are there");
    let rounds: Vec<(Command, usize)> =
        ROUNDS.iter().map(|(focus, count)| (suite(focus), *count)).collect();
    scope(|scope| {
        for (command, count) in rounds {
            scope.spawn(move || play(command, count));
        }
    });
}

/// Plays one round; all of so many specs must pass.
fn play(mut suite: Command, count: usize) {
    // The suite would play the specs in another order each time, and hope for an hour.
    suite.args(["--ginkgo.seed=1", "--ginkgo.timeout=5m"]);
    let output = suite.output().expect("the suite can be run");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    let summary = text.lines().find(|line| line.starts_with("Ran ")).expect("it sums up");
    println!("{summary}");
    assert!(summary.starts_with(&format!("Ran {count} of ")), "{summary}");
    assert!(text.contains(&format!("{count} Passed | 0 Failed")), "{text}");
}

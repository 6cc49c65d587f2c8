//! The judge that is not ours: specs of Kubernetes' own end-to-end suite on the bridge plugin.

use udn_lab::run::run;

use crate::scene::start;

#[test]
fn specs_of_kubernetes_own_suite_pass() {
    let cluster = start(1);
    let focus = r"Granular Checks: Pods should function for intra-pod communication: (http|udp) ";
    let mut suite = cluster.end_to_end(focus).expect("the suite and its images are there");
    let text = run(&mut suite).unwrap_or_else(|error| panic!("{error}"));
    let summary = text.lines().find(|line| line.starts_with("Ran ")).expect("it sums up");
    println!("{summary}");
    assert!(summary.starts_with("Ran 2 of "), "{summary}");
    assert!(text.contains("2 Passed | 0 Failed"), "{text}");
}

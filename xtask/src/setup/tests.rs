use udn_lab::setup::{Part, SetupError, State};

use super::{Gap, Readiness};
use crate::verdict::Verdict;

#[test]
fn nothing_missing_is_ready() {
    assert_eq!(Gap::find(Ok(State::Ready)), None);
    assert_eq!(Readiness::new(&[]), Readiness::default());
    assert_eq!(Readiness::default().verdict(), Verdict::Pass);
}

#[test]
fn what_cannot_be_had_is_told_and_no_failure() {
    let gap = Gap::find(Ok(State::Impossible { reason: "Go is missing".into() })).unwrap();
    let sentence = gap.sentence(Part::Kubernetes);
    assert_eq!(sentence, "set-up: Kubernetes cannot be had here: Go is missing");
    let readiness = Readiness::new(&[(Part::Kubernetes, gap)]);
    assert_eq!(readiness.kubernetes.as_deref(), Some("Go is missing"));
    assert_eq!(readiness.ovn, None);
    assert_eq!(readiness.verdict(), Verdict::Pass);
}

#[test]
fn a_part_of_nodes_that_cannot_be_had_stops_nodes_alone() {
    let gap = Gap::find(Ok(State::Impossible { reason: "Go is missing".into() })).unwrap();
    let readiness = Readiness::new(&[(Part::CniPlugins, gap)]);
    assert_eq!(readiness.node.as_deref(), Some("no CNI plugins: Go is missing"));
    assert_eq!(readiness.kubernetes, None);
}

#[test]
fn what_was_tried_in_vain_is_a_failure() {
    let error = SetupError::Failed { command: "mmdebstrap".into(), words: "no route".into() };
    let gap = Gap::find(Err(error)).unwrap();
    assert!(gap.sentence(Part::OvnRoot).contains("`mmdebstrap` failed"));
    let readiness = Readiness::new(&[(Part::OvnRoot, gap)]);
    assert!(readiness.ovn.as_ref().is_some_and(|reason| reason.contains("no route")));
    assert_eq!(readiness.verdict(), Verdict::Fail);
}

#[test]
fn a_part_that_is_missing_after_it_was_made_is_a_failure() {
    let gap = Gap::find(Ok(State::Missing)).unwrap();
    assert_eq!(Readiness::new(&[(Part::HostPackages, gap)]).verdict(), Verdict::Fail);
}

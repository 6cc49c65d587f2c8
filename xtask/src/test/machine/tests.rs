use super::Machine;
use crate::setup::Readiness;
use crate::shelf::Shelf;

fn complete() -> Machine {
    Machine { is_root: true, has_shared_cases: true, readiness: Readiness::default() }
}

#[test]
fn a_complete_machine_runs_every_shelf() {
    for shelf in Shelf::TESTED {
        assert_eq!(complete().obstacle(shelf), None, "{shelf:?}");
    }
}

#[test]
fn each_missing_thing_stops_its_shelves_and_is_named() {
    let no_root = Machine { is_root: false, ..complete() };
    check(&no_root, &[Shelf::Ovn, Shelf::Node, Shelf::Vm], "root");
    let no_cases = Machine { has_shared_cases: false, ..complete() };
    check(&no_cases, &[Shelf::Peer], "shared cases");
    let readiness = Readiness { ovn: Some("no mmdebstrap".into()), ..Readiness::default() };
    check(
        &Machine { readiness, ..complete() },
        &[Shelf::Ovn, Shelf::Node, Shelf::Vm],
        "no mmdebstrap",
    );
    let readiness = Readiness { kubernetes: Some("Go is missing".into()), ..Readiness::default() };
    check(
        &Machine { readiness, ..complete() },
        &[Shelf::Api, Shelf::Node, Shelf::Vm],
        "Go is missing",
    );
    let readiness = Readiness { node: Some("no kubelet".into()), ..Readiness::default() };
    check(&Machine { readiness, ..complete() }, &[Shelf::Node, Shelf::Vm], "no kubelet");
}

fn check(machine: &Machine, stopped: &[Shelf], word: &str) {
    for shelf in Shelf::TESTED {
        let obstacle = machine.obstacle(shelf);
        assert_eq!(obstacle.is_some(), stopped.contains(&shelf), "{shelf:?}");
        assert!(obstacle.is_none_or(|sentence| sentence.contains(word)), "{shelf:?}");
    }
}

use super::{Plan, Skip};
use crate::args::TestRequest;
use crate::setup::Readiness;
use crate::shelf::Shelf;
use crate::test::machine::Machine;
use crate::text_file::TextFile;

const TARGETS: [(&str, &str); 3] =
    [("ovsdb", "property"), ("ovsdb-net", "ovn"), ("udn-lab", "ovn")];

fn plan(request: &TestRequest, is_root: bool) -> Plan {
    let files = [TextFile::new(
        "crates/udn-lab/tests/ovn/ping.rs",
        "#[test]\nfn a() {}\n#[tokio::test(flavor = \"multi_thread\")]\nasync fn b() {}\n",
    )];
    let machine = Machine { is_root, has_shared_cases: true, readiness: Readiness::default() };
    Plan::new(request, &TARGETS, &files, &machine)
}

#[test]
fn every_shelf_with_tests_runs_on_a_complete_machine() {
    let plan = plan(&TestRequest::everything(), true);
    let shelves: Vec<Shelf> = plan.runs.iter().map(|run| run.shelf).collect();
    assert_eq!(shelves, [Shelf::Unit, Shelf::Property, Shelf::Ovn]);
    assert_eq!(plan.runs[0].calls, [vec!["--lib", "--bins"], vec!["--doc"]]);
    assert_eq!(plan.runs[2].calls, [["--test", "ovn"]]);
    assert_eq!(plan.skips, []);
    assert!(plan.empty.contains(&Shelf::Vm));
}

#[test]
fn a_shelf_that_cannot_run_is_skipped_with_its_tests_counted() {
    let plan = plan(&TestRequest::everything(), false);
    let reason = "it makes network namespaces, which needs root".to_owned();
    assert_eq!(plan.skips, [Skip { shelf: Shelf::Ovn, tests: 2, reason }]);
    assert_eq!(plan.skipped_tests(), 2);
}

#[test]
fn only_the_shelves_asked_for_are_planned() {
    let request = TestRequest { shelves: vec![Shelf::Property], ..TestRequest::everything() };
    let plan = plan(&request, false);
    assert_eq!(plan.runs.len(), 1);
    assert_eq!(plan.skips, []);
    assert_eq!(plan.empty, []);
}

use super::Shelf;
use crate::text_file::TextFile;

fn check(path: &str, want: Option<Shelf>) {
    assert_eq!(Shelf::of_file(&TextFile::new(path, "")), want, "{path}");
}

#[test]
fn the_place_of_a_file_names_its_shelf() {
    check("crates/ovsdb/src/cache/tests.rs", Some(Shelf::Unit));
    check("crates/ovsdb/src/value.rs", Some(Shelf::Unit));
    check("crates/ovsdb/tests/property_engine.rs", Some(Shelf::Property));
    check("crates/ovsdb-net/tests/ovn.rs", Some(Shelf::Ovn));
    check("crates/udn-lab/tests/ovn_two_nodes/main.rs", Some(Shelf::Ovn));
    check("crates/udn-lab/tests/ovn_two_nodes/ping.rs", Some(Shelf::Ovn));
    check("crates/ovsdb-net/benches/ovsdb.rs", Some(Shelf::Bench));
    check("xtask/src/shelf/tests.rs", Some(Shelf::Unit));
}

#[test]
fn an_unknown_prefix_names_no_shelf() {
    check("crates/ovsdb/tests/engine.rs", None);
    check("crates/ovsdb/tests/unit_engine.rs", None);
    check("crates/ovsdb/tests/bench_engine.rs", None);
    check("README.md", None);
}

#[test]
fn every_name_reads_back() {
    for shelf in Shelf::TESTED.into_iter().chain([Shelf::Bench]) {
        assert_eq!(Shelf::parse(shelf.name()), Some(shelf));
    }
    assert_eq!(Shelf::parse("integration"), None);
}

#[test]
fn a_higher_shelf_proves_what_a_lower_one_would() {
    assert!(Shelf::Ovn.satisfies(Shelf::Api));
    assert!(Shelf::Property.satisfies(Shelf::Golden));
    assert!(Shelf::Unit.satisfies(Shelf::Golden));
    assert!(!Shelf::Golden.satisfies(Shelf::Fault));
    assert!(!Shelf::Fault.satisfies(Shelf::Api));
    assert!(!Shelf::Api.satisfies(Shelf::Ovn));
}

#[test]
fn only_a_bench_proves_a_bench() {
    assert!(Shelf::Bench.satisfies(Shelf::Bench));
    assert!(!Shelf::Vm.satisfies(Shelf::Bench));
    assert!(!Shelf::Bench.satisfies(Shelf::Unit));
}

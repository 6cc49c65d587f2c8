use super::Shelf;
use crate::text_file::TextFile;

fn check(path: &str, want: Option<Shelf>) {
    assert_eq!(Shelf::of_file(&TextFile::new(path, "")), want, "{path}");
}

#[test]
fn the_place_of_a_file_names_its_shelf() {
    check("crates/ovsdb/src/cache/tests.rs", Some(Shelf::Unit));
    check("crates/ovsdb/src/value.rs", Some(Shelf::Unit));
    check("crates/ovsdb/tests/property.rs", Some(Shelf::Property));
    check("crates/ovsdb-net/tests/ovn/main.rs", Some(Shelf::Ovn));
    check("crates/udn-lab/tests/ovn/two_nodes/ping.rs", Some(Shelf::Ovn));
    check("crates/udn-lab/tests/api/tests/more.rs", Some(Shelf::Api));
    check("crates/ovsdb-net/benches/ovsdb.rs", Some(Shelf::Bench));
    check("xtask/src/shelf/tests.rs", Some(Shelf::Unit));
}

#[test]
fn any_other_name_is_no_shelf() {
    check("crates/ovsdb/tests/engine.rs", None);
    check("crates/ovsdb/tests/property_engine.rs", None);
    check("crates/ovsdb/tests/rig/proxy.rs", None);
    check("crates/ovsdb/tests/unit.rs", None);
    check("crates/ovsdb/tests/bench/engine.rs", None);
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
fn the_shelves_without_real_parts_are_one_kind() {
    let pure = [Shelf::Unit, Shelf::Golden, Shelf::Peer, Shelf::Property];
    for have in pure {
        assert!(pure.iter().all(|want| have.satisfies(*want)), "{have:?}");
    }
}

#[test]
fn every_other_shelf_is_proven_by_itself_alone() {
    let others = [Shelf::Fault, Shelf::Api, Shelf::Ovn, Shelf::Node, Shelf::Vm, Shelf::Bench];
    for want in others {
        for have in Shelf::TESTED.into_iter().chain([Shelf::Bench]) {
            assert_eq!(have.satisfies(want), have == want, "{have:?} for {want:?}");
        }
    }
}

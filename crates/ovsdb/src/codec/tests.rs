//! Tests of this module. What is an error here, and which, was asked of ovsdb-server 3.5.

use serde_json::{Value, json};

use super::{Strictness, atom_from_json, datum_from_json};
use crate::fault::Fault;
use crate::schema::{BaseType, Bounds, ColumnType};
use crate::value::{Atom, AtomKind, Datum, Real, Uuid};

const UUID: &str = "11111111-0000-4000-8000-000000000001";

fn small_integers() -> ColumnType {
    let key = BaseType::new(Bounds::Integer { min: -100, max: 100 }, None);
    ColumnType { max: Some(5), ..ColumnType::set(key) }
}

fn counts() -> ColumnType {
    let (key, value) = (BaseType::from(AtomKind::String), BaseType::from(AtomKind::Integer));
    ColumnType { max: Some(3), ..ColumnType::map(key, value) }
}

fn check(kind: &ColumnType, json: Value, want: Result<Datum, &str>) {
    let read = datum_from_json(kind, &json).map_err(|fault| fault.tag.into_owned());
    assert_eq!(read, want.map_err(str::to_owned), "{json}");
}

#[test]
fn atoms_are_read_by_type() {
    let check = |kind: AtomKind, json: Value, want: Option<Atom>| {
        assert_eq!(atom_from_json(kind, &json).ok(), want, "{kind} {json}");
    };
    let real = |number| Real::new(number).map(Atom::Real);
    check(AtomKind::Integer, json!(5), Some(Atom::from(5)));
    check(AtomKind::Integer, json!(5.0), Some(Atom::from(5)));
    check(AtomKind::Integer, json!(i64::MIN), Some(Atom::from(i64::MIN)));
    check(AtomKind::Integer, json!(1.5), None);
    check(AtomKind::Integer, json!(u64::MAX), None);
    check(AtomKind::Integer, json!("5"), None);
    check(AtomKind::Real, json!(5), real(5.0));
    check(AtomKind::Real, json!(-0.25), real(-0.25));
    check(AtomKind::Boolean, json!(true), Some(Atom::from(true)));
    check(AtomKind::Boolean, json!(1), None);
    check(AtomKind::String, json!("\u{e4}"), Some(Atom::from("\u{e4}")));
    check(AtomKind::String, json!(null), None);
    check(AtomKind::Uuid, json!(["uuid", UUID]), UUID.parse::<Uuid>().ok().map(Atom::Uuid));
    check(AtomKind::Uuid, json!(["uuid", UUID.replace('-', "")]), None);
    check(AtomKind::Uuid, json!(["named-uuid", "row_1"]), Some(Atom::Named("row_1".into())));
    check(AtomKind::Uuid, json!(["named-uuid", "row 1"]), None);
    check(AtomKind::Uuid, json!(UUID), None);
    check(AtomKind::Uuid, json!(["uuid", UUID, 1]), None);
}

#[test]
fn sets_are_checked_member_by_member() {
    let kind = small_integers();
    check(&kind, json!(7), Ok(Datum::from(7)));
    check(&kind, json!(["set", []]), Ok(Datum::empty_set()));
    check(&kind, json!(["set", [2, 1]]), Ok(Datum::set([1, 2])));
    check(&kind, json!(["set", [1, 2, 3, 4, 5, 6]]), Err(Fault::SYNTAX_ERROR));
    check(&kind, json!(["set", [1, 1]]), Err(Fault::UNNAMED));
    check(&kind, json!(101), Err(Fault::CONSTRAINT_VIOLATION));
    // The first member that is wrong decides.
    check(&kind, json!(["set", [101, "x"]]), Err(Fault::CONSTRAINT_VIOLATION));
    check(&kind, json!(["set", ["x", 101]]), Err(Fault::SYNTAX_ERROR));
    check(&kind, json!(["set", 5]), Err(Fault::SYNTAX_ERROR));
    check(&kind, json!(["set"]), Err(Fault::SYNTAX_ERROR));
    check(&kind, json!(["map", []]), Err(Fault::SYNTAX_ERROR));
    check(&kind, json!([]), Err(Fault::SYNTAX_ERROR));
    check(&kind, json!({}), Err(Fault::SYNTAX_ERROR));
}

#[test]
fn maps_are_read_as_pairs() {
    let kind = counts();
    check(&kind, json!(["map", [["b", 2], ["a", 1]]]), Ok(Datum::map([("a", 1), ("b", 2)])));
    check(&kind, json!(["map", [["a", 1], ["a", 2]]]), Err(Fault::UNNAMED));
    check(&kind, json!(["map", [["a"]]]), Err(Fault::SYNTAX_ERROR));
    check(&kind, json!(["map", [["a", 1, 2]]]), Err(Fault::SYNTAX_ERROR));
    check(&kind, json!(["map", [["a", "1"]]]), Err(Fault::SYNTAX_ERROR));
    check(&kind, json!(["set", []]), Err(Fault::SYNTAX_ERROR));
    check(&kind, json!("a"), Err(Fault::SYNTAX_ERROR));
}

#[test]
fn what_was_written_reads_the_same() {
    let uuids = ColumnType::set(BaseType::from(AtomKind::Uuid));
    let cases = [
        (small_integers(), Datum::set([3, 1])),
        (small_integers(), Datum::from(1)),
        (small_integers(), Datum::empty_set()),
        (counts(), Datum::map([("a", 1), ("\"\\", -1)])),
        (counts(), Datum::empty_map()),
        (uuids, Datum::set([Uuid::from_u128(1), Uuid::from_u128(2)])),
    ];
    for (kind, datum) in cases {
        let json = serde_json::to_value(&datum).unwrap();
        assert_eq!(datum_from_json(&kind, &json), Ok(datum), "{json}");
    }
}

#[test]
fn a_difference_may_break_the_limits() {
    let kind = small_integers();
    let shape = super::shape_from_json(&kind, &json!(["set", [1, 2, 3, 4, 5, 600]])).unwrap();
    assert!(kind.admit(shape.clone(), Strictness::Count).is_err());
    assert!(kind.admit(shape, Strictness::Atoms).is_ok());
}

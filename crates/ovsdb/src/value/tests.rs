//! Tests of this module.

use super::{Atom, AtomKind, Datum, Real, Uuid};

fn set(members: &[i64]) -> Datum {
    Datum::set(members.iter().copied())
}

fn map(entries: &[(&str, i64)]) -> Datum {
    Datum::map(entries.iter().copied())
}

#[test]
fn a_set_is_sorted_and_has_no_twins() {
    assert_eq!(set(&[3, 1, 3, 2]), set(&[1, 2, 3]));
    assert_eq!(set(&[2, 1]).atoms(), [Atom::from(1), Atom::from(2)]);
    assert_eq!(
        Datum::distinct_set([Atom::from(1), Atom::from(1)].into_iter().collect()).ok(),
        None
    );
    assert_eq!(
        Datum::distinct_map(vec![("a".into(), 1.into()), ("a".into(), 2.into())]).ok(),
        None
    );
}

#[test]
fn a_scalar_is_a_set_of_one() {
    assert_eq!(Datum::from("a"), Datum::set(["a"]));
    assert_eq!(Datum::from("a").as_str(), Some("a"));
    assert_eq!(Datum::set(["a", "b"]).as_str(), None);
    assert_eq!(Datum::empty_set().as_atom(), None);
}

#[test]
fn of_equal_keys_the_last_entry_stays() {
    assert_eq!(map(&[("a", 1), ("a", 2)]), map(&[("a", 2)]));
    assert_eq!(map(&[("b", 1), ("a", 2)]).value(&"a".into()), Some(&Atom::from(2)));
    assert_eq!(map(&[("a", 2)]).value(&"b".into()), None);
}

#[test]
fn a_difference_leads_from_old_to_new() {
    let check = |old: Datum, new: Datum, want: Datum| {
        assert_eq!(old.difference(&new), want, "{old:?} -> {new:?}");
        assert_eq!(old.apply_difference(&want), new, "{old:?} + {want:?}");
    };
    check(set(&[1, 2]), set(&[2, 3]), set(&[1, 3]));
    check(set(&[]), set(&[1]), set(&[1]));
    check(set(&[1]), set(&[]), set(&[1]));
    check(set(&[1]), set(&[1]), set(&[]));
    check(
        map(&[("a", 1), ("b", 2)]),
        map(&[("a", 9), ("c", 3)]),
        map(&[("a", 9), ("b", 2), ("c", 3)]),
    );
    check(map(&[("a", 1)]), map(&[("a", 1)]), Datum::empty_map());
}

#[test]
fn a_filter_keeps_what_it_is_told_to() {
    let small = |key: &Atom, _: Option<&Atom>| key < &Atom::from(3);
    assert_eq!(set(&[1, 2, 3, 4]).filter(small), set(&[1, 2]));
    let ones = |_: &Atom, value: Option<&Atom>| value == Some(&Atom::from(1));
    assert_eq!(map(&[("a", 1), ("b", 2)]).filter(ones), map(&[("a", 1)]));
}

#[test]
fn identifiers_are_found_wherever_they_are() {
    let [a, b] = [1, 2].map(Uuid::from_u128);
    assert_eq!(Datum::set([a, b]).uuids().collect::<Vec<_>>(), [a, b]);
    assert_eq!(Datum::map([(a, b)]).uuids().collect::<Vec<_>>(), [a, b]);
    assert_eq!(Datum::map([("x", b)]).uuids().collect::<Vec<_>>(), [b]);
    assert_eq!(Datum::from("x").uuids().count(), 0);
}

#[test]
fn reals_are_finite_and_ordered() {
    assert_eq!(Real::new(f64::NAN), None);
    assert_eq!(Real::new(f64::INFINITY), None);
    assert_eq!(Real::new(-0.0), Real::new(0.0));
    assert!(Real::new(-1.5) < Real::new(0.25));
}

#[test]
fn a_name_counts_as_an_identifier() {
    assert_eq!(Atom::Named("x".into()).kind(), AtomKind::Uuid);
    assert_eq!(Atom::Named("x".into()).as_uuid(), None);
}

#[test]
fn an_atom_is_no_larger_than_its_text() {
    // A replica holds millions of atoms.
    assert_eq!(size_of::<Atom>(), 24);
}

#[test]
fn a_value_is_no_larger_than_an_atom() {
    assert_eq!(size_of::<Datum>(), size_of::<Atom>());
}

#[test]
fn a_set_is_the_same_value_however_it_came_to_be() {
    let check = |from: &[i64], toggled: &[i64], want: &[i64]| {
        let mut changed = set(from);
        let undo = changed.change(set(toggled));
        assert_eq!(changed, set(want), "{from:?} with {toggled:?}");
        assert_eq!(changed.as_atom().is_some(), want.len() == 1);
        changed.change(undo);
        assert_eq!(changed, set(from), "and back");
    };
    check(&[], &[1], &[1]);
    check(&[1], &[1], &[]);
    check(&[1], &[2], &[1, 2]);
    check(&[1, 2], &[1], &[2]);
    check(&[1, 2], &[1, 2], &[]);
    let many: Vec<i64> = (0..40).collect();
    check(&many, &[40], &(0..41).collect::<Vec<_>>());
    check(&many, &[0], &many[1..]);
}

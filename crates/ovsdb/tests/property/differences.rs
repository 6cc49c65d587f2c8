//! Differences of sets and maps: applied in place or by merging, whole and taken back.

use std::collections::{BTreeMap, BTreeSet};

use ovsdb::Datum;
use proptest::prelude::*;

use crate::kept_failures;

/// Long enough that a small difference is applied in place.
const LONG: usize = 120;
const KEYS: i64 = 200;

fn set() -> impl Strategy<Value = BTreeSet<i64>> {
    proptest::collection::btree_set(0..KEYS, 0..LONG)
}

fn map() -> impl Strategy<Value = BTreeMap<i64, i64>> {
    proptest::collection::btree_map(0..KEYS, 0i64..3, 0..LONG)
}

fn as_set(members: &BTreeSet<i64>) -> Datum {
    Datum::set(members.iter().copied())
}

fn as_map(entries: &BTreeMap<i64, i64>) -> Datum {
    Datum::map(entries.iter().map(|(key, value)| (*key, *value)))
}

proptest! {
    #![proptest_config(kept_failures())]

    #[test]
    fn a_set_is_toggled_and_toggled_back(
        old in set(),
        toggled in proptest::collection::btree_set(0..KEYS, 0..5),
    ) {
        let new: BTreeSet<i64> = old.symmetric_difference(&toggled).copied().collect();
        let mut datum = as_set(&old);
        let undo = datum.change(as_set(&toggled));
        prop_assert_eq!(&datum, &as_set(&new));
        prop_assert_eq!(&as_set(&old).apply_difference(&as_set(&toggled)), &as_set(&new));
        datum.change(undo);
        prop_assert_eq!(datum, as_set(&old));
    }

    #[test]
    fn a_map_changes_entry_by_entry_and_back(
        old in map(),
        changed in proptest::collection::btree_map(0..KEYS, 0i64..3, 0..5),
    ) {
        let mut new = old.clone();
        for (key, value) in &changed {
            if new.get(key) == Some(value) {
                new.remove(key);
            } else {
                new.insert(*key, *value);
            }
        }
        let mut datum = as_map(&old);
        let undo = datum.change(as_map(&changed));
        prop_assert_eq!(&datum, &as_map(&new));
        prop_assert_eq!(&as_map(&old).apply_difference(&as_map(&changed)), &as_map(&new));
        datum.change(undo);
        prop_assert_eq!(datum, as_map(&old));
    }

    #[test]
    fn the_difference_of_any_two_values_leads_from_one_to_the_other(old in set(), new in set()) {
        let mut datum = as_set(&old);
        let undo = datum.change(as_set(&old).difference(&as_set(&new)));
        prop_assert_eq!(&datum, &as_set(&new));
        datum.change(undo);
        prop_assert_eq!(datum, as_set(&old));
    }
}

//! The set against a plain model of it.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::Intervals;

#[derive(Debug, Clone)]
enum Step {
    Take(u128, u128),
    GiveBack(u128),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0_u128..40, 0_u128..6).prop_map(|(first, length)| Step::Take(first, first + length)),
        (0_u128..50).prop_map(Step::GiveBack),
    ];
    prop::collection::vec(step, 0..40)
}

proptest! {
    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn equals_a_plain_set(steps in steps(), first in 0_u128..50, last in 0_u128..50) {
        let mut intervals = Intervals::default();
        let mut plain = BTreeSet::new();
        for step in steps {
            match step {
                Step::Take(first, last) => {
                    intervals.take(first..=last);
                    plain.extend(first..=last);
                }
                Step::GiveBack(number) => {
                    intervals.give_back(number);
                    plain.remove(&number);
                }
            }
        }
        let taken: BTreeSet<u128> = (0..60).filter(|number| intervals.contains(*number)).collect();
        prop_assert_eq!(&taken, &plain);
        let free = (first..=last).find(|number| !plain.contains(number));
        prop_assert_eq!(intervals.first_free(first..=last), free);
        let ranges: Vec<_> = intervals.ranges.iter().collect();
        prop_assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < *pair[1].0), "{:?}", ranges);
    }
}

#[test]
fn the_highest_number_can_be_taken() {
    let mut intervals = Intervals::default();
    intervals.take(u128::MAX - 1..=u128::MAX);
    assert_eq!(intervals.first_free(u128::MAX - 1..=u128::MAX), None);
    intervals.give_back(u128::MAX);
    assert_eq!(intervals.first_free(0..=u128::MAX), Some(0));
    assert_eq!(intervals.first_free(u128::MAX - 1..=u128::MAX), Some(u128::MAX));
}

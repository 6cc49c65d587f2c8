use std::time::Duration;

use super::*;

/// So many milliseconds after some moment.
fn at(moment: Instant, milliseconds: u64) -> Instant {
    moment + Duration::from_millis(milliseconds)
}

fn touched() -> Touched {
    let mut touched = Touched::default();
    touched.whole(WorkItem::Shared);
    touched
}

#[test]
fn changes_are_told_once_when_what_was_drawn_with_them_stands() {
    let (mut lags, moment) = (Lags::default(), Instant::now());
    for heard in [10, 10, 20, 40] {
        lags.begin(&touched(), at(moment, heard));
    }
    let told: Vec<Instant> = lags.end(&WorkItem::Shared, at(moment, 30)).collect();
    assert_eq!(told, [at(moment, 10), at(moment, 20)]);
    let told: Vec<Instant> = lags.end(&WorkItem::Shared, at(moment, 40)).collect();
    assert_eq!(told, [at(moment, 40)]);
    assert_eq!(lags.end(&WorkItem::Shared, at(moment, 50)).count(), 0);
}

#[test]
fn of_a_work_item_that_fails_for_long_the_oldest_are_kept() {
    let (mut lags, moment) = (Lags::default(), Instant::now());
    for heard in 1..=1_000 {
        lags.begin(&touched(), at(moment, heard));
    }
    let told: Vec<Instant> = lags.end(&WorkItem::Shared, at(moment, 2_000)).collect();
    assert_eq!((told.len(), told[0]), (64, at(moment, 1)));
    assert_eq!(lags.end(&WorkItem::Southbound, at(moment, 2_000)).count(), 0);
}

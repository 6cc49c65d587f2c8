//! How long deletions are remembered.

use udn_wire::Target;
use udn_wire::kind::Kind;

use super::{MOST_DELETIONS, Versions};

fn pod(number: usize) -> Target {
    Target { kind: Kind::Pod, namespace: "a".to_owned(), name: format!("p{number}") }
}

#[test]
fn the_oldest_deletion_is_forgotten_first() {
    let mut versions = Versions::default();
    for number in 0..=MOST_DELETIONS {
        versions.bury(pod(number), 100 + number as u64);
    }
    assert_eq!(versions.deletions.len(), MOST_DELETIONS);
    assert!(!versions.is_past(&pod(0), 1));
    assert!(versions.is_past(&pod(1), 101) && !versions.is_past(&pod(1), 102));
}

#[test]
fn a_list_tells_what_deletions_before_it_told() {
    let mut versions = Versions::default();
    versions.bury(pod(1), 5);
    versions.bury(pod(1), 4);
    versions.bury(pod(2), 9);
    assert!(versions.is_past(&pod(1), 5));
    assert!(versions.begin_list(Kind::Pod, 7));
    assert_eq!(versions.deletions.keys().collect::<Vec<_>>(), [&pod(2)]);
    assert_eq!(versions.by_age.len(), 1);
    versions.end_list(Kind::Pod, 7);
    assert!(versions.is_past(&pod(3), 7) && !versions.is_past(&pod(3), 8));
    assert!(!versions.begin_list(Kind::Pod, 6));
}

//! Which machines have room for how many nodes.

use super::Room;

fn check(memory: u64, disk: u64, nodes: u64, want: Option<&str>) {
    let lack = Room { memory, disk }.lack(nodes);
    match (&lack, want) {
        (Some(lack), Some(want)) => assert!(lack.contains(want), "{lack}"),
        (None, None) => {}
        (Some(_), None) | (None, Some(_)) => panic!("{lack:?}, not {want:?}"),
    }
}

#[test]
fn what_is_missing_is_told_with_what_is_there() {
    check(1400, 700, 2, None);
    check(1399, 700, 2, Some("1400 MiB of memory, and 1399 MiB are free"));
    check(1400, 699, 2, Some("699 MiB free"));
    check(1400, 700, 3, Some("1750 MiB of memory"));
    check(u64::MAX, u64::MAX, 20, None);
}

#[test]
fn this_machine_can_be_looked_at() {
    let Room { memory, disk } = Room::here();
    assert!(memory > 0 && memory < 1 << 30 && disk < 1 << 40, "{memory} {disk}");
}

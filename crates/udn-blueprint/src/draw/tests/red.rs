//! The worked example, row by row.

use super::drawn;
use crate::example::Example;

/// The description's §5.4: CUDN `red` seen from node `n1`, in shared gateway mode.
const RED: &str = include_str!("red.txt");

// proves: T-03, T-05, T-06, T-07, T-10, T-11, T-12, T-13
#[test]
fn the_worked_example_is_drawn_as_described() {
    let want: Vec<&str> = RED.lines().collect();
    assert_eq!(drawn(&Example::red()), want);
}

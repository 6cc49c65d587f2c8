//! The seed that random tests draw from when they are told another than the stored ones.
//!
//! Reads `UDN_SEED`, which `cargo xtask soak` sets anew for every round.
//! Invariant: without it a test plays its stored seeds, the same in every run.

use std::env;

/// The seed that was told; `None` when the stored ones are to be played.
///
/// # Panics
/// When it is told and is not a number: the test would play something else than was asked for.
pub fn told() -> Option<u64> {
    let text = env::var("UDN_SEED").ok()?;
    Some(text.trim().parse().expect("UDN_SEED is a number"))
}

//! Mutations of bytes that a switch or a kernel might send, the same again from the same seed.
//!
//! Reads some that are sound; gives each mutation of them to a test.
//! Invariant: nothing is drawn but from the seed, which `UDN_SEED` may tell.

use std::ops::Range;

/// How many mutations a test plays.
const COUNT: usize = 40_000;

/// Values at which lengths and numbers go wrong.
const EDGES: [u8; 7] = [0, 1, 3, 4, 0x7f, 0x80, 0xff];

/// Reproducible numbers (splitmix64).
pub(crate) struct Dice(u64);

impl Dice {
    /// From this seed, or from the one that is told.
    pub(crate) fn new(stored: u64) -> Self {
        Self(udn_lab::seed::told().map_or(stored, |seed| seed.wrapping_add(stored)))
    }

    /// A number of a range that has some.
    pub(crate) fn roll(&mut self, range: Range<usize>) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let drawn = usize::try_from((mixed ^ (mixed >> 31)) >> 1).expect("it has 63 bits");
        range.start + drawn % range.len().max(1)
    }

    /// One to four changes of bytes.
    pub(crate) fn mutate(&mut self, sound: &[u8]) -> Vec<u8> {
        let mut bytes = sound.to_vec();
        for _ in 0..self.roll(1..5) {
            let at = self.roll(0..bytes.len() + 1);
            let until = (at + self.roll(0..24)).min(bytes.len());
            match self.roll(0..6) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..until)),
                2 => drop(bytes.splice(at..at, bytes[at..until].to_vec())),
                3 => bytes.splice(at..at, [EDGES[self.roll(0..EDGES.len())]]).for_each(drop),
                _ if at == bytes.len() => {}
                4 => bytes[at] = EDGES[self.roll(0..EDGES.len())],
                _ => bytes[at] ^= 1 << self.roll(0..8),
            }
        }
        bytes
    }
}

/// Plays mutations of these; each of them is played whole too.
pub(crate) fn play(seed: u64, sound: &[Vec<u8>], mut check: impl FnMut(&[u8])) {
    let mut dice = Dice::new(seed);
    sound.iter().for_each(|it| check(it));
    for number in 0..COUNT {
        check(&dice.mutate(&sound[number % sound.len()]));
    }
    println!("drew: {COUNT} inputs");
}

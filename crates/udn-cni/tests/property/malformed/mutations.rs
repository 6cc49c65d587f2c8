//! Mutations of stored inputs, the same again from the same seed.
//!
//! Takes an input and others to splice it with; returns another input.
//! Invariant: nothing is drawn but from the seed, which `UDN_SEED` may tell.

/// Things that parsers stumble over.
const TOKENS: [&str; 26] = [
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "18446744073709551616",
    "1.5",
    "\"\"",
    "[]",
    "{}",
    "}",
    "]",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "[[[[[[[[[[[[[[[[[[[[[[[[[",
    ";",
    "=",
    "/",
    "\r\n",
    "ffffffffffffffff",
    "IgnoreUnknown=1",
    "\"type\":\"x\"",
    "\u{a0}",
    "%",
];

/// Reproducible numbers (splitmix64).
pub(super) struct Dice(u64);

impl Dice {
    /// From this seed, or from the one that is told.
    pub(super) fn new(stored: u64) -> Self {
        let told = std::env::var("UDN_SEED").ok();
        let told = told.map(|text| text.trim().parse::<u64>().expect("UDN_SEED is a number"));
        Self(told.map_or(stored, |seed| seed.wrapping_add(stored)))
    }

    /// A number below the limit.
    pub(super) fn roll(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }

    /// One to three changes: cut, doubled, replaced, inserted, flipped or spliced.
    pub(super) fn mutate(&mut self, input: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = input.to_vec();
        for _ in 0..=self.roll(2) {
            self.change(&mut bytes, others);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, others: &[Vec<u8>]) {
        let at = self.roll(bytes.len() + 1);
        let until = (at + self.roll(32)).min(bytes.len());
        match self.roll(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..until)),
            2 => drop(bytes.splice(at..at, bytes[at..until].to_vec())),
            3 => drop(bytes.splice(at..until.min(at + 4), self.pick(&TOKENS).bytes())),
            4 => drop(bytes.splice(at..at, self.pick(&TOKENS).bytes())),
            5 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << self.roll(8);
                }
            }
            6 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = b"0123456789abcdefghijklmnopqrstuvwxyz"[self.roll(36)];
                }
            }
            _ => {
                let other = self.pick(others);
                let from = self.roll(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
        }
    }
}

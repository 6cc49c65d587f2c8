//! Says anything at all to a session; the body and the corpus are those of the tests.

#![no_main]
#![allow(dead_code)]

#[path = "../../crates/ovsdb/tests/property/malformed/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|said: &[u8]| {
    bodies::converse(said);
});

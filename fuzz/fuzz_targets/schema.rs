//! Reads anything at all as a schema; the body and the corpus are those of the tests.

#![no_main]
#![allow(dead_code)]

#[path = "../../crates/ovsdb/tests/property/malformed/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    bodies::parse_schema(text);
});

//! Reads anything at all as everything that the CNI plugin and its server read; the bodies and the
//! corpus are those of the tests.

#![no_main]
#![allow(dead_code)]

#[path = "../../crates/udn-cni/tests/property/malformed/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    bodies::read_request(bytes);
    bodies::read_conf(bytes);
    bodies::read_arguments(bytes);
    bodies::read_result(bytes);
    bodies::read_answer(bytes);
});

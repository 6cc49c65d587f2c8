use super::check;
use crate::text_file::TextFile;

const SETTINGS: &str = "[env]\nPROPTEST_RNG_SEED = \"20261118\"\n";
const TEST: &str = "crates/ovn/tests/property_plan.rs";

/// In halves, so that this file draws nothing in the eyes of the check: `~` falls away.
fn whole(text: &str) -> String {
    text.replace('~', "")
}

fn judge(path: &str, text: &str) -> Vec<String> {
    let files = [TextFile::new(".cargo/config.toml", SETTINGS), TextFile::new(path, whole(text))];
    check(&files).iter().map(ToString::to_string).collect()
}

fn refused(text: &str, source: &str) {
    let want = format!(
        "{TEST}:1: a test draws fresh randomness from `{}`; \
         draw from a stored seed, or say `// fresh: why` on the line",
        whole(source)
    );
    assert_eq!(judge(TEST, text), [want], "{text}");
}

fn allowed(text: &str) {
    assert_eq!(judge(TEST, text), [""; 0], "{text}");
}

#[test]
fn fresh_randomness_in_a_test_is_a_problem() {
    refused("let dice = fastr~and::Rng::ne~w();", "Rng::ne~w");
    refused("let dice = Rng::ne~w();", "Rng::ne~w");
    refused("let dice = seed.map_or_else(Rng::ne~w, Rng::with_seed);", "Rng::ne~w");
    refused("let dice = Rng::def~ault();", "Rng::ne~w");
    refused("let number = fastr~and::u64(..);", "fastrand");
    refused("fastr~and::shuffle(&mut list);", "fastrand");
    refused("use fastr~and::{Rng, u8};", "fastrand");
    refused("let number: u8 = r~and::random();", "rand");
    refused("use r~and::Rng;", "rand");
    refused("let state = Random~State::new();", "Random~State");
    refused("use std::hash::Random~State;", "Random~State");
}

#[test]
fn a_stored_seed_is_in_order() {
    allowed("use fastrand::Rng;");
    allowed("let dice = fastrand::Rng::with_seed(7);");
    allowed("let dice = Rng::with_seed(seed());");
    allowed("struct Play { dice: fastrand::Rng }");
}

#[test]
fn other_names_are_no_randomness() {
    allowed("Operand::Path(path); my_rand::go(); MyRng::new(); RandomStates::new();");
    allowed("// unlike r~and::random, this is the same every time");
}

#[test]
fn a_reason_lets_a_line_off() {
    allowed("let dice = Rng::ne~w(); // fresh: names of folders must differ between runs");
    refused("let dice = Rng::ne~w(); // fresh:", "Rng::ne~w");
}

#[test]
fn only_test_code_is_looked_at() {
    let text = "let dice = Rng::ne~w();";
    assert_eq!(judge("crates/ovn/src/plan/tests.rs", text).len(), 1);
    assert_eq!(judge("crates/ovn/tests/kit/chance.rs", text).len(), 1);
    for path in ["crates/ovn/src/plan.rs", "crates/ovn/benches/plan.rs", "docs/plan.md"] {
        assert_eq!(judge(path, text), [""; 0], "{path}");
    }
}

#[test]
fn property_tests_have_a_stored_seed() {
    let want = ".cargo/config.toml: PROPTEST_RNG_SEED is not set; \
                give it a number as text below [env]";
    let judge = |text: &str| {
        let problems = check(&[TextFile::new(".cargo/config.toml", text)]);
        problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(judge(SETTINGS), [""; 0]);
    assert_eq!(judge(""), [want]);
    assert_eq!(judge("[env]\nPROPTEST_RNG_SEED = \"\"\n"), [want]);
    assert_eq!(judge("[alias]\nPROPTEST_RNG_SEED = \"1\"\n"), [want]);
    assert_eq!(check(&[])[0].to_string(), want);
}

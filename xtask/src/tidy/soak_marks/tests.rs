use super::check;
use crate::soak::random::MARK;
use crate::text_file::TextFile;

fn judge(path: &str, text: &str) -> Vec<String> {
    let files = [TextFile::new(path, text.replace('~', MARK))];
    check(&files).iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_that_draws_marks_its_tests() {
    for draws in
        ["let seed = env::var(\"UDN_SEED\");", "seed::told().unwrap_or(5);", "proptest! {}"]
    {
        let problems = judge("crates/a/tests/fault/x.rs", &format!("{draws}\n"));
        assert!(problems[0].starts_with("crates/a/tests/fault/x.rs:1: it draws from a seed"));
        let marked = format!("~UDN_SEED\n#[test]\nfn it() {{ {draws} }}\n");
        assert_eq!(judge("crates/a/tests/fault/x.rs", &marked), [""; 0]);
    }
}

#[test]
fn the_property_shelf_and_kits_need_no_mark() {
    for path in ["crates/a/tests/property/x.rs", "crates/a/tests/kit/x.rs", "crates/a/src/seed.rs"]
    {
        assert_eq!(judge(path, "proptest! {}\n"), [""; 0], "{path}");
    }
    assert_eq!(judge("crates/a/src/x/tests.rs", "// \"UDN_SEED\"\n"), [""; 0]);
}

#[test]
fn a_mark_above_nothing_is_a_problem() {
    let problems = judge("crates/a/tests/ovn/main.rs", "~UDN_SEED\nfn it() {}\n");
    assert_eq!(
        problems,
        ["crates/a/tests/ovn/main.rs:1: this `soak` mark means nothing: \
          it does not stand right above a test function"]
    );
}

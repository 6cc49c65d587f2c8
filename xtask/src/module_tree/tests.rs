use super::{Inline, inline_modules, places};
use crate::program::Program;
use crate::text_file::TextFile;

fn check(program: (&str, &str), files: &[(&str, &str)], want: &[(&str, &str)]) {
    let files: Vec<TextFile> =
        files.iter().map(|(path, text)| TextFile::new(*path, *text)).collect();
    let program = Program::new(program.0, program.1);
    let found = places(&files, &[program.clone()].into());
    let mut lines = Vec::new();
    for (path, places) in &found {
        assert!(places.iter().all(|place| place.program == program));
        lines.extend(places.iter().map(|place| (path.as_str(), place.module.join("::"))));
    }
    let lines: Vec<(&str, &str)> =
        lines.iter().map(|(path, text)| (*path, text.as_str())).collect();
    assert_eq!(lines, want);
}

#[test]
fn modules_are_found_from_the_root_of_a_test_program() {
    check(
        ("udn", "api"),
        &[
            ("crates/udn/tests/api/main.rs", "mod scenes;\nmod real { mod deep; }\n"),
            ("crates/udn/tests/api/scenes.rs", "mod nads;\n"),
            ("crates/udn/tests/api/scenes/nads.rs", ""),
            ("crates/udn/tests/api/real/deep.rs", ""),
            ("crates/udn/tests/api/forgotten.rs", ""),
            ("crates/udn/tests/ovn/main.rs", "mod scenes;\n"),
        ],
        &[
            ("crates/udn/tests/api/main.rs", ""),
            ("crates/udn/tests/api/real/deep.rs", "real::deep"),
            ("crates/udn/tests/api/scenes.rs", "scenes"),
            ("crates/udn/tests/api/scenes/nads.rs", "scenes::nads"),
        ],
    );
}

#[test]
fn a_path_attribute_leads_to_kits() {
    check(
        ("udn", "ovn"),
        &[
            (
                "crates/udn/tests/ovn.rs",
                "#[path = \"rig/rig.rs\"]\nmod rig;\n\
                 #[path = \"kit\"]\nmod shared { pub mod ask; }\nmod ovn { mod ping; }\n",
            ),
            ("crates/udn/tests/rig/rig.rs", "mod more;\n"),
            ("crates/udn/tests/rig/more.rs", ""),
            ("crates/udn/tests/kit/ask.rs", ""),
            ("crates/udn/tests/ovn/ping.rs", "#[path = \"../rig/more.rs\"]\nmod again;\n"),
        ],
        &[
            ("crates/udn/tests/kit/ask.rs", "shared::ask"),
            ("crates/udn/tests/ovn.rs", ""),
            ("crates/udn/tests/ovn/ping.rs", "ovn::ping"),
            ("crates/udn/tests/rig/more.rs", "rig::more"),
            ("crates/udn/tests/rig/more.rs", "ovn::ping::again"),
            ("crates/udn/tests/rig/rig.rs", "rig"),
        ],
    );
}

#[test]
fn unit_tests_are_found_from_library_and_binaries() {
    check(
        ("xtask", "unit"),
        &[
            ("xtask/src/lib.rs", "pub mod a;\n"),
            ("xtask/src/main.rs", "mod b;\n"),
            ("xtask/src/bin/other.rs", ""),
            ("xtask/src/a.rs", "#[cfg(test)]\nmod tests;\n"),
            ("xtask/src/a/tests.rs", ""),
            ("xtask/src/b.rs", ""),
        ],
        &[
            ("xtask/src/a.rs", "a"),
            ("xtask/src/a/tests.rs", "a::tests"),
            ("xtask/src/b.rs", "b"),
            ("xtask/src/bin/other.rs", ""),
            ("xtask/src/lib.rs", ""),
            ("xtask/src/main.rs", ""),
        ],
    );
}

#[test]
fn inline_modules_are_known_by_their_lines() {
    let file = TextFile::new("a.rs", "mod a {\n    mod b {\n    }\n}\nmod c;\n");
    let inline = |name: &str, first, last| Inline { name: name.to_owned(), first, last };
    assert_eq!(inline_modules(&file), [inline("a", 1, 4), inline("b", 2, 3)]);
}

use super::check_but;
use crate::text_file::TextFile;
use crate::tidy::source::parse_all;

/// Judges a crate `ovn` of these files below `src`, with the crates let off.
fn judge(files: &[(&str, &str)], let_off: &[&str]) -> Vec<String> {
    let file = |(path, text): &(&str, &str)| TextFile::new(format!("crates/ovn/src/{path}"), *text);
    let files: Vec<TextFile> = files.iter().map(file).collect();
    let (sources, unreadable) = parse_all(&files);
    assert_eq!(unreadable, []);
    check_but(&sources, let_off).iter().map(ToString::to_string).collect()
}

/// Checks how the only problem begins after the crate, or that there is none.
fn check(files: &[(&str, &str)], want: &str) {
    let problems = judge(files, &[]);
    let is_as_wanted = match problems.as_slice() {
        [] => want.is_empty(),
        [problem] => !want.is_empty() && problem.contains(want),
        _ => false,
    };
    assert!(is_as_wanted, "{files:?}: {problems:?}");
}

#[test]
fn a_cycle_is_told_with_a_place_for_every_arrow_and_what_to_do() {
    let files = [("plan.rs", "\nuse crate::row::Row;"), ("row.rs", "fn f() { crate::plan::go() }")];
    assert_eq!(
        judge(&files, &[]),
        ["crates/ovn: the modules plan, row use each other in a circle: \
          plan uses row at crates/ovn/src/plan.rs:2, row uses plan at crates/ovn/src/row.rs:1; \
          move what both sides need into a module below them, or make one module of them"]
    );
}

#[test]
fn layers_are_in_order() {
    check(&[("a.rs", "use crate::b::X; use crate::c::Y;"), ("b.rs", "use crate::c::Y;")], "");
}

#[test]
fn files_of_a_folder_belong_to_its_module() {
    let files = [("a/x.rs", "use crate::b::X;"), ("b/y/z.rs", "use super::super::super::a::X;")];
    check(&files, "modules a, b ");
    let within = [("a.rs", "use crate::a::x::X;"), ("a/x.rs", "use super::Y; use crate::a::Z;")];
    check(&within, "");
}

#[test]
fn what_the_root_imports_counts_as_the_module_it_comes_from() {
    let a = ("a.rs", "use crate::Thing;");
    let b = ("b.rs", "use crate::a::X;");
    check(&[("lib.rs", "pub use b::inner::Thing;"), a, b], "a uses b at crates/ovn/src/a.rs:1");
    check(&[("main.rs", "use crate::b::Thing;"), a, b], "modules a, b ");
    check(&[("lib.rs", "pub use ipnet::Thing;"), a, b], "");
}

#[test]
fn roots_are_no_modules() {
    check(&[("lib.rs", "use crate::a::X;"), ("a.rs", "use crate::lib::X;")], "");
    check(&[("main.rs", "fn f() {}"), ("a.rs", "fn g() { crate::f() }")], "");
}

#[test]
fn test_modules_and_all_below_them_do_not_count() {
    let b = ("b.rs", "use crate::a::X;");
    check(&[("a/tests.rs", "use crate::b::X;"), ("a.rs", ""), b], "");
    check(&[("a.rs", "#[cfg(test)]\nmod tests { use crate::b::X; }"), b], "");
    check(&[("a.rs", "#[cfg(test)]\nmod kit;"), ("a/kit/x.rs", "use crate::b::X;"), b], "");
    let lib = ("lib.rs", "#[cfg(test)]\nmod example;");
    check(&[lib, ("example.rs", "use crate::a::X;"), ("a.rs", "use crate::example::Y;")], "");
}

#[test]
fn a_crate_on_the_list_is_let_off_until_it_comes_right() {
    let (a, b) = (("a.rs", "use crate::b::X;"), ("b.rs", "use crate::a::X;"));
    assert_eq!(judge(&[a, b], &["ovn"]), [""; 0]);
    let came_right =
        "xtask/src/tidy/cycles.rs: the modules of ovn have no cycle; take it off STILL_CYCLIC";
    assert_eq!(judge(&[a], &["ovn"]), [came_right]);
    assert_eq!(judge(&[], &["ovn"]), [came_right]);
}

#[test]
fn separate_cycles_are_separate_problems() {
    let files = [
        ("a.rs", "use crate::b::X;"),
        ("b.rs", "use crate::{a::X, c::X};"),
        ("c.rs", "use crate::d::X;"),
        ("d.rs", "use crate::c::X;"),
    ];
    assert_eq!(judge(&files, &[]).len(), 2);
}

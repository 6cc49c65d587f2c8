use super::{imports, test_modules, used};

/// What a top-level module with this text uses, as `name:line`.
fn check(text: &str, want: &[&str]) {
    check_at(1, text, want);
}

fn check_at(depth: usize, text: &str, want: &[&str]) {
    let file = syn::parse_file(text).unwrap();
    let found: Vec<String> =
        used(&file, depth).iter().map(|used| format!("{}:{}", used.name, used.line)).collect();
    assert_eq!(found, want, "{text}");
}

#[test]
fn use_trees_count_with_all_their_branches() {
    check("use crate::b::Thing;", &["b:1"]);
    check(
        "use crate::{\n    b::{self, Thing},\n    c as d,\n    e::*,\n};",
        &["b:2", "b:2", "c:3", "e:4"],
    );
    check("fn f() {\n    use crate::b;\n}", &["b:2"]);
    check("use crate::r#gen::Thing;", &["gen:1"]);
}

#[test]
fn paths_count_in_types_expressions_and_patterns() {
    check("struct A(crate::b::Thing);", &["b:1"]);
    check("fn f() { crate::b::go(); }", &["b:1"]);
    check("fn f() { if let crate::b::Kind::One = x {} }", &["b:1"]);
    check("fn f() -> Vec<crate::b::Thing> {}", &["b:1"]);
    check("impl crate::b::Trait<crate::c::Thing> for A {}", &["b:1", "c:1"]);
    check("fn f() { <crate::b::A as crate::c::B>::go() }", &["b:1", "c:1"]);
}

#[test]
fn paths_count_in_macros_and_attributes() {
    check("fn f() { vec![1, crate::b::two(crate::c::THREE)]; }", &["c:1", "b:1"]);
    check("macro_rules! m { ($x:expr) => { $crate::b::go($x) } }", &["b:1"]);
    check("fn f() { crate::b::m!(); }", &["b:1"]);
    check("struct A {\n    #[serde(with = \"crate::b\")]\n    x: u8,\n}", &["b:2"]);
    check("fn f() { println!(\"crate:: is a word\", a: b, c::d); }", &[]);
}

#[test]
fn super_counts_when_it_climbs_to_the_root() {
    check("use super::b::Thing;", &["b:1"]);
    check("fn f() { self::super::b::go() }", &["b:1"]);
    check_at(2, "use super::b::Thing;", &[]);
    check_at(2, "use super::super::b::Thing;", &["b:1"]);
    check("mod inner {\n    use super::b;\n    use super::super::c;\n}", &["c:3"]);
    check_at(2, "fn f() { assert!(super::super::b::holds() && super::c::holds()); }", &["b:1"]);
}

#[test]
fn what_is_no_path_from_the_root_is_none() {
    check("use b::Thing;\nuse self::c::Thing;\nuse ::crate_of_others::d;", &[]);
    check("pub(crate) fn f() { b::go() }\npub(super) fn g() {}", &[]);
    check("/// See [`crate::b::Thing`].\nfn f() {}", &[]);
}

#[test]
fn test_code_does_not_count() {
    check("#[cfg(test)]\nmod tests { use crate::b; }", &[]);
    check("#[cfg(test)]\nuse crate::b;", &[]);
    check("#[cfg(test)]\nfn f() { crate::b::go() }", &[]);
    check("impl A {\n    #[cfg(test)]\n    fn f() { crate::b::go() }\n}", &[]);
    check("#[cfg(unix)]\nuse crate::b;", &["b:2"]);
}

#[test]
fn the_root_tells_where_its_names_come_from() {
    let root = "pub use b::{Thing, inner::Other as Third};\npub(crate) use crate::c::go;\n\
                use self::d::*;\n#[cfg(test)]\nuse e::Sample;\npub use ::ipnet::IpNet;\n";
    let want = [("Thing", "b"), ("Third", "b"), ("go", "c"), ("*", "d")];
    let found = imports(&syn::parse_file(root).unwrap());
    assert_eq!(found, want.map(|(name, module)| (name.to_owned(), module.to_owned())));
}

#[test]
fn modules_for_tests_are_told() {
    let text = "mod a;\n#[cfg(test)]\nmod example;\n#[cfg(test)]\nmod tests;\n";
    let found: Vec<String> = test_modules(&syn::parse_file(text).unwrap()).collect();
    assert_eq!(found, ["example", "tests"]);
}

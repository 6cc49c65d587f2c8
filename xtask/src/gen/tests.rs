use super::{GenRequest, GeneratedFile, difference, settle_file};
use crate::verdict::Verdict;
use crate::workspace::Workspace;

#[test]
fn equal_files_do_not_differ() {
    assert_eq!(difference(Some("a\nb\n"), "a\nb\n"), None);
}

#[test]
fn the_first_difference_is_shown() {
    let check = |found, wanted, want: &str| {
        assert_eq!(difference(found, wanted).as_deref(), Some(want));
    };
    check(Some("a\nb\n"), "a\nc\n", "  line 2\n  - b\n  + c");
    check(Some("a\n"), "a\nc\n", "  line 2\n  - (end of the file)\n  + c");
    check(Some("a\nb\n"), "a\n", "  line 2\n  - b\n  + (end of the file)");
    check(Some("a"), "a\n", "  only the line endings differ");
    check(None, "a\n", "  the file does not exist");
}

#[test]
fn check_writes_nothing_and_writing_satisfies_check() {
    let folder = tempfile::tempdir().unwrap();
    let (root, target) = (folder.path().to_owned(), folder.path().join("target"));
    let workspace = Workspace { root, target, members: vec![] };
    let file = GeneratedFile { path: "crates/ovn/src/generated/nb.rs".into(), text: "x\n".into() };
    let settle =
        |check| settle_file(&workspace, &GenRequest { check, schemas: false }, &file).unwrap();

    assert_eq!(settle(true), Verdict::Fail);
    assert!(!workspace.root.join(&file.path).exists());
    assert_eq!(settle(false), Verdict::Pass);
    assert_eq!(settle(true), Verdict::Pass);
}

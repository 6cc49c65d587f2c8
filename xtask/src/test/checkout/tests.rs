use std::path::Path;

use super::{clean, is_of, note};
use crate::workspace::Workspace;

#[test]
fn a_checkout_knows_its_own_programs() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("udn/checkout");
    let (here, there) = (Path::new("/work/here"), Path::new("/work/there"));
    assert!(!is_of(&record, here), "nobody built yet");
    note(&record, here).unwrap();
    assert!(is_of(&record, here));
    assert!(!is_of(&record, there));
    note(&record, there).unwrap();
    assert!(!is_of(&record, here));
}

#[test]
fn crates_of_ours_are_built_anew_but_for_the_running_program() {
    let metadata = r#"{
      "workspace_root": "/tree", "target_directory": "/target",
      "packages": [
        { "name": "xtask", "targets": [], "dependencies": [] },
        { "name": "ovn", "targets": [], "dependencies": [] },
        { "name": "ovsdb", "targets": [], "dependencies": [] }
      ]
    }"#;
    let workspace = Workspace::parse(metadata.as_bytes()).unwrap();
    assert_eq!(clean(&workspace), ["clean", "--package", "ovn", "--package", "ovsdb"]);
}

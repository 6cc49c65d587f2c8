use std::fs;
use std::process::Command;

use super::state;

#[test]
fn every_file_but_what_a_run_writes_makes_another_tree() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    assert!(Command::new("git").arg("init").arg("-q").arg(root).status().unwrap().success());
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        state(root).unwrap()
    };
    let first = write("src/lib.rs", "// one\n");
    assert_eq!(write("README.md", "82/133\n"), first);
    assert_eq!(write("docs/bench/sandbox.json", "{}\n"), first);
    let second = write("src/lib.rs", "// two\n");
    assert_ne!(second, first);
    assert_ne!(write("src/bytes", "\u{0}"), second);
    fs::remove_file(root.join("src/bytes")).unwrap();
    assert_eq!(write("src/lib.rs", "// one\n"), first);
}

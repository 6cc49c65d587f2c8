use std::os::unix::fs::symlink;

use super::*;

fn check(variable: &str, program: &Path, want: &str) {
    let found = find(Some(variable.into()), program);
    assert_eq!(found, Path::new(want));
}

#[test]
fn the_default_is_where_ovn_kubernetes_listens() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(find(None, &folder.path().join("plugin")), Path::new(DEFAULT));
    check("", &folder.path().join("plugin"), DEFAULT);
}

#[test]
fn a_link_beside_the_plugin_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("plugin");
    symlink("/run/node-1/cni.sock", folder.path().join(LINK)).unwrap();
    check("", &program, "/run/node-1/cni.sock");
    check("/run/other.sock", &program, "/run/other.sock");
}

#[test]
fn a_link_may_be_relative_to_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    symlink("../cni.sock", folder.path().join(LINK)).unwrap();
    let want = folder.path().join("../cni.sock");
    check("", &folder.path().join("plugin"), want.to_str().unwrap());
}

#[test]
fn the_folder_by_which_the_plugin_was_started_counts() {
    let [shared, own] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    symlink(shared.path().join("plugin"), own.path().join("plugin")).unwrap();
    symlink("/run/own.sock", own.path().join(LINK)).unwrap();
    check("", &own.path().join("plugin"), "/run/own.sock");
    check("", &shared.path().join("plugin"), DEFAULT);
}

#[test]
fn what_is_no_link_and_what_has_no_folder_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(LINK), "/run/x.sock").unwrap();
    check("", &folder.path().join("plugin"), DEFAULT);
    for program in ["", "plugin", "./plugin", "/"] {
        check("", Path::new(program), DEFAULT);
    }
}

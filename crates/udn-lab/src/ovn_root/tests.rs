//! How versions are read and programs are found inside a root.

use std::os::unix::fs::symlink;

use super::*;
use crate::janitor::Janitor;

fn check(text: &str, want: Option<(u32, u32)>) {
    assert_eq!(parse_version(text), want, "{text}");
}

#[test]
fn versions_are_read_from_the_first_line() {
    check("ovn-northd 25.03.0\nOpen vSwitch Library 3.5.0", Some((25, 3)));
    check("ovn-northd 22.03.3", Some((22, 3)));
    check("ovn-northd", None);
    check("", None);
}

#[test]
fn the_oldest_version_that_serves_is_the_first_with_transit_routers() {
    assert!(parse_version("ovn-northd 24.09.1") < Some(OLDEST));
    assert!(parse_version("ovn-northd 25.03.0") >= Some(OLDEST));
}

#[test]
fn links_stay_inside_the_root() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let root = janitor.folder().expect("a folder can be made");
    for folder in ["usr/sbin", "usr/lib/vendor", "etc/alternatives"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    symlink("/etc/alternatives/server", root.join("usr/sbin/server")).unwrap();
    symlink("/usr/lib/vendor/server", root.join("etc/alternatives/server")).unwrap();
    assert_eq!(locate(&root, "server"), root.join("usr/lib/vendor/server"));
}

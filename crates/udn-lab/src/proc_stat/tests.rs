//! How the kernel's line is read.

use std::process::Command;

use super::*;

const REST: &str = "1973 1970 23085 0 -1 4 97 0 0 0 0 0 0 0 20 0 1 0 123615 0 0";

fn check(text: &str, want: Option<Stat>) {
    assert_eq!(Stat::parse(8, text), want, "{text}");
}

#[test]
fn the_name_may_hold_anything() {
    let want = Stat { pid: 8, is_zombie: false, parent: 1973, group: 1970, start: 123_615 };
    check(&format!("8 (sleep) S {REST}"), Some(want));
    check(&format!("8 (a) Z 1 2 (b) S {REST}"), Some(want));
    check(&format!("8 (sleep) Z {REST}"), Some(Stat { is_zombie: true, ..want }));
    check("8 (sleep) S 1 2", None);
    check("", None);
}

#[test]
fn a_child_is_among_all_with_its_parent() {
    let mut child = Command::new("sleep").arg("1000").spawn().expect("sleep starts");
    let all = Stat::all().expect("the kernel tells");
    let found = all.iter().find(|stat| stat.pid == child.id()).expect("it is told");
    assert_eq!(found.parent, std::process::id());
    child.kill().expect("it runs");
    child.wait().expect("it is ours");
    assert!(Stat::of(child.id()).is_err());
}

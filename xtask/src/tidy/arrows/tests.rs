use super::check;
use crate::workspace::{Dependency, DependencyKind, Member};

fn uses(member: &str, other: &str, kind: DependencyKind) -> Vec<String> {
    let path = Some(format!("/tree/crates/{other}").into());
    let dependencies = vec![Dependency { name: other.into(), kind, path }];
    let member = Member { name: member.into(), id: String::new(), dependencies, targets: vec![] };
    check(&[member]).iter().map(ToString::to_string).collect()
}

fn allowed(member: &str, other: &str, kind: DependencyKind) {
    assert_eq!(uses(member, other, kind), [""; 0], "{member} → {other}");
}

fn refused(member: &str, other: &str, kind: DependencyKind, word: &str) {
    let problems = uses(member, other, kind);
    assert!(problems.len() == 1 && problems[0].contains(word), "{member} → {other}: {problems:?}");
}

#[test]
fn arrows_of_the_design_are_allowed() {
    use DependencyKind::Normal;
    allowed("ovn", "ovsdb", Normal);
    allowed("ovsdb-net", "ovsdb", Normal);
    allowed("udn-blueprint", "ovn", Normal);
    allowed("udn-control", "udn-ledger", Normal);
    allowed("udn-cluster", "udn-wire", Normal);
    allowed("udn-host", "udn-wire", Normal);
    allowed("udn-control", "udn-host", Normal);
    allowed("udn-node", "udn-host", Normal);
    allowed("udn-node", "udn-control", Normal);
    allowed("udn-sandbox", "udn-control", Normal);
    allowed("udn", "udn-sandbox", Normal);
    allowed("xtask", "udn-lab", Normal);
}

#[test]
fn arrows_against_the_design_are_refused() {
    use DependencyKind::Normal;
    refused("ovn", "ovsdb-net", Normal, "crates/ovn/Cargo.toml: ovn may not use ovsdb-net");
    refused("udn-host", "udn-cluster", Normal, "may not use");
    refused("udn-cluster", "ovn", Normal, "may not use");
    refused("udn-wire", "udn-cluster", Normal, "may not use");
    refused("udn-cluster", "udn-host", Normal, "may not use");
    refused("udn-control", "udn-node", Normal, "may not use");
    refused("udn-lab", "ovsdb", Normal, "may not use");
    refused("udn-sandbox", "udn", Normal, "may not use");
    refused("udn", "xtask", Normal, "may not use");
    refused("ovsdb-net", "udn-lab", Normal, "may not use");
}

#[test]
fn tests_may_use_the_lab_and_pure_crates_besides() {
    use DependencyKind::Dev;
    allowed("ovsdb-net", "udn-lab", Dev);
    allowed("ovsdb", "udn-lab", Dev);
    allowed("udn-lab", "ovsdb", Dev);
    refused("ovn", "ovsdb-net", Dev, "the tests of ovn may not use ovsdb-net");
    refused("ovn", "udn-control", Dev, "the tests of ovn");
}

#[test]
fn nothing_is_built_with_a_crate_of_ours() {
    refused("ovn", "ovsdb", DependencyKind::Build, "cargo xtask gen");
}

#[test]
fn an_unknown_crate_is_refused() {
    let member = Member {
        name: "udn-extra".into(),
        id: String::new(),
        dependencies: vec![],
        targets: vec![],
    };
    let problems = check(&[member]);
    assert!(problems[0].to_string().contains("`udn-extra` is not a known crate"));
}

#[test]
fn crates_of_others_are_no_arrows() {
    let dependencies =
        vec![Dependency { name: "serde".into(), kind: DependencyKind::Normal, path: None }];
    let member = Member { name: "ovsdb".into(), id: String::new(), dependencies, targets: vec![] };
    assert_eq!(check(&[member]), []);
}

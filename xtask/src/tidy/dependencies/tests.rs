use super::check;
use crate::workspace::{Dependency, DependencyKind, Member, Target};

const DENY: &str = r#"
[bans]
features = [{ crate = "serde", reason = "JSON" }]
skip = [{ crate = "nix@0.30", reason = "rtnetlink is behind" }]
"#;
const LOCK: &str = r#"
[[package]]
name = "serde"
version = "1.0.9"
"#;

fn member(uses: &[&str], kind: &str) -> Member {
    let dependency = |name: &&str| Dependency {
        name: (*name).to_owned(),
        kind: DependencyKind::Normal,
        path: None,
    };
    let targets = vec![Target { name: "ovsdb".into(), kind: vec![kind.into()], test: false }];
    Member {
        name: "ovsdb".into(),
        id: String::new(),
        dependencies: uses.iter().map(dependency).collect(),
        targets,
    }
}

fn judge(uses: &[&str], deny: &str, lock: &str) -> Vec<String> {
    let problems = check(&[member(uses, "lib")], deny, lock).unwrap();
    problems.iter().map(ToString::to_string).collect()
}

fn locked(name: &str, version: &str) -> String {
    format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n")
}

#[test]
fn a_crate_with_a_reason_is_in_order() {
    assert_eq!(judge(&["serde"], DENY, LOCK), [""; 0]);
}

#[test]
fn a_crate_without_a_reason_is_a_problem() {
    let want = "deny.toml: ovsdb uses `uuid`, which has no row; \
                add { crate = \"uuid\", reason = \"…\" } to [bans] features";
    assert_eq!(judge(&["serde", "uuid"], DENY, LOCK), [want]);
    let empty = "[bans]\nfeatures = [{ crate = \"serde\", reason = \"\" }]\n";
    assert_eq!(judge(&["serde"], empty, LOCK).len(), 1);
}

#[test]
fn a_reason_without_a_user_is_a_problem() {
    assert_eq!(judge(&[], DENY, LOCK), ["deny.toml: no crate uses `serde`; remove its row"]);
}

#[test]
fn a_second_version_of_a_crate_we_name_is_a_problem() {
    let lock = locked("serde", "1.0.9") + &locked("serde", "2.0.0") + &locked("syn", "2.0.0");
    let problems = judge(&["serde"], DENY, &lock);
    assert!(problems.len() == 1 && problems[0].contains("1.0.9 and 2.0.0"), "{problems:?}");
}

#[test]
fn crates_of_others_may_have_several_versions() {
    let lock = locked("serde", "1.0.9") + &locked("syn", "2.0.0") + &locked("syn", "3.0.0");
    assert_eq!(judge(&["serde"], DENY, &lock), [""; 0]);
}

#[test]
fn a_second_version_with_a_reason_is_put_up_with() {
    let deny =
        DENY.replace("features = [", "features = [{ crate = \"nix\", reason = \"netns\" }, ");
    let lock = locked("nix", "0.30.1") + &locked("nix", "0.31.0");
    assert_eq!(judge(&["serde", "nix"], &deny, &lock), [""; 0]);
    let lock = locked("nix", "0.300.1") + &locked("nix", "0.31.0");
    assert_eq!(judge(&["serde", "nix"], &deny, &lock).len(), 1);
}

#[test]
fn untyped_errors_are_for_the_front_panel_and_tests() {
    let deny = DENY.replace("serde", "anyhow");
    let want = "crates/ovsdb/Cargo.toml: `anyhow` is not for this crate; give errors a type";
    assert_eq!(judge(&["anyhow"], &deny, LOCK), [want]);
    let mut tested = member(&["anyhow"], "lib");
    tested.dependencies[0].kind = DependencyKind::Dev;
    assert_eq!(check(&[tested], &deny, LOCK).unwrap(), []);
    let mut panel = member(&["anyhow"], "bin");
    panel.name = "udn".into();
    assert_eq!(check(&[panel], &deny, LOCK).unwrap(), []);
}

#[test]
fn a_build_script_is_a_problem() {
    let problems = check(&[member(&["serde"], "custom-build")], DENY, LOCK).unwrap();
    assert!(problems[0].to_string().starts_with("crates/ovsdb/Cargo.toml: it has a build.rs"));
}

#[test]
fn an_unreadable_file_is_an_error_that_names_it() {
    let error = check(&[], "[bans", LOCK).unwrap_err();
    assert_eq!(error.to_string(), "reading deny.toml");
}

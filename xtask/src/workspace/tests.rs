use super::{DependencyKind, Workspace};

const METADATA: &str = r#"{
  "workspace_root": "/tree", "target_directory": "/target",
  "packages": [
    { "name": "ovn", "targets": [{ "name": "ovn", "kind": ["lib"], "test": true }], "dependencies": [
      { "name": "ovsdb", "kind": null, "path": "/tree/crates/ovsdb" },
      { "name": "proptest", "kind": "dev", "path": null }
    ] },
    { "name": "lab", "dependencies": [], "targets": [
      { "name": "lab", "kind": ["lib"], "test": false },
      { "name": "ovn", "kind": ["test"], "test": true },
      { "name": "many", "kind": ["bench"], "test": true }
    ] }
  ]
}"#;

fn workspace() -> Workspace {
    Workspace::parse(METADATA.as_bytes()).unwrap()
}

#[test]
fn members_are_sorted_and_null_means_a_normal_dependency() {
    let workspace = workspace();
    let names: Vec<&str> = workspace.members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["lab", "ovn"]);
    let kinds: Vec<DependencyKind> =
        workspace.members[1].dependencies.iter().map(|dependency| dependency.kind).collect();
    assert_eq!(kinds, [DependencyKind::Normal, DependencyKind::Dev]);
}

#[test]
fn targets_are_found_by_kind() {
    assert_eq!(workspace().targets("test"), [("lab", "ovn")]);
    assert_eq!(workspace().targets("lib"), [("lab", "lab"), ("ovn", "ovn")]);
}

#[test]
fn every_program_that_cargo_tests_is_known() {
    let programs: Vec<String> = workspace().programs().iter().map(ToString::to_string).collect();
    assert_eq!(programs, ["lab ovn", "ovn unit"]);
}

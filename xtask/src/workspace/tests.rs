use super::{DependencyKind, Workspace};

const METADATA: &str = r#"{
  "workspace_root": "/tree", "target_directory": "/target",
  "packages": [
    { "name": "ovn", "targets": [{ "name": "ovn", "kind": ["lib"] }], "dependencies": [
      { "name": "ovsdb", "kind": null, "path": "/tree/crates/ovsdb" },
      { "name": "proptest", "kind": "dev", "path": null }
    ] },
    { "name": "lab", "dependencies": [], "targets": [
      { "name": "lab", "kind": ["lib"] }, { "name": "ovn_ping", "kind": ["test"] }
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
    assert_eq!(workspace().targets("test"), [("lab", "ovn_ping")]);
    assert_eq!(workspace().targets("lib"), [("lab", "lab"), ("ovn", "ovn")]);
}

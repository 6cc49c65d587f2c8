use super::{Program, Programs};
use crate::workspace::Workspace;

const METADATA: &str = r#"{
  "workspace_root": "/tree", "target_directory": "/target",
  "packages": [
    { "name": "udn-lab", "id": "path+file:///tree/crates/udn-lab#0.1.0", "dependencies": [],
      "targets": [{ "name": "udn_lab", "kind": ["lib"], "test": true }] },
    { "name": "udn", "id": "path+file:///tree/crates/udn#0.1.0", "dependencies": [],
      "targets": [{ "name": "udn", "kind": ["bin"], "test": true }] }
  ]
}"#;

fn message(owner: &str, kind: &str, name: &str, test: bool, executable: &str) -> String {
    format!(
        r#"{{"reason":"compiler-artifact","package_id":"path+file:///tree/crates/{owner}#0.1.0",
        "target":{{"kind":["{kind}"],"name":"{name}"}},"profile":{{"test":{test}}},
        "executable":{executable}}}"#
    )
    .replace('\n', " ")
}

fn programs() -> Programs {
    let workspace = Workspace::parse(METADATA.as_bytes()).unwrap();
    let mut programs = Programs::new(&workspace);
    for line in [
        message("udn-lab", "test", "api", true, r#""/target/debug/deps/api-11""#),
        message("udn", "test", "api", true, r#""/target/debug/deps/api-22""#),
        message("udn", "bin", "udn", true, r#""/target/debug/deps/udn-33""#),
        message("udn", "bin", "udn", false, r#""/target/debug/udn""#),
        message("udn-lab", "lib", "udn_lab", false, "null"),
        message("elsewhere", "test", "api", true, r#""/target/debug/deps/api-44""#),
        "   Compiling udn".to_owned(),
        r#"{"reason":"build-finished","success":true}"#.to_owned(),
    ] {
        programs.line(&workspace, &line);
    }
    programs
}

#[test]
fn programs_of_one_name_are_told_apart() {
    let programs = programs();
    let check = |path, owner, name| {
        assert_eq!(programs.of_executable(path), Program::new(owner, name), "{path}");
    };
    check("/target/debug/deps/api-11", "udn-lab", "api");
    check("target/debug/deps/api-22", "udn", "api");
    check("target/debug/deps/udn-33", "udn", "unit");
    check("target/debug/deps/api-44", "?", "api");
    assert_eq!(programs.all().len(), 3);
}

#[test]
fn doc_tests_are_known_by_their_library() {
    assert_eq!(programs().of_docs("udn_lab"), Program::new("udn-lab", "docs"));
}

//! The verdicts on schemas that `ovsdb`'s own tests rely on are those of a real ovsdb-tool.

use serde_json::Value;
use udn_lab::ovn_root::OvnRoot;

const CASES: &str = include_str!("../../../ovsdb/src/schema/cases.json");

#[test]
fn ovsdb_tool_judges_every_case_as_written() {
    let root = OvnRoot::find().expect("the OVN root is prepared");
    let folder = tempfile::tempdir().unwrap();
    let (schema, database) = (folder.path().join("schema"), folder.path().join("database"));
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() > 100);
    for case in cases {
        std::fs::write(&schema, case["schema"].to_string()).unwrap();
        let mut tool = root.command_in(folder.path(), "ovsdb-tool");
        let output = tool.arg("create").arg(&database).arg(&schema).output().unwrap();
        assert_eq!(Value::from(output.status.success()), case["accepted"], "{}", case["case"]);
        // A refused schema leaves no file behind.
        let _ = std::fs::remove_file(&database);
    }
}

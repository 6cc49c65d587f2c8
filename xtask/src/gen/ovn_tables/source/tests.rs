//! Tests of the table generator, on a schema small enough to read.

use ovsdb::DatabaseSchema;

use super::{camel_case, render};

fn render_table(columns: &str) -> String {
    let text = format!(
        r#"{{"name": "Small", "version": "1.2.3", "tables": {{
            "Other": {{"isRoot": true, "columns": {{"name": {{"type": "string"}}}}}},
            "Some_Table": {{"indexes": [["name"]], "columns": {{
                "name": {{"type": "string"}}, {columns}
            }}}}
        }}}}"#
    );
    let schema = DatabaseSchema::parse(&text).expect("a valid schema");
    render(&schema)
}

fn check(columns: &str, wanted: &[&str]) {
    let source = render_table(columns);
    for line in wanted {
        assert!(source.contains(line), "{line:?} is not in\n{source}");
    }
}

#[test]
fn the_database_lists_its_tables_by_name() {
    let listed = "tables: &[\n    <Other as Record>::TABLE,\n    <SomeTable as Record>::TABLE,\n]";
    check(r#""a": {"type": "integer"}"#, &[listed, r#"name: "Small", version: "1.2.3""#]);
}

#[test]
fn a_table_keeps_its_indexes_and_whether_it_is_root() {
    check(
        r#""a": {"type": "integer"}"#,
        &[r#"name: "Some_Table", is_root: false, max_rows: None, indexes: &[&["name"]]"#],
    );
}

#[test]
fn words_become_an_enum_and_a_scalar_of_them_may_be_absent() {
    check(
        r#""action": {"type": {"key": {"type": "string", "enum": ["set", ["allow-related", "drop"]]}}}"#,
        &[
            "AllowRelated = \"allow-related\",",
            "pub action: Option<SomeTableAction>,",
            "pub const ACTION: Column<SomeTableAction>",
            r#"BaseDef::OneOf(&["allow-related", "drop"])"#,
        ],
    );
}

#[test]
fn references_are_drawn_by_key_and_read_by_identifier() {
    check(
        r#""others": {"type": {"key": {"type": "uuid", "refTable": "Other", "refType": "weak"},
            "min": 0, "max": "unlimited"}},
           "by_number": {"type": {"key": "integer", "value": {"type": "uuid", "refTable": "Other"},
            "min": 0, "max": "unlimited"}}"#,
        &[
            "pub others: RowRefs,",
            "Column<BTreeSet<Uuid>> = Column::new(\"others\")",
            "pub by_number: RowRefMap<i64>,",
            r#"ColumnDef::set("others", BaseDef::Weak("Other"))"#,
        ],
    );
}

#[test]
fn limits_and_flags_survive() {
    check(
        r#""type": {"type": {"key": {"type": "integer", "minInteger": 1, "maxInteger": 9}},
            "ephemeral": true, "mutable": false},
           "label": {"type": {"key": {"type": "string", "maxLength": 63}, "min": 0, "max": 1}}"#,
        &[
            r#"ColumnDef::scalar("type", BaseDef::IntegerIn(1, 9)).ephemeral().immutable()"#,
            "pub r#type: i64,",
            r#"ColumnDef::optional("label", BaseDef::StringOf(0, 63))"#,
        ],
    );
}

#[test]
fn names_become_rust_names() {
    let cases = [
        ("DHCP_Options", "DhcpOptions"),
        ("NB_Global", "NbGlobal"),
        ("sFlow", "SFlow"),
        ("allow-related", "AllowRelated"),
        ("dnat_and_snat", "DnatAndSnat"),
        ("802.1ad", "V8021ad"),
    ];
    for (name, want) in cases {
        assert_eq!(camel_case(name), want);
    }
}

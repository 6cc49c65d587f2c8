//! The generated definitions against the schemas that real servers load.
#![allow(clippy::disallowed_methods, reason = "this test reads the schema files of the OVN root")]

use ovn::definition::DatabaseDef;
use ovn::{northbound, open_vswitch, southbound};
use ovsdb::DatabaseSchema;
use udn_lab::ovn_root::{Database, OvnRoot};

fn check(database: Database, generated: &DatabaseDef) {
    let root = OvnRoot::find().expect("OVN is set up");
    let text = std::fs::read_to_string(root.schema(database)).expect("the schema can be read");
    let mut real = DatabaseSchema::parse(&text).expect("a server's schema is valid");
    // The checksum is of the file, not of what it says.
    real.checksum = None;
    assert_eq!(generated.to_schema(), real);
}

#[test]
fn northbound_definitions_give_the_servers_schema() {
    check(Database::Northbound, &northbound::DATABASE);
}

#[test]
fn southbound_definitions_give_the_servers_schema() {
    check(Database::Southbound, &southbound::DATABASE);
}

#[test]
fn open_vswitch_definitions_give_the_servers_schema() {
    check(Database::OpenVswitch, &open_vswitch::DATABASE);
}

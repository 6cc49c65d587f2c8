//! The `_Server` database, in which a server tells what it serves.
//!
//! Invariant: as far as clients can see, this is a standalone server that is always connected.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use crate::schema::{BaseType, ColumnSchema, ColumnType, DatabaseSchema, TableSchema};
use crate::value::AtomKind;

pub(super) const NAME: &str = "_Server";

static SCHEMA: LazyLock<Arc<DatabaseSchema>> = LazyLock::new(|| {
    let scalar = |name: &str, kind| ColumnSchema::new(name, ColumnType::from(kind));
    let optional =
        |name: &str, kind| ColumnSchema::new(name, ColumnType::optional(BaseType::from(kind)));
    let models = BaseType::one_of(&["clustered", "relay", "standalone"]);
    let columns = [
        scalar("name", AtomKind::String),
        ColumnSchema::new("model", ColumnType::scalar(models)),
        scalar("connected", AtomKind::Boolean),
        scalar("leader", AtomKind::Boolean),
        optional("schema", AtomKind::String),
        optional("cid", AtomKind::Uuid),
        optional("sid", AtomKind::Uuid),
        optional("index", AtomKind::Integer),
    ];
    let table = TableSchema::new("Database", columns);
    // compat: ovsdb/_server.ovsschema, version.
    let schema = DatabaseSchema::new(NAME, "1.2.0", [table]);
    Arc::new(schema.expect("a schema without references fits together"))
});

pub(super) fn schema() -> &'static Arc<DatabaseSchema> {
    &SCHEMA
}

/// The operation that makes a database known.
pub(super) fn announcement(schema: &DatabaseSchema) -> Value {
    json!({ "op": "insert", "table": "Database", "row": {
        "name": schema.name,
        "model": "standalone",
        "connected": true,
        "leader": true,
        "schema": schema.to_json().to_string(),
    } })
}

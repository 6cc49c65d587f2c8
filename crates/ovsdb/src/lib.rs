//! RFC 7047, the OVSDB management protocol, without sockets.
//!
//! Values, schemas and operations; a session that turns bytes into events; a replica with
//! indexes; and an engine that runs transactions as ovsdb-server does.
//! Invariant: nothing here opens, waits, prints or looks at a clock.

pub mod cache;
pub mod codec;
pub mod engine;
pub mod fault;
pub mod frame;
pub mod op;
pub mod retry;
pub mod row;
pub mod rpc;
pub mod schema;
pub mod service;
pub mod session;
pub mod value;

pub use cache::Cache;
pub use engine::Engine;
pub use fault::Fault;
pub use op::Operation;
pub use retry::Retry;
pub use row::Row;
pub use schema::DatabaseSchema;
pub use session::Session;
pub use value::{Atom, Datum, Uuid};

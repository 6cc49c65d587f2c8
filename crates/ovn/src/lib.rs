//! OVN's tables as types: draw rows on sheets, compare them with what stands, plan the change.
//!
//! Reads replicas of OVN's databases; returns plans and findings.
//! Invariant: nothing here knows of Kubernetes, networks or sockets.

pub mod audit;
pub mod column;
pub mod compare;
pub mod definition;
pub mod drawn;
mod generated;
mod json;
pub mod key;
mod plain;
pub mod plan;
mod prelude;
pub mod rules;
pub mod sheet;
pub mod simulated_database;

pub use audit::audit;
pub use compare::{compare, compare_all};
pub use generated::{northbound, open_vswitch, southbound};
pub use key::Key;
pub use plan::Plan;
pub use rules::{Owner, Ownership, Rules, standing_owners};
pub use sheet::Sheet;
pub use simulated_database::SimulatedDatabase;

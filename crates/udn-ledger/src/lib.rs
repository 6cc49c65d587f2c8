//! The book of numbers: who holds which id, key, address and MAC, and who gets the next one.
//!
//! Reads an [`Intent`](udn_model::Intent) with what was published before; returns
//! [`Grants`](udn_model::Grants).
//! Invariant: a published number stays with its holder, and no number has two holders.

mod accept;
mod address_pool;
mod book;
mod grant;
mod intervals;
mod ledger;
mod network_ledger;
mod register;
mod settle;
mod transit;

pub use accept::accept;
pub use ledger::Ledger;
pub use register::{settle_network, settle_node};
pub use settle::settle;
pub use transit::choose_transit;

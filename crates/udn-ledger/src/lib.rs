//! Allocates numbers: who holds which id, key, address and MAC, and who gets the next one.
//!
//! Reads an [`Intent`](udn_model::Intent) with what was published before; returns
//! [`Grants`](udn_model::Grants).
//! Invariant: a published number stays with its holder, and no number has two holders.

#[cfg(test)]
extern crate self as udn_ledger;

mod accept;
mod address_pool;
mod addresses;
mod by_name;
mod grant;
mod intervals;
mod ledger;
mod macs;
mod network_allocations;
mod node_addresses;
mod node_subnets;
mod number_pool;
mod pool;
mod register;
mod slab;
#[cfg(test)]
mod tests;
mod transit;
mod waiting;

pub use accept::{accept, accept_attachments, accept_network, accept_node_subnets, accept_nodes};
pub use addresses::{Settled, Waiter, settle_claim, settle_pod};
pub use ledger::Ledger;
pub use network_allocations::Tally;
pub use node_addresses::{attachment_on_node, network_on_node};
pub use node_subnets::{Lack, NodeSubnets, SettledNode, Usage, settle_node_subnets};
pub use pool::Pool;
pub use register::{settle_network, settle_node};
pub use transit::choose_transit;

//! STATUS: whether a pod could be added now.
//!
//! Invariant: it waits for nothing.

use udn_cni::{CniError, Code};

use super::pods::Pods;
use super::service::Service;

impl<P: Pods> Service<P> {
    pub(super) fn status(&self) -> Result<(), CniError> {
        if !self.wiring.host.switch().is_synced() {
            let message = "the database of Open vSwitch is away, and pods cannot be plugged in; see \
                           whether ovsdb-server runs on this node";
            return Err(CniError::new(Code::LimitedConnectivity, message));
        }
        if !self.wiring.pods.is_synced() {
            let message = "udn node has not heard of all networks and pods yet; see whether it \
                           reaches the API server";
            return Err(CniError::new(Code::NotAvailable, message));
        }
        Ok(())
    }
}

//! GC: takes away the ports of sandboxes that the runtime no longer knows.
//!
//! A runtime collects network by network, so a port is only judged by the list of its own network.
//! Invariant: a port of another network, or of another program, stays.

use std::collections::BTreeSet;

use tracing::info;
use udn_cni::{Attachment, CniError, Code, NetConf};
use udn_model::ObjectName;

use super::pods::Pods;
use super::service::Service;
use crate::switch::PodPort;

impl<P: Pods> Service<P> {
    pub(super) async fn gc(&self, valid: &[Attachment], conf: &NetConf) -> Result<(), CniError> {
        let default_nad = &self.wiring.settings.cluster.default_nad;
        let ports = self.wiring.host.switch().pod_ports();
        let stale: Vec<PodPort> =
            ports.into_iter().filter(|port| is_stale(port, valid, (conf, default_nad))).collect();
        let sandboxes: BTreeSet<&str> = stale.iter().map(|port| port.sandbox.as_str()).collect();
        for sandbox in &sandboxes {
            let _turn = self.wiring.turns.take(sandbox).await;
            let ports: Vec<PodPort> =
                stale.iter().filter(|port| port.sandbox == **sandbox).cloned().collect();
            let removed = self.wiring.disconnect(&ports).await.map_err(|error| {
                let message = format!("could not take away the ports of sandbox {sandbox}");
                CniError::new(Code::TryAgainLater, message).with_details(error.to_string())
            })?;
            info!(sandbox, ports = removed, "took away a sandbox that the runtime does not know");
        }
        self.wiring.sweep().await;
        Ok(())
    }
}

/// Whether a port of the configuration's network is of a sandbox that is not in the list.
pub(super) fn is_stale(
    port: &PodPort,
    valid: &[Attachment],
    (conf, default_nad): (&NetConf, &ObjectName),
) -> bool {
    let Some(key) = &port.key else { return false };
    let is_known = |interface: Option<&str>| {
        valid.iter().any(|it| {
            it.container_id.as_str() == port.sandbox
                && interface.is_none_or(|name| it.interface.as_str() == name)
        })
    };
    let nad = conf.net_attach_def.as_ref().map(|nad| ObjectName::new(&nad.namespace, &nad.name));
    match nad.filter(|nad| nad != default_nad) {
        Some(nad) => key.nad == nad && !is_known(Some(&port.interface)),
        // The link into the primary network goes with the one into the default network.
        None => {
            let goes_along = port.interface == udn_host::survey::PRIMARY_INTERFACE;
            (key.is_on_default_network() || goes_along) && !is_known(None)
        }
    }
}

#[cfg(test)]
mod tests;

//! DEL: takes a sandbox's interface away, by what the switch's rows say and nothing else.
//!
//! Invariant: it never fails for what is not there, and never touches another sandbox.

use tracing::{debug, info};
use udn_cni::net_conf::NetAttachDef;
use udn_cni::{Attachment, CniError, NetConf, Removal};
use udn_host::survey::PRIMARY_INTERFACE;
use udn_model::ObjectName;

use super::pods::Pods;
use super::service::{Service, explain_sandbox};
use crate::kernel::KernelError;
use crate::switch::PodPort;

impl<P: Pods> Service<P> {
    pub(super) async fn del(&self, removal: &Removal) -> Result<(), CniError> {
        // Who names no interface names nothing that could be removed.
        let Some(attachment) = &removal.attachment else { return Ok(()) };
        let Attachment { container_id, interface } = attachment;
        let (sandbox, asked) = (container_id.as_str(), interface.as_str());
        let _turn = self.wiring.turns.take_to_remove(sandbox, asked).await;
        let ports = self.wiring.host.switch().ports_of(sandbox);
        let default_nad = &self.wiring.settings.cluster.default_nad;
        let is_default = is_default(asked, &ports, &removal.conf, default_nad);
        let is_meant = |name: &str| name == asked || (is_default && name == PRIMARY_INTERFACE);
        let meant: Vec<PodPort> =
            ports.into_iter().filter(|port| is_meant(&port.interface)).collect();
        // The rows first: whoever follows them must not put back what goes.
        let removed = self.wiring.disconnect_ports(&meant).await;
        let removed = removed.map_err(|error| explain_sandbox(attachment, &error))?;
        self.clear_namespace(removal, asked, is_default).await;
        for port in &meant {
            self.wiring.unlink(&port.link).await;
        }
        info!(sandbox, interface = asked, ports = removed, "took an interface away");
        Ok(())
    }

    /// Takes away what is left inside of the pod, such as links that never got a port.
    async fn clear_namespace(&self, removal: &Removal, asked: &str, is_default: bool) {
        let Some(path) = &removal.netns else { return };
        let inside = match self.wiring.host.kernel().enter_pod(path).await {
            Ok(inside) => inside,
            Err(error) => return skip(&error),
        };
        let primary = is_default.then_some(PRIMARY_INTERFACE);
        for interface in [asked].into_iter().chain(primary) {
            if let Err(error) = inside.remove_pod_end(interface).await {
                skip(&error);
            }
        }
    }
}

/// A namespace that is not there, or that is no namespace, has nothing to clear.
fn skip(error: &KernelError) {
    debug!(%error, "left a pod's namespace as it is");
}

/// Whether the interface is the one into the default network, with which the one into the primary
/// network goes. The rows know best; a configuration that cannot be read says nothing.
fn is_default(asked: &str, ports: &[PodPort], conf: &NetConf, default_nad: &ObjectName) -> bool {
    if let Some(port) = ports.iter().find(|port| port.interface == asked) {
        return port.nad.is_none();
    }
    let is_other = |nad: &NetAttachDef| {
        nad.namespace != *default_nad.namespace || nad.name != *default_nad.name
    };
    let is_of_nad = conf.net_attach_def.as_ref().is_some_and(is_other);
    !conf.name.is_empty() && !is_of_nad && asked != PRIMARY_INTERFACE
}

#[cfg(test)]
mod tests;

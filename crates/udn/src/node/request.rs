//! From what was asked on the command line to an agent's settings.
//!
//! Invariant: a flag counts more than the environment, and that more than what the machine says.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use udn_host::chassis::ChassisSettings;
use udn_model::{ChassisName, ClusterSettings, NodeName};
use udn_node::Program;
use udn_node::agent::{
    AgentSettings, CONFIGURATION, CniPlaces, KubeletSettings, OWN_NAMESPACE, PluginFiles,
};

use crate::args::NodeRequest;

#[cfg(test)]
mod tests;

/// Where a DaemonSet tells its pods on which node they are.
const NODE_NAME: &str = "K8S_NODE_NAME";

/// The plugin's binary, as it lies beside this program.
const PLUGIN: &str = "ovn-k8s-cni-overlay";

/// An agent's settings, in a cluster of these settings.
pub(super) fn settings(
    request: &NodeRequest,
    mut cluster: ClusterSettings,
) -> Result<AgentSettings> {
    let ovn = &request.ovn;
    cluster.external_physical_network.clone_from(&ovn.physical_network);
    let cni = cni(request, cluster.builds_default_network)?;
    let chassis = ChassisSettings {
        node: node_name(request)?,
        identity: fresh_identity()?,
        southbound: ovn.southbound.to_string(),
        integration_bridge: ovn.integration_bridge.clone(),
        external_bridge: ovn.external_bridge.clone(),
        uplink: ovn.uplink.clone(),
        physical_network: ovn.physical_network.clone(),
        tunnel_addresses: ovn.encap_ip.clone(),
        masquerade: cluster.masquerade,
    };
    Ok(AgentSettings {
        chassis,
        cluster: Arc::new(cluster),
        northbound: ovn.northbound.clone(),
        southbound: ovn.southbound.clone(),
        open_vswitch: vec![ovn.open_vswitch.clone()],
        namespace: OWN_NAMESPACE.into(),
        ofctl: Program::new(&ovn.ofctl),
        ethtool: Program::new(&ovn.ethtool),
        kubelet: KubeletSettings {
            group: request.kubelet.kubelet_cgroup.clone(),
            namespace: request.kubelet.host_cgroup_namespace.clone(),
        },
        cni,
    })
}

fn node_name(request: &NodeRequest) -> Result<NodeName> {
    let of_host = || fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = request.node.clone().or_else(|| env::var(NODE_NAME).ok()).unwrap_or_else(of_host);
    match name.trim() {
        "" => bail!("cannot tell which node this is; name it with --node"),
        // As kubelets do it.
        name => Ok(NodeName::new(&name.to_lowercase())),
    }
}

/// A chassis name for a switch that has none; the switch remembers it.
fn fresh_identity() -> Result<ChassisName> {
    let text = fs::read_to_string("/proc/sys/kernel/random/uuid");
    let text = text.context("cannot make a name for the node's chassis")?;
    Ok(ChassisName::new(text.trim()))
}

fn cni(request: &NodeRequest, builds_default_network: bool) -> Result<Option<CniPlaces>> {
    let cni = &request.cni;
    if cni.no_cni {
        return Ok(None);
    }
    let binary = match &cni.cni_bin_dir {
        None => None,
        Some(folder) => Some((folder.clone(), plugin(cni.cni_binary.as_ref())?)),
    };
    // Runtimes make the first configuration the default network, and that is another plugin's.
    let configurations = cni.cni_conf_dir.clone().filter(|folder| {
        if !builds_default_network {
            warn_of_own(&folder.join(CONFIGURATION));
        }
        builds_default_network
    });
    let version = cni.cni_version;
    let plugin = PluginFiles { configurations, version, binary };
    Ok(Some(CniPlaces { socket: cni.cni_socket.clone(), plugin }))
}

/// Tells of a configuration that an agent with another --default-network wrote; whether another plugin
/// serves pods already, a person has to judge.
fn warn_of_own(path: &Path) {
    if path.exists() {
        tracing::warn!(
            path = %path.display(),
            "the default network is another plugin's, but runtimes may still take it from this \
             configuration of ours; remove the file"
        );
    }
}

/// The plugin's binary.
fn plugin(named: Option<&PathBuf>) -> Result<PathBuf> {
    let path = match named {
        Some(path) => path.clone(),
        None => {
            let own = env::current_exe().context("cannot tell where this program is")?;
            own.with_file_name(PLUGIN)
        }
    };
    if !path.is_file() {
        bail!("there is no CNI plugin {}; name it with --cni-binary", path.display());
    }
    Ok(path)
}

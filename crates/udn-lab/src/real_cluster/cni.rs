//! A node's CNI plugins and configuration: the reference plugins, and Multus before any other.
//!
//! Reads texts and what set-up built; writes into the folders of one node.
//! Invariant: a file appears whole, because containerd reads a folder as soon as it changes.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::cni_plugins::{MULTUS, REFERENCE};
use crate::real_cluster::RealClusterError;
use crate::real_cluster::ground::write;
use crate::real_cluster::node::RealNode;

pub(super) fn install_plugins(node: &RealNode) -> Result<(), RealClusterError> {
    for name in REFERENCE {
        link(node, name)?;
    }
    Ok(())
}

pub(super) fn install_bridge(node: &RealNode, subnet: &str) -> Result<(), RealClusterError> {
    install_plugins(node)?;
    let text = format!(
        r#"{{
  "cniVersion": "1.0.0",
  "name": "bridge",
  "plugins": [
    {{
      "type": "bridge",
      "bridge": "cni0",
      "isDefaultGateway": true,
      "hairpinMode": true,
      "ipam": {{"type": "host-local", "ranges": [[{{"subnet": "{subnet}"}}]]}}
    }},
    {{"type": "portmap", "capabilities": {{"portMappings": true}}, "backend": "nftables"}}
  ]
}}
"#
    );
    write_conf(node, "50-bridge.conflist", &text)
}

pub(super) fn install_multus(node: &RealNode, default_conf: &str) -> Result<(), RealClusterError> {
    install_plugins(node)?;
    link(node, MULTUS)?;
    let kubeconfig = node.kubeconfig();
    let text = format!(
        r#"{{
  "cniVersion": "0.3.1",
  "name": "multus-cni-network",
  "type": "{MULTUS}",
  "capabilities": {{"portMappings": true}},
  "kubeconfig": "{}",
  "delegates": [{}]
}}
"#,
        kubeconfig.display(),
        default_conf.trim(),
    );
    write_conf(node, "00-multus.conf", &text)
}

pub(super) fn write_conf(node: &RealNode, name: &str, text: &str) -> Result<(), RealClusterError> {
    let path = node.cni_conf_folder().join(name);
    // containerd takes only known endings for configurations.
    let draft = draft_of(&path);
    write(&draft, text)?;
    fs::rename(&draft, &path).map_err(|source| RealClusterError::Write { path, source })
}

pub(super) fn install(node: &RealNode, name: &str, program: &Path) -> Result<(), RealClusterError> {
    let path = node.cni_bin_folder().join(name);
    let draft = draft_of(&path);
    let placed = fs::copy(program, &draft).and_then(|_| fs::rename(&draft, &path));
    placed.map_err(|source| RealClusterError::Write { path, source })
}

/// Plugins are linked, not copied: they are large, and their path is the same on the node.
fn link(node: &RealNode, plugin: &str) -> Result<(), RealClusterError> {
    let path = node.cni_bin_folder().join(plugin);
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    let target = node.parts().plugins.plugin(plugin);
    symlink(target, &path).map_err(|source| RealClusterError::Write { path, source })
}

fn draft_of(path: &Path) -> PathBuf {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".part");
    draft.into()
}

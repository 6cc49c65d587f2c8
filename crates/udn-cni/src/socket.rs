//! Where the node's CNI server listens.
//!
//! Reads a variable and a link beside the plugin; returns a path.
//! Invariant: a network configuration has no say in it: users write those, and the plugin is root.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Where it listens unless somebody says otherwise.
// compat: go-controller/pkg/cni/types.go, serverSocketPath
pub const DEFAULT: &str = "/var/run/ovn-kubernetes/cni/ovn-cni-server.sock";

/// The variable that says otherwise; for tests and rigs, where the runtime passes it on.
pub const VARIABLE: &str = "OVN_CNI_SOCKET";

/// The name of the link that says otherwise, in the plugin's own folder.
pub const LINK: &str = "ovn-k8s-cni-overlay.sock";

/// The socket for a plugin that was started by this name, in this order: the variable, what the
/// link beside the plugin points to, the default.
pub fn find(variable: Option<OsString>, program: &Path) -> PathBuf {
    if let Some(path) = variable.filter(|path| !path.is_empty()) {
        return path.into();
    }
    linked(program).unwrap_or_else(|| DEFAULT.into())
}

/// Runtimes start a plugin by its full path; the name by which it was started counts, not the file
/// behind it, because several folders may share that.
fn linked(program: &Path) -> Option<PathBuf> {
    let folder = program.parent().filter(|folder| folder.is_absolute())?;
    let target = fs::read_link(folder.join(LINK)).ok()?;
    Some(folder.join(target))
}

#[cfg(test)]
mod tests;

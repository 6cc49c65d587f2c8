//! The files by which container runtimes find the CNI plugin: its configuration, its binary, and where
//! its server listens.
//!
//! Invariant: a file appears whole or not at all, one that stands already is not written again, and no
//! other file is touched.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::json;
use tracing::info;
use udn_cni::socket;
use udn_cni::version::Version;
use udn_wire::keys::CNI_TYPE;

#[cfg(test)]
mod tests;

/// The configuration's name; runtimes take the first by name.
// compat: pkg/config/config.go, CNIConfFileName
pub const CONFIGURATION: &str = "10-ovn-kubernetes.conf";
/// The network's name in it.
const NETWORK: &str = "ovn-kubernetes";

/// Where the files go; what is not named is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFiles {
    /// The folder of configurations, usually `/etc/cni/net.d`.
    pub configurations: Option<PathBuf>,
    /// The version in which runtimes are answered; an older one than they know is no harm.
    pub version: Version,
    /// The folder of plugins, usually `/opt/cni/bin`, and the plugin's binary to put there.
    pub binary: Option<(PathBuf, PathBuf)>,
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("could not write {path}")]
pub struct PluginError {
    path: PathBuf,
    source: io::Error,
}

impl PluginFiles {
    /// Writes what is missing: the configuration last, because with it runtimes begin.
    pub(crate) fn install(&self, server: &Path) -> Result<(), PluginError> {
        if let Some((folder, binary)) = &self.binary {
            install_binary(folder, binary)?;
            install_link(folder, server)?;
        }
        if let Some(folder) = &self.configurations {
            let path = folder.join(CONFIGURATION);
            if write(&path, self.configuration().as_bytes(), 0o644)? {
                info!(path = %path.display(), "wrote the CNI configuration");
            }
        }
        Ok(())
    }

    /// The configuration of the default network.
    fn configuration(&self) -> String {
        let version = self.version.as_str();
        let conf = json!({ "cniVersion": version, "name": NETWORK, "type": CNI_TYPE,
            "ipam": {}, "dns": {} });
        format!("{conf}\n")
    }
}

fn install_binary(folder: &Path, binary: &Path) -> Result<(), PluginError> {
    let content = fs::read(binary);
    let content = content.map_err(|source| PluginError { path: binary.to_owned(), source })?;
    let path = folder.join(CNI_TYPE);
    if write(&path, &content, 0o755)? {
        info!(path = %path.display(), "installed the CNI plugin");
    }
    Ok(())
}

/// Tells the plugin where its server listens, if that is somewhere else than usual.
fn install_link(folder: &Path, server: &Path) -> Result<(), PluginError> {
    let path = folder.join(socket::LINK);
    let failed = |source| PluginError { path: path.clone(), source };
    let standing = fs::read_link(&path).ok();
    if server == Path::new(socket::DEFAULT) {
        return match standing {
            Some(_) => fs::remove_file(&path).map_err(failed),
            None => Ok(()),
        };
    }
    if standing.as_deref() == Some(server) {
        return Ok(());
    }
    let draft = draft(&path);
    let _ = fs::remove_file(&draft);
    symlink(server, &draft).and_then(|()| fs::rename(&draft, &path)).map_err(failed)
}

/// Writes a file, if it does not stand already; returns whether it did not.
fn write(path: &Path, content: &[u8], mode: u32) -> Result<bool, PluginError> {
    let failed = |source| PluginError { path: path.to_owned(), source };
    let is_executable = |it: &fs::Metadata| it.permissions().mode() & 0o777 == mode;
    let stands = fs::read(path).is_ok_and(|it| it == content)
        && fs::metadata(path).is_ok_and(|it| is_executable(&it));
    if stands {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(failed)?;
    let draft = draft(path);
    fs::write(&draft, content).map_err(failed)?;
    fs::set_permissions(&draft, fs::Permissions::from_mode(mode)).map_err(failed)?;
    fs::rename(&draft, path).map_err(failed)?;
    Ok(true)
}

/// A name beside a file under which runtimes do not look.
fn draft(path: &Path) -> PathBuf {
    let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.draft"))
}

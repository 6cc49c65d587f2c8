//! What a running sandbox is made of, written down where other terminals find it.
//!
//! Reads and writes one file in the sandbox's folder.
//! Invariant: the file is there exactly while the sandbox runs, and is replaced as a whole.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

mod shared;
#[cfg(test)]
mod tests;

pub use shared::{Choice, NothingShared, SharedAddress};

/// The file's name.
const FILE: &str = "inventory.json";

/// Why there is no inventory.
#[derive(Debug, thiserror::Error)]
pub enum InventoryError {
    #[error("no sandbox is running here; start one with `udn sandbox`")]
    NotRunning,
    #[error("could not read {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("could not write {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("{path} is not an inventory of this version")]
    Foreign { path: PathBuf, source: serde_json::Error },
    #[error("there is no pod {wanted}; the sandbox runs {known}")]
    NoSuchPod { wanted: String, known: String },
    #[error("several pods are called {wanted}: {pods}; name the namespace too")]
    Ambiguous { wanted: String, pods: String },
}

/// What other terminals may want to know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    /// The process that runs the sandbox.
    pub process: u32,
    /// For kubectl.
    pub kubeconfig: PathBuf,
    /// The network namespaces of nodes, by name.
    pub nodes: BTreeMap<String, PathBuf>,
    /// The network namespaces of pods, by `namespace/name`.
    pub pods: BTreeMap<String, PathBuf>,
    /// The networks of pods, by `namespace/name`.
    pub attachments: BTreeMap<String, Vec<PodAttachment>>,
    /// The network namespaces of hosts outside, by name.
    pub hosts: BTreeMap<String, PathBuf>,
    /// Whether real kubelets run the pods, which then are not listed here.
    pub has_kubelets: bool,
}

/// A network that a pod is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodAttachment {
    pub network: String,
    /// Empty where the network hands out none.
    pub addresses: Vec<IpAddr>,
}

impl Inventory {
    /// Reads the inventory of the sandbox in `folder`.
    pub fn read(folder: &Path) -> Result<Self, InventoryError> {
        let path = folder.join(FILE);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(InventoryError::NotRunning);
            }
            Err(source) => return Err(InventoryError::Read { path, source }),
        };
        serde_json::from_slice(&text).map_err(|source| InventoryError::Foreign { path, source })
    }

    /// Writes it beside the old one and renames.
    pub fn write(&self, folder: &Path) -> Result<(), InventoryError> {
        let path = folder.join(FILE);
        let failed = |source| InventoryError::Write { path: path.clone(), source };
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        let beside = path.with_extension("new");
        fs::write(&beside, text).map_err(failed)?;
        fs::rename(&beside, &path).map_err(failed)
    }

    /// The namespace of a pod, named in full or, where that is clear, by its name alone; hosts and
    /// nodes are found too.
    pub fn find(&self, wanted: &str) -> Result<&Path, InventoryError> {
        match self.pod(wanted) {
            Ok((_, namespace)) => Ok(namespace),
            Err(error) => {
                let other = self.hosts.get(wanted).or_else(|| self.nodes.get(wanted));
                other.map(PathBuf::as_path).ok_or(error)
            }
        }
    }

    /// The full name of a pod, and its namespace.
    pub fn pod(&self, wanted: &str) -> Result<(&str, &Path), InventoryError> {
        let by_name = |name: &String| name.rsplit('/').next() == Some(wanted);
        let pods = self.pods.iter().filter(|(name, _)| *name == wanted || by_name(name));
        let found: Vec<(&str, &Path)> =
            pods.map(|(name, path)| (name.as_str(), path.as_path())).collect();
        match found.as_slice() {
            [only] => Ok(*only),
            [] => {
                let known = self.pods.keys().chain(self.hosts.keys()).chain(self.nodes.keys());
                let known = known.map(String::as_str).collect::<Vec<_>>().join(", ");
                Err(InventoryError::NoSuchPod { wanted: wanted.to_owned(), known })
            }
            several => {
                let pods = several.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                Err(InventoryError::Ambiguous { wanted: wanted.to_owned(), pods })
            }
        }
    }
}

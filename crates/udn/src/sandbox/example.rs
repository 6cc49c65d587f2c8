//! The examples that are part of the program, so that they run from anywhere.
//!
//! Invariant: the files are those of `examples/first-light` and `examples/kubernetes`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use udn_model::Family;

macro_rules! example {
    ($folder:literal, $($file:literal),+) => {
        Example {
            folder: $folder,
            files: &[$(($file, include_str!(concat!("../../../../examples/", $folder, "/", $file)))),+],
        }
    };
}

/// What the sandbox shows.
pub(super) const FIRST_LIGHT: Example = example!(
    "first-light",
    "00-nodes.yaml",
    "10-tenants.yaml",
    "20-vlan.yaml",
    "30-pods.yaml",
    "40-services.yaml"
);

/// What a real Kubernetes shows.
pub(super) const KUBERNETES: Example = example!(
    "kubernetes",
    "00-namespaces.yaml",
    "10-main-networks.yaml",
    "20-further-networks.yaml",
    "30-pods.yaml"
);

/// A folder of manifests.
pub(super) struct Example {
    folder: &'static str,
    files: &'static [(&'static str, &'static str)],
}

impl Example {
    /// Writes the example below a folder; returns where.
    pub(super) fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        self.write_for(&Family::BOTH, folder)
    }

    /// The same for a cluster whose pods have addresses of these families.
    pub(super) fn write_for(&self, families: &[Family], folder: &Path) -> io::Result<PathBuf> {
        let manifests = folder.join(self.folder);
        fs::create_dir_all(&manifests)?;
        for (name, text) in self.files {
            fs::write(manifests.join(name), of_families(text, families))?;
        }
        Ok(manifests)
    }
}

/// A manifest without the subnets of other families, each of which has a line of its own.
fn of_families(text: &str, families: &[Family]) -> String {
    let is_meant = |line: &&str| subnet_of(line).is_none_or(|family| families.contains(&family));
    text.split_inclusive('\n').filter(is_meant).collect()
}

/// The family of the subnet that a line adds to a list.
fn subnet_of(line: &str) -> Option<Family> {
    let item = line.trim().strip_prefix("- ")?;
    let (address, _) = item.strip_prefix("cidr: ").unwrap_or(item).split_once('/')?;
    address.parse().ok().map(Family::of)
}

#[cfg(test)]
mod tests;

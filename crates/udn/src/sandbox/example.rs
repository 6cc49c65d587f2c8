//! The first-light example, which is part of the program so that it runs from anywhere.
//!
//! Invariant: the files are those of `examples/first-light`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const FILES: &[(&str, &str)] = &[
    ("00-nodes.yaml", include_str!("../../../../examples/first-light/00-nodes.yaml")),
    ("10-tenants.yaml", include_str!("../../../../examples/first-light/10-tenants.yaml")),
    ("20-vlan.yaml", include_str!("../../../../examples/first-light/20-vlan.yaml")),
    ("30-pods.yaml", include_str!("../../../../examples/first-light/30-pods.yaml")),
    ("40-services.yaml", include_str!("../../../../examples/first-light/40-services.yaml")),
];

/// Writes the example below a folder; returns where.
pub(super) fn write(folder: &Path) -> io::Result<PathBuf> {
    let manifests = folder.join("first-light");
    fs::create_dir_all(&manifests)?;
    for (name, text) in FILES {
        fs::write(manifests.join(name), text)?;
    }
    Ok(manifests)
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn the_example_is_whole() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/first-light");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("the example is there")
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".yaml"))
            .collect();
        names.sort();
        assert_eq!(names, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }
}

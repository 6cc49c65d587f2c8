//! `cargo xtask image`: the image that clusters run, and the list of what is in it.
//!
//! Builds the binaries as `cargo xtask dist` does and puts them over the image base; leaves an OCI layout,
//! the same as one file, and an SBOM.
//! Invariant: no container engine is asked, and the same tree gives the same digest.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use udn_lab::image_base::ImageBase;
use udn_lab::setup::{Part, Setup, SetupError};
use udn_lab::shipped_image::{Built, Compression, ShippedImage};

use crate::args::ImageRequest;
use crate::dist;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

mod sbom;

/// The most that a node has to load, in bytes.
const LIMIT: u64 = 150_000_000;

const UDN: &str = "udn";
const PLUGIN: &str = "ovn-k8s-cni-overlay";
const SBOM: &str = "sbom.spdx.json";

/// Runs `cargo xtask image`.
pub(crate) fn run(workspace: &Workspace, request: &ImageRequest) -> Result<Verdict> {
    let base = base(workspace)?;
    if dist::run(workspace)?.is_fail() {
        return Ok(Verdict::Fail);
    }
    let binaries = workspace.target.join("dist");
    let folder = request.out.clone().unwrap_or_else(|| workspace.target.join("image"));
    let (udn, plugin) = (binaries.join(UDN), binaries.join(PLUGIN));
    let compression = Compression::Best;
    let image = ShippedImage { name: &request.name, udn: &udn, plugin: &plugin, compression };
    let built = image.build(&base, &folder).context("building the image")?;
    let sbom = sbom::write(workspace, &base, &request.name, &built.digest)?;
    let path = folder.join(SBOM);
    std::fs::write(&path, sbom).with_context(|| format!("writing {}", path.display()))?;
    show(&request.name, &built, &path);
    check_size(&built)?;
    Ok(Verdict::Pass)
}

/// The image base, which is made if it is not there.
fn base(workspace: &Workspace) -> Result<ImageBase> {
    let setup = Setup::new(&workspace.root).context("preparing set-up")?;
    for part in [Part::HostPackages, Part::ImageBase] {
        match setup.make(part, &mut |_| {}) {
            Ok(()) => {}
            Err(SetupError::Impossible { part, reason }) => {
                bail!("{part} cannot be had here: {reason}")
            }
            Err(error) => return Err(error).with_context(|| format!("making the {part}")),
        }
    }
    Ok(ImageBase::find()?)
}

fn show(name: &str, built: &Built, sbom: &Path) {
    println!("{name}  {}", built.digest);
    for (layer, size) in ["Debian's OVN and Open vSwitch", "udn"].iter().zip(&built.layers) {
        println!("{:>6.1} MB  {layer}, compressed", megabytes(*size));
    }
    println!("           {}", built.layout.display());
    println!("           {}  (ctr --namespace k8s.io images import)", built.archive.display());
    println!("           {}", sbom.display());
}

fn check_size(built: &Built) -> Result<()> {
    let size: u64 = built.layers.iter().sum();
    let (size, limit) = (megabytes(size), megabytes(LIMIT));
    ensure!(size <= limit, "the image has {size:.1} MB; it may have {limit:.0} MB");
    Ok(())
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

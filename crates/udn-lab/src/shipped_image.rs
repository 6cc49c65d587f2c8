//! The image that clusters run: our binaries over the image base, as an OCI layout and as one file.
//!
//! Reads binaries and an [`ImageBase`]; returns a [`Built`] with digests and sizes.
//! Invariant: the same binaries over the same base give the same bytes, and no container engine has
//! a hand in it.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::image_base::ImageBase;
use crate::run::{RunError, line, run};

mod layout;
#[cfg(test)]
mod tests;

use layout::{Blob, Layout};

/// The script that starts each program of the image but `udn` itself.
const START: &str = include_str!("../../../deploy/image/start.sh");
/// Under which terms ours may be copied.
const LICENSE: &str = include_str!("../../../LICENSE");
/// Where it lies in the image, and what it is called beside `udn`.
const START_PATH: &str = "usr/bin/udn-start";

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum ShippedImageError {
    #[error("could not pack the image")]
    Pack {
        #[from]
        source: RunError,
    },
    #[error("could not write below {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("could not read {path}")]
    Read { path: PathBuf, source: io::Error },
}

/// How much time packing may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// For what is shipped.
    Best,
    /// For what a test uses once.
    Fast,
}

/// An image to be built.
#[derive(Debug, Clone, Copy)]
pub struct ShippedImage<'a> {
    /// Its whole name, with domain and tag.
    pub name: &'a str,
    /// The binary `udn`.
    pub udn: &'a Path,
    /// The CNI plugin `ovn-k8s-cni-overlay`.
    pub plugin: &'a Path,
    pub compression: Compression,
}

/// An image that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The folder of the OCI layout.
    pub layout: PathBuf,
    /// The same as one file, which `ctr images import` takes.
    pub archive: PathBuf,
    /// The digest by which a registry would know the image.
    pub digest: String,
    /// The sizes of its layers in bytes, as they are stored: the base, then ours.
    pub layers: Vec<u64>,
}

impl ShippedImage<'_> {
    /// Builds the image below `folder`, which is made; what an earlier build left there is replaced.
    pub fn build(&self, base: &ImageBase, folder: &Path) -> Result<Built, ShippedImageError> {
        let failed = |source| ShippedImageError::Write { path: folder.to_owned(), source };
        let (draft, layout) = (folder.join("draft"), folder.join("layout"));
        for stale in [&draft, &layout] {
            match fs::remove_dir_all(stale) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
        let files = draft.join("files");
        self.lay_out(&files).map_err(failed)?;
        let plain = draft.join("layer.tar");
        run(&mut tar(&plain, &files))?;
        let packed = draft.join("layer.tar.gz");
        self.gzip(&plain, &packed)?;
        let layout = Layout::begin(layout)?;
        let ours = layout.take(&packed)?;
        let below = layout.take(&base.compressed_layer())?;
        let plain_digests = [digest(&base.layer())?, digest(&plain)?];
        let digest = layout.describe(self.name, &[&below, &ours], &plain_digests)?;
        fs::remove_dir_all(&draft).map_err(failed)?;
        let archive = folder.join("image.tar");
        run(&mut tar(&archive, layout.folder()))?;
        let layers = [&below, &ours].map(|blob: &Blob| blob.size).to_vec();
        Ok(Built { layout: layout.folder().to_owned(), archive, digest, layers })
    }

    /// Puts the files of our layer in place.
    fn lay_out(&self, files: &Path) -> io::Result<()> {
        let programs = files.join("usr/bin");
        let terms = files.join("usr/share/doc/udn");
        fs::create_dir_all(&programs)?;
        fs::create_dir_all(&terms)?;
        fs::copy(self.udn, programs.join("udn"))?;
        fs::copy(self.plugin, programs.join("ovn-k8s-cni-overlay"))?;
        fs::write(files.join(START_PATH), START)?;
        fs::write(terms.join("copyright"), LICENSE)?;
        for program in fs::read_dir(&programs)? {
            fs::set_permissions(program?.path(), Permissions::from_mode(0o755))?;
        }
        // Whatever the builder's umask is, the layer is the same.
        for folder in ["", "usr", "usr/bin", "usr/share", "usr/share/doc", "usr/share/doc/udn"] {
            fs::set_permissions(files.join(folder), Permissions::from_mode(0o755))?;
        }
        fs::set_permissions(terms.join("copyright"), Permissions::from_mode(0o644))
    }

    fn gzip(&self, plain: &Path, packed: &Path) -> Result<(), ShippedImageError> {
        let level = match self.compression {
            Compression::Best => "-9",
            Compression::Fast => "-1",
        };
        gzip(plain, packed, level)
    }
}

/// Compresses a file so that neither its name nor its time leave a trace.
pub(crate) fn gzip(plain: &Path, packed: &Path, level: &str) -> Result<(), ShippedImageError> {
    let failed = |source| ShippedImageError::Write { path: packed.to_owned(), source };
    let mut command = Command::new("gzip");
    command.args(["-n", "-c", level]).arg(plain).stdin(Stdio::null());
    let output = command.stdout(File::create(packed).map_err(failed)?).output().map_err(failed)?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    Err(RunError::Failed { command: line(&command), status: output.status, complaint }.into())
}

/// A command that packs all of a folder, the same archive for the same files.
pub(crate) fn tar(target: &Path, folder: &Path) -> Command {
    let mut command = Command::new("tar");
    command.args(["--create", "--format=gnu", "--sort=name", "--mtime=@0"]);
    command.args(["--owner=0", "--group=0", "--numeric-owner"]);
    command.arg("--file").arg(target).arg("--directory").arg(folder).arg(".");
    command
}

/// The SHA-256 of a file, as registries write it.
fn digest(file: &Path) -> Result<String, RunError> {
    let sum = run(Command::new("sha256sum").arg("--").arg(file))?;
    Ok(format!("sha256:{}", sum.split_whitespace().next().unwrap_or_default()))
}

//! Container images made of one folder, as `ctr images import` takes them.
//!
//! Reads a folder with the files of the image; returns one tar file.
//! Invariant: an image has a single layer whose digest is that of its bytes, or containerd would
//! refuse to unpack it.

use std::env::consts::ARCH;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{RunError, run};

#[cfg(test)]
mod tests;

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    #[error("could not pack the image")]
    Pack {
        #[from]
        source: RunError,
    },
    #[error("could not write {path}")]
    Write { path: PathBuf, source: io::Error },
}

/// An image to be made.
#[derive(Debug, Clone, Copy)]
pub struct Image<'a> {
    /// Its whole name, with domain and tag.
    pub name: &'a str,
    /// What its root folder holds.
    pub files: &'a Path,
    /// What its containers run unless they say otherwise, with whatever arguments they give.
    pub entrypoint: &'a [&'a str],
}

impl Image<'_> {
    /// Packs the image into the file `target`, using the folder `draft`, which must be new.
    pub fn pack(&self, draft: &Path, target: &Path) -> Result<(), ImageError> {
        self.pack_with(&[], draft, target)
    }

    /// The same; a container that says neither what to run nor with what gets these arguments.
    pub fn pack_with(
        &self,
        arguments: &[&str],
        draft: &Path,
        target: &Path,
    ) -> Result<(), ImageError> {
        let layer = draft.join("layer.tar");
        let failed = |source| ImageError::Write { path: draft.to_owned(), source };
        fs::create_dir_all(draft).map_err(failed)?;
        run(tar(&layer, self.files).args(["--owner=0", "--group=0", "."]))?;
        let sum = run(Command::new("sha256sum").arg("--").arg(&layer))?;
        let digest = sum.split_whitespace().next().unwrap_or_default();
        write(&draft.join("config.json"), &self.config(digest, arguments))?;
        write(&draft.join("manifest.json"), &self.manifest())?;
        run(tar(target, draft).args(["manifest.json", "config.json", "layer.tar"]))?;
        Ok(())
    }

    fn config(&self, digest: &str, arguments: &[&str]) -> String {
        let architecture = match ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            other => other,
        };
        let [entrypoint, arguments] = [self.entrypoint, arguments].map(list);
        format!(
            "{{\"architecture\":\"{architecture}\",\"os\":\"linux\",\
             \"config\":{{\"Env\":[\"PATH=/bin:/sbin:/usr/bin:/usr/sbin\"],\
             \"Entrypoint\":{entrypoint},\"Cmd\":{arguments}}},\
             \"rootfs\":{{\"type\":\"layers\",\"diff_ids\":[\"sha256:{digest}\"]}}}}"
        )
    }

    fn manifest(&self) -> String {
        let name = self.name;
        format!(
            "[{{\"Config\":\"config.json\",\"RepoTags\":[\"{name}\"],\"Layers\":[\"layer.tar\"]}}]"
        )
    }
}

/// Words as a list of JSON; none of ours needs an escape.
fn list(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    format!("[{}]", words.join(","))
}

/// A tar that makes the same archive of the same files.
fn tar(target: &Path, folder: &Path) -> Command {
    let mut command = Command::new("tar");
    command.args(["--create", "--format=gnu", "--sort=name", "--mtime=@0"]);
    command.arg("--file").arg(target).arg("--directory").arg(folder);
    command
}

fn write(path: &Path, text: &str) -> Result<(), ImageError> {
    fs::write(path, text).map_err(|source| ImageError::Write { path: path.to_owned(), source })
}

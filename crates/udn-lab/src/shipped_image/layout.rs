//! The OCI layout of an image: blobs by their digest, and the texts that say how they belong together.
//!
//! Reads packed layers; returns the digest of the image's manifest.
//! Invariant: every blob lies under the digest of its bytes.

use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};

use super::{ShippedImageError, digest};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// A file of the layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blob {
    digest: String,
    pub(super) size: u64,
}

/// A layout in the making.
#[derive(Debug)]
pub(super) struct Layout {
    folder: PathBuf,
}

impl Layout {
    pub(super) fn begin(folder: PathBuf) -> Result<Self, ShippedImageError> {
        let layout = Self { folder };
        let made = fs::create_dir_all(layout.folder.join("blobs/sha256"));
        made.map_err(|source| layout.failed(source))?;
        Ok(layout)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Copies a file in.
    pub(super) fn take(&self, file: &Path) -> Result<Blob, ShippedImageError> {
        let digest = digest(file)?;
        let copied = fs::copy(file, self.path_of(&digest));
        let size = copied.map_err(|source| self.failed(source))?;
        Ok(Blob { digest, size })
    }

    /// Writes the texts: configuration, manifest and index; returns the manifest's digest.
    pub(super) fn describe(
        &self,
        name: &str,
        layers: &[&Blob],
        plain_digests: &[String],
    ) -> Result<String, ShippedImageError> {
        let config = self.put(&config(plain_digests))?;
        let layers: Vec<String> = layers.iter().map(|blob| descriptor(LAYER, blob, "")).collect();
        let manifest = self.put(&format!(
            "{{\"schemaVersion\":2,\"mediaType\":\"{MANIFEST}\",\"config\":{},\"layers\":[{}]}}",
            descriptor(CONFIG, &config, ""),
            layers.join(",")
        ))?;
        let tag = name.rsplit_once(':').map_or("latest", |(_, tag)| tag);
        // containerd and others take an image's name from annotations of their own.
        let more = format!(
            ",\"annotations\":{{\"io.containerd.image.name\":\"{name}\",\
             \"org.opencontainers.image.ref.name\":\"{tag}\"}},\
             \"platform\":{{\"architecture\":\"{}\",\"os\":\"linux\"}}",
            architecture()
        );
        self.write(
            "index.json",
            &format!(
                "{{\"schemaVersion\":2,\"manifests\":[{}]}}",
                descriptor(MANIFEST, &manifest, &more)
            ),
        )?;
        self.write("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}")?;
        Ok(manifest.digest)
    }

    /// Stores a text as a blob.
    fn put(&self, text: &str) -> Result<Blob, ShippedImageError> {
        self.write("draft", text)?;
        let draft = self.folder.join("draft");
        let digest = digest(&draft)?;
        let moved = fs::rename(&draft, self.path_of(&digest));
        moved.map_err(|source| self.failed(source))?;
        let size = u64::try_from(text.len()).expect("a text is shorter than 2^64");
        Ok(Blob { digest, size })
    }

    fn write(&self, name: &str, text: &str) -> Result<(), ShippedImageError> {
        fs::write(self.folder.join(name), text).map_err(|source| self.failed(source))
    }

    fn path_of(&self, digest: &str) -> PathBuf {
        self.folder.join("blobs").join(digest.replace(':', "/"))
    }

    fn failed(&self, source: std::io::Error) -> ShippedImageError {
        ShippedImageError::Write { path: self.folder.clone(), source }
    }
}

/// How containers of the image start, and what its layers are once unpacked.
fn config(plain_digests: &[String]) -> String {
    let layers: Vec<String> = plain_digests.iter().map(|digest| format!("\"{digest}\"")).collect();
    format!(
        "{{\"architecture\":\"{}\",\"os\":\"linux\",\"config\":{{\
         \"Env\":[\"PATH=/usr/sbin:/usr/bin:/sbin:/bin\"],\"Entrypoint\":[\"/usr/bin/udn\"],\
         \"WorkingDir\":\"/\"}},\"rootfs\":{{\"type\":\"layers\",\"diff_ids\":[{}]}}}}",
        architecture(),
        layers.join(",")
    )
}

fn descriptor(kind: &str, blob: &Blob, more: &str) -> String {
    let Blob { digest, size } = blob;
    format!("{{\"mediaType\":\"{kind}\",\"digest\":\"{digest}\",\"size\":{size}{more}}}")
}

/// What images call the architecture.
fn architecture() -> &'static str {
    match ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

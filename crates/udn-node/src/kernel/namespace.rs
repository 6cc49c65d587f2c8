//! Files of network namespaces, as a container runtime names them.
//!
//! Reads a path; returns an open file that stays the same namespace, whatever becomes of the path.
//! Invariant: what is no namespace is refused before anybody enters it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::libc;
use nix::sys::statfs::{FsType, fstatfs};

use super::KernelError;

/// The file system that namespaces' files are of.
// compat: include/uapi/linux/magic.h, NSFS_MAGIC
const NAMESPACES: FsType = FsType(0x6e73_6673);

/// Opens the file of a namespace.
pub(super) fn open(path: &Path) -> Result<File, KernelError> {
    let refused = |source| KernelError::Enter { namespace: path.to_owned(), source };
    // A path may lead anywhere, and to open a pipe could take for ever.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    let file = file.map_err(refused)?;
    let system = fstatfs(&file).map_err(|errno| refused(io::Error::from(errno)))?;
    if system.filesystem_type() == NAMESPACES {
        return Ok(file);
    }
    Err(KernelError::NotANamespace { namespace: path.to_owned() })
}

/// Whether two files are the same namespace.
pub(super) fn are_same(one: &File, other: &File) -> io::Result<bool> {
    let (one, other) = (one.metadata()?, other.metadata()?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

//! Files for their owner alone.
//!
//! Invariant: a file is there whole or not at all, and nobody else ever could read it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::TlsError;

/// The text of a file; none if there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, TlsError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(TlsError::File { path: path.to_owned(), source }),
    }
}

/// Writes a file, in place of one that was there.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), TlsError> {
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(".new");
    let fresh = Path::new(&fresh);
    let written = || -> io::Result<()> {
        match fs::remove_file(fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(fresh)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(fresh, path)
    };
    written().map_err(|source| TlsError::File { path: path.to_owned(), source })
}

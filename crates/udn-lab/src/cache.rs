//! The folder that keeps what set-up made, so that a fresh clone finds it again.
//!
//! Reads `UDN_CACHE`, `XDG_CACHE_HOME` and `HOME`, in this order; returns paths, locks and digests.
//! Invariant: a part's name in the cache carries the [`Digest`] of what it was made from, so a
//! changed recipe never meets an old result.

use std::env;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// Why the cache is of no use.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    #[error("none of UDN_CACHE, XDG_CACHE_HOME and HOME says where the cache folder is")]
    Nowhere,
    #[error("could not use {path}")]
    Unusable { path: PathBuf, source: io::Error },
}

/// The cache folder.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Finds the folder from the environment; it need not exist yet.
    pub fn find() -> Result<Self, CacheError> {
        let folder = choose(|name| env::var_os(name).filter(|value| !value.is_empty()));
        folder.map(|folder| Self { folder }).ok_or(CacheError::Nowhere)
    }

    /// Uses `folder` instead of what the environment says.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of a thing made from something with this digest.
    pub fn entry(&self, name: &str, digest: Digest) -> PathBuf {
        self.folder.join(format!("{name}-{digest}"))
    }

    /// Takes the lock called `name`, calling `waiting` first when another run holds it.
    ///
    /// The kernel gives the lock back when the returned value or this whole run ends.
    pub fn lock(&self, name: &str, waiting: impl FnOnce()) -> Result<Lock, CacheError> {
        let path = self.folder.join(format!("{name}.lock"));
        let unusable = |source| CacheError::Unusable { path: path.clone(), source };
        fs::create_dir_all(&self.folder).map_err(unusable)?;
        let file = File::create(&path).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waiting();
                file.lock().map_err(unusable)?;
            }
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        Ok(Lock { _file: file })
    }
}

/// A lock that is held while this value lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// A short fingerprint of a recipe.
///
/// FNV-1a: the same on every machine and with every compiler, which the standard library's own
/// hashers do not promise. It tells recipes apart; it guards against nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    /// Takes the fingerprint of some texts, in order.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
        for text in texts {
            // The terminator keeps ["ab", "c"] and ["a", "bc"] apart.
            for byte in text.bytes().chain([0xff]) {
                sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        Self(sum)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

fn choose(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Option<PathBuf> {
    if let Some(folder) = variable("UDN_CACHE") {
        return Some(folder.into());
    }
    let user = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let user = user.or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".cache")));
    user.map(|folder| folder.join("udn"))
}

//! Where manifests come from: files, folders, standard input.
//!
//! Reads paths; returns sources in order, and their texts one at a time.
//! Invariant: no text is larger than the limit, whatever the file is.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use udn_manifest::manifest::MAX_SOURCE;

use super::finding::Unusable;

/// Folders below folders, at most.
const MAX_FOLDERS: usize = 64;

/// Something that holds manifests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Standard,
    File(PathBuf),
}

impl Source {
    /// The name for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Standard => "<stdin>".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Reads the whole text, unless it is too large or no text.
    pub(crate) fn read(&self) -> Result<String, Unusable> {
        let told = |message: String| Unusable::whole(self.name(), message);
        let bytes = match self {
            Self::Standard => read_within_limit(io::stdin().lock()),
            Self::File(path) => File::open(path).and_then(|file| {
                // A device or a pipe has no size; the limit below holds for those.
                let size = file.metadata()?.len();
                if size > MAX_SOURCE as u64 { Ok(None) } else { read_within_limit(file) }
            }),
        };
        let bytes = bytes.map_err(|error| told(format!("cannot be read: {error}")))?;
        let bytes = bytes.ok_or_else(|| {
            let limit = MAX_SOURCE >> 20;
            told(format!("is larger than {limit} MiB; divide it into smaller files"))
        })?;
        String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
            let message = "this is not UTF-8 text; save it as UTF-8".to_owned();
            Unusable { line: Some(line), ..told(message) }
        })
    }
}

/// All sources that some arguments name, folders opened.
pub(crate) fn gather(paths: &[PathBuf]) -> Result<Vec<Source>, Unusable> {
    let mut sources = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            sources.push(Source::Standard);
            continue;
        }
        let failed = |error: io::Error| {
            Unusable::whole(path.display().to_string(), format!("cannot be read: {error}"))
        };
        if fs::metadata(path).map_err(failed)?.is_dir() {
            open_folder(path, 0, &mut sources)?;
        } else {
            sources.push(Source::File(path.clone()));
        }
    }
    Ok(sources)
}

/// Adds the manifests of a folder and of those below it, in the order of their names.
fn open_folder(folder: &Path, depth: usize, sources: &mut Vec<Source>) -> Result<(), Unusable> {
    let name = || folder.display().to_string();
    if depth > MAX_FOLDERS {
        let message = format!("has more than {MAX_FOLDERS} folders above it; name it itself");
        return Err(Unusable::whole(name(), message));
    }
    let mut entries = list(folder)
        .map_err(|error| Unusable::whole(name(), format!("cannot be read: {error}")))?;
    entries.sort_by(|(left, _), (right, _)| left.cmp(right));
    for (path, kind) in entries {
        // A link to a folder may lead in a circle; links to files are files.
        if kind.is_dir() {
            open_folder(&path, depth + 1, sources)?;
        } else if is_manifest(&path) && path.is_file() {
            sources.push(Source::File(path));
        }
    }
    Ok(())
}

fn list(folder: &Path) -> io::Result<Vec<(PathBuf, fs::FileType)>> {
    let entries = fs::read_dir(folder)?;
    entries.map(|entry| entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))).collect()
}

fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml" | "json"))
}

/// Everything that there is to read, or none if it is more than the limit.
fn read_within_limit(reader: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(MAX_SOURCE as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= MAX_SOURCE).then_some(bytes))
}

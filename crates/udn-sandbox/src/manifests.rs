//! Reads a folder of manifests.
//!
//! Reads files in order of their names; returns objects in the order in which a server must get
//! them, and what is wrong with the rest.
//! Invariant: whatever is wrong in one document costs no other; every object knows its place.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use udn_cluster::world::Refused;
use udn_cluster::{Problem, World};
use udn_manifest::manifest::{Document, Object, Position, Span, Step, documents, path_text};
use udn_wire::Kind;

#[cfg(test)]
mod tests;

/// A folder that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("could not read {path}")]
pub struct ManifestsError {
    path: PathBuf,
    source: io::Error,
}

/// What a folder says.
#[derive(Debug, Default)]
pub(crate) struct Manifests {
    /// Namespaces and nodes first, then all others as they are written.
    pub(crate) objects: Vec<Manifest>,
    pub(crate) problems: Vec<Problem>,
    /// What was taken in so far, so that nothing is taken in twice.
    world: World,
}

/// One object as somebody wrote it.
#[derive(Debug, Clone)]
pub(crate) struct Manifest {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) value: Value,
    source: Arc<Source>,
    /// Which document of the source, from one.
    document: usize,
    /// Which item of a list, from one.
    item: Option<usize>,
}

#[derive(Debug)]
struct Source {
    name: String,
    text: String,
}

impl Manifests {
    /// Reads the manifests of a folder, or one file.
    pub(crate) fn read(folder: &Path) -> Result<Self, ManifestsError> {
        let mut manifests = Self::default();
        for path in files(folder)? {
            let bytes = fs::read(&path).map_err(|source| failed(&path, source))?;
            manifests.take_source(path.display().to_string(), bytes);
        }
        manifests.objects.sort_by_key(|it| !it.comes_first());
        Ok(manifests)
    }

    fn take_source(&mut self, name: String, bytes: Vec<u8>) {
        let source = match String::from_utf8(bytes) {
            Ok(text) => Arc::new(Source { name, text }),
            Err(error) => {
                let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
                let message = "is not UTF-8 text; save it as UTF-8".to_owned();
                return self.problems.push(Problem { source: name, document: 1, line, message });
            }
        };
        for document in documents(&source.text) {
            match document.objects() {
                Ok(objects) => objects.iter().for_each(|it| self.take(&source, document, it)),
                Err(error) => {
                    let message = format!("cannot be read: {error}; mend the document");
                    self.problems.push(source.problem(document, error.span, message));
                }
            }
        }
    }

    fn take(&mut self, source: &Arc<Source>, document: Document<'_>, object: &Object) {
        if let [second, ..] = &object.second_keys()[..] {
            let path = path_text(&second.path);
            let message = format!("says {path} a second time; remove one of the two");
            return self.problems.push(source.problem(document, second.span, message));
        }
        let manifest = Manifest {
            api_version: object.api_version.clone(),
            kind: object.kind.clone(),
            value: object.value.clone(),
            source: Arc::clone(source),
            document: document.number,
            item: object.item,
        };
        match self.world.insert(&object.value) {
            Err(Refused::Unfit { path, message }) => {
                self.problems.push(manifest.problem(&path, message));
            }
            // Networks do not look at it, but the server may serve it.
            Err(Refused::OtherKind { .. }) if manifest.name().is_empty() => {
                let message = format!("{} has no metadata.name; give it one", manifest.kind);
                self.problems.push(manifest.problem(&[], message));
            }
            Ok(()) | Err(Refused::OtherKind { .. }) => self.objects.push(manifest),
        }
    }
}

impl Manifest {
    pub(crate) fn name(&self) -> &str {
        self.metadata("name")
    }

    /// Empty if it names none.
    pub(crate) fn namespace(&self) -> &str {
        self.metadata("namespace")
    }

    /// Whether others may need it before they can be.
    pub(crate) fn comes_first(&self) -> bool {
        let kind = Kind::find(&self.api_version, &self.kind);
        matches!(kind, Some(Kind::Namespace | Kind::Node))
    }

    /// Something that is wrong with the object, told at the field that has it.
    pub(crate) fn problem(&self, path: &[Step], message: String) -> Problem {
        let document = documents(&self.source.text).nth(self.document - 1);
        let document = document.expect("the object was read from it");
        let message = match self.item {
            Some(item) => format!("item {item}: {message}"),
            None => message,
        };
        let objects = document.objects().unwrap_or_default();
        let found = objects.iter().find(|it| it.item == self.item);
        match found.filter(|_| !path.is_empty() || self.item.is_some()) {
            Some(object) => {
                let span = object.place(path).mark(document.text);
                self.source.problem(document, span, message)
            }
            None => {
                let (source, number) = (self.source.name.clone(), document.number);
                Problem { source, document: number, line: document.line, message }
            }
        }
    }

    fn metadata(&self, key: &str) -> &str {
        let field = self.value.get("metadata").and_then(|it| it.get(key));
        field.and_then(Value::as_str).unwrap_or("")
    }
}

impl Source {
    fn problem(&self, document: Document<'_>, span: Span, message: String) -> Problem {
        let Document { number, line, text } = document;
        let Position { line, .. } = Position::of(text, span.range().start, line);
        Problem { source: self.name.clone(), document: number, line, message }
    }
}

/// The manifests of a folder in order of their names; a file is its own folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, ManifestsError> {
    if folder.is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let entries = fs::read_dir(folder).map_err(|source| failed(folder, source))?;
    let paths: Result<Vec<PathBuf>, io::Error> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(|source| failed(folder, source))?;
    paths.retain(|path| is_manifest(path));
    paths.sort();
    Ok(paths)
}

fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    path.is_file() && matches!(extension, Some("yaml" | "yml" | "json"))
}

fn failed(path: &Path, source: io::Error) -> ManifestsError {
    ManifestsError { path: path.to_owned(), source }
}

//! A directory of manifests with a state directory beside it: a registry for one machine.
//!
//! Users write the first; controllers and nodes publish into the second, one file for each object, as
//! they would to an API server. Observing merges the second over the first.
//! Invariant: the users' directory is never written, and a file of the state directory is replaced
//! as a whole or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use udn_cluster::{Change, Publication, Reading, World};

use crate::registry::{Observed, Registry, RegistryError};

#[cfg(test)]
mod tests;

/// Manifests in a directory.
#[derive(Debug, Clone)]
pub struct Directory {
    manifests: PathBuf,
    state: Option<PathBuf>,
}

impl Directory {
    /// The manifests of a directory, or of one file, with nothing published.
    pub fn new(manifests: impl Into<PathBuf>) -> Self {
        Self { manifests: manifests.into(), state: None }
    }

    /// The same, with what was published into `state`, which need not exist yet.
    pub fn with_state(self, state: impl Into<PathBuf>) -> Self {
        Self { state: Some(state.into()), ..self }
    }

    /// Where the users write.
    pub fn manifests(&self) -> &Path {
        &self.manifests
    }

    /// The same state below other manifests.
    pub fn with_manifests(&self, manifests: impl Into<PathBuf>) -> Self {
        Self { manifests: manifests.into(), state: self.state.clone() }
    }

    /// What is there now.
    pub fn read(&self) -> Result<Observed, RegistryError> {
        let mut observed = read_folder(&self.manifests)?;
        if let Some(state) = self.state.as_deref().filter(|state| state.exists()) {
            let published = read_folder(state)?;
            observed.problems.extend(published.problems);
            observed.world.merge(published.world);
        }
        Ok(observed)
    }

    fn write(&self, publications: &[Publication]) -> Result<(), RegistryError> {
        let Some(state) = &self.state else { return Ok(()) };
        fs::create_dir_all(state).map_err(|source| failed_write(state, source))?;
        for publication in publications {
            let path = state.join(publication.target.file_name());
            let publication = over_file(publication, &path)?;
            match publication.to_yaml() {
                Some(text) => replace(&path, &text)?,
                None => remove(&path)?,
            }
        }
        Ok(())
    }

    /// Forgets what was published about objects that are gone, as an API server would.
    pub fn prune(&self) -> Result<(), RegistryError> {
        let Some(state) = self.state.as_deref().filter(|state| state.exists()) else {
            return Ok(());
        };
        let manifests = read_folder(&self.manifests)?.world;
        for path in files(state)? {
            let published = read_folder(&path)?.world;
            if is_about_missing(&published, &manifests) {
                remove(&path)?;
            }
        }
        Ok(())
    }
}

impl Registry for Directory {
    async fn observe(&self) -> Result<Observed, RegistryError> {
        self.read()
    }

    async fn publish(&self, publications: &[Publication]) -> Result<(), RegistryError> {
        self.write(publications)
    }
}

/// The same publication with what its file already holds; annotations have several writers.
fn over_file(publication: &Publication, path: &Path) -> Result<Publication, RegistryError> {
    let Change::Annotate(changes) = &publication.change else { return Ok(publication.clone()) };
    let mut annotations = match path.exists() {
        true => annotations(&read_folder(path)?.world),
        false => BTreeMap::new(),
    };
    for (key, text) in changes {
        match text {
            Some(text) => annotations.insert(key.clone(), text.clone()),
            None => annotations.remove(key),
        };
    }
    let change = match annotations.is_empty() {
        true => Change::Delete,
        false => Change::Annotate(annotations.into_iter().map(|(k, v)| (k, Some(v))).collect()),
    };
    Ok(Publication { target: publication.target.clone(), change })
}

/// The annotations of the one object in a file.
fn annotations(world: &World) -> BTreeMap<String, String> {
    let nodes = world.nodes.values().map(|it| &it.metadata);
    let pods = world.pods.values().map(|it| &it.metadata);
    let nads = world.nads.values().map(|it| &it.metadata);
    let mut all = nodes.chain(pods).chain(nads);
    all.next().map(|metadata| metadata.annotations.clone().into()).unwrap_or_default()
}

/// Whether a file only annotates an object that is not there.
fn is_about_missing(published: &World, manifests: &World) -> bool {
    let nodes = published.nodes.keys().all(|name| !manifests.nodes.contains_key(name));
    let pods = published.pods.keys().all(|name| !manifests.pods.contains_key(name));
    let claims = published.claims.keys().all(|name| !manifests.claims.contains_key(name));
    let nads = published
        .nads
        .iter()
        .all(|(name, nad)| nad.spec.config.is_empty() && !manifests.nads.contains_key(name));
    nodes && pods && claims && nads
}

fn read_folder(folder: &Path) -> Result<Observed, RegistryError> {
    let mut documents = Vec::new();
    for path in files(folder)? {
        let bytes = fs::read(&path).map_err(|source| failed_read(&path, source))?;
        documents.push((path.display().to_string(), bytes));
    }
    let documents = documents.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    let Reading { world, problems, skipped } = World::read(documents);
    Ok(Observed { world, problems, skipped })
}

/// The manifests of a folder in order of their names; a file is its own folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, RegistryError> {
    if folder.is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let entries = fs::read_dir(folder).map_err(|source| failed_read(folder, source))?;
    let paths: Result<Vec<PathBuf>, io::Error> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(|source| failed_read(folder, source))?;
    paths.retain(|path| is_manifest(path));
    paths.sort();
    Ok(paths)
}

fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    path.is_file() && matches!(extension, Some("yaml" | "yml" | "json"))
}

/// Writes beside the file and renames, so that a crash leaves the old or the new one.
fn replace(path: &Path, text: &str) -> Result<(), RegistryError> {
    let beside = path.with_extension("new");
    fs::write(&beside, text).map_err(|source| failed_write(&beside, source))?;
    fs::rename(&beside, path).map_err(|source| failed_write(path, source))
}

fn remove(path: &Path) -> Result<(), RegistryError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(failed_write(path, source)),
    }
}

fn failed_read(path: &Path, source: io::Error) -> RegistryError {
    RegistryError::Read { path: path.to_owned(), source }
}

fn failed_write(path: &Path, source: io::Error) -> RegistryError {
    RegistryError::Write { path: path.to_owned(), source }
}

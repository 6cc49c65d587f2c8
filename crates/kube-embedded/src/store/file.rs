//! The file that objects survive in.
//!
//! Takes changes as one transaction; gives back all objects when it is opened.
//! Invariant: after a crash the file holds every transaction that was answered, each whole.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use redb::{
    Builder, Database, DatabaseError, ReadableDatabase, ReadableTable, StorageError,
    TableDefinition,
};

use super::body::Body;
use super::facts::Facts;
use super::key::Key;
use super::table::{Change, Stored};

/// Key to revision (eight bytes, little end first), type, a zero byte, and text.
const OBJECTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("objects");
/// Numbers of the store by name.
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");
/// The revision of the last deletion.
const REVISION: &str = "revision";
const FORMAT: &str = "format";
/// How objects are laid out in the file; another number is another layout.
const THIS_FORMAT: u64 = 1;

/// All objects are in memory already, so that the file needs little of it.
const CACHE: usize = 4 << 20;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    #[error("cannot open the store {}", path.display())]
    Open { path: PathBuf, source: DatabaseError },
    #[error("cannot use the store's file")]
    Use(#[from] redb::Error),
    #[error("the store has layout {found}, this program knows {THIS_FORMAT}")]
    Format { found: u64 },
    #[error("the store holds something that is no object, under {key:?}")]
    Garbage { key: String },
}

#[derive(Debug)]
pub(super) struct File {
    database: Database,
}

impl File {
    pub(super) fn open(path: &Path) -> Result<Self, FileError> {
        let mut builder = Builder::new();
        builder.set_cache_size(CACHE);
        let failed = |source: DatabaseError| FileError::Open { path: path.to_owned(), source };
        // Secrets are in it: others have no business there.
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let opened =
            options.open(path).map_err(|source| failed(StorageError::Io(source).into()))?;
        let database = builder.create_file(opened).map_err(failed)?;
        let file = Self { database };
        file.prepare()?;
        Ok(file)
    }

    /// Makes the tables, or checks that they are ours.
    fn prepare(&self) -> Result<(), FileError> {
        let transaction = self.database.begin_write().map_err(redb::Error::from)?;
        {
            transaction.open_table(OBJECTS).map_err(redb::Error::from)?;
            let mut numbers = transaction.open_table(NUMBERS).map_err(redb::Error::from)?;
            let found = numbers.get(FORMAT).map_err(redb::Error::from)?.map(|it| it.value());
            match found {
                Some(THIS_FORMAT) => {}
                Some(found) => return Err(FileError::Format { found }),
                None => {
                    numbers.insert(FORMAT, THIS_FORMAT).map_err(redb::Error::from)?;
                    numbers.insert(REVISION, 1).map_err(redb::Error::from)?;
                }
            }
        }
        transaction.commit().map_err(redb::Error::from)?;
        Ok(())
    }

    /// Hands over everything the file holds.
    pub(super) fn load(
        &self,
        take: impl FnOnce(u64, Vec<(Key, Arc<Stored>)>),
    ) -> Result<(), FileError> {
        let transaction = self.database.begin_read().map_err(redb::Error::from)?;
        let numbers = transaction.open_table(NUMBERS).map_err(redb::Error::from)?;
        let revision = numbers.get(REVISION).map_err(redb::Error::from)?;
        let revision = revision.map_or(1, |it| it.value());
        let table = transaction.open_table(OBJECTS).map_err(redb::Error::from)?;
        let mut objects = Vec::new();
        let mut types = BTreeSet::new();
        for row in table.iter().map_err(redb::Error::from)? {
            let (key, value) = row.map_err(redb::Error::from)?;
            objects.push(read_row(key.value(), value.value(), &mut types)?);
        }
        let newest = objects.iter().map(|(_, object): &(Key, Arc<Stored>)| object.revision).max();
        take(newest.unwrap_or(0).max(revision), objects);
        Ok(())
    }

    /// Makes changes durable, all or none.
    pub(super) fn append(&self, changes: &[(Key, Change)]) -> Result<(), redb::Error> {
        let transaction = self.database.begin_write()?;
        {
            let mut objects = transaction.open_table(OBJECTS)?;
            let mut value = Vec::new();
            for (key, change) in changes {
                let key = key.to_bytes();
                if change.is_delete {
                    objects.remove(key.as_slice())?;
                    continue;
                }
                value.clear();
                let body = &change.after.body;
                value.extend_from_slice(&change.revision.to_le_bytes());
                value.extend_from_slice(body.types().as_bytes());
                value.push(0);
                value.extend_from_slice(body.text());
                objects.insert(key.as_slice(), value.as_slice())?;
            }
            // Objects carry their own revision; only an end leaves nothing that would tell.
            if let Some((_, last)) = changes.iter().rev().find(|(_, change)| change.is_delete) {
                transaction.open_table(NUMBERS)?.insert(REVISION, last.revision)?;
            }
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Reads one object; its type is shared with those read before.
fn read_row(
    key: &[u8],
    value: &[u8],
    types: &mut BTreeSet<Arc<str>>,
) -> Result<(Key, Arc<Stored>), FileError> {
    let garbage = || FileError::Garbage { key: String::from_utf8_lossy(key).into_owned() };
    let place = Key::from_bytes(key).ok_or_else(garbage)?;
    let (revision, rest) = value.split_first_chunk().ok_or_else(garbage)?;
    let end = rest.iter().position(|byte| *byte == 0).ok_or_else(garbage)?;
    let kind = str::from_utf8(&rest[..end]).map_err(|_| garbage())?;
    if !types.contains(kind) {
        types.insert(kind.into());
    }
    let kind = types.get(kind).ok_or_else(garbage)?.clone();
    let body = Body::from_stored(kind, Bytes::copy_from_slice(&rest[end + 1..]));
    let facts = Facts::of_body(&body).ok_or_else(garbage)?;
    let revision = u64::from_le_bytes(*revision);
    let object = Stored { revision, place: place.place.clone(), body, facts };
    Ok((place, Arc::new(object)))
}

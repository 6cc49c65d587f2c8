//! Lists objects at an API server into one world.
//!
//! Reads some kinds side by side; returns their objects, and in which state each was seen.
//! Invariant: a kind is seen as it was at one moment, but two kinds may be of different moments.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use kube::Client;
use udn_cluster::World;
use udn_wire::object::AnyObject;
use udn_wire::{Kind, Target};

use crate::pages::{self, Collection, PageError};

/// Why a kind could not be listed.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error("could not list all {kind}s")]
    Server { kind: Kind, source: Box<kube::Error> },
    #[error("the list of all {kind}s cannot be read")]
    Unreadable { kind: Kind, source: serde_json::Error },
}

/// What was there.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    pub world: World,
    /// The resource version of every object.
    pub versions: BTreeMap<Target, u64>,
}

impl Listing {
    /// Lists all objects of some kinds; an optional kind that is not served has none.
    pub async fn read(client: &Client, kinds: &[Kind]) -> Result<Self, ListError> {
        let lists = try_join_all(kinds.iter().map(|kind| list(client, *kind))).await?;
        let mut listing = Self::default();
        for object in lists.into_iter().flatten() {
            listing.versions.insert(object.target(), object.metadata().version());
            listing.world.put(object);
        }
        Ok(listing)
    }

    /// The newest state of any object, by kind.
    pub fn newest(&self) -> BTreeMap<Kind, u64> {
        let mut newest = BTreeMap::new();
        for (target, version) in &self.versions {
            let newest = newest.entry(target.kind).or_default();
            *newest = version.max(newest).to_owned();
        }
        newest
    }
}

async fn list(client: &Client, kind: Kind) -> Result<Vec<AnyObject>, ListError> {
    match pages::list(client, &Collection::all(kind)).await {
        Ok(listed) => Ok(listed.objects),
        Err(PageError::Server { source }) if is_unserved(&source) && kind.is_optional() => {
            Ok(Vec::new())
        }
        Err(PageError::Server { source }) => Err(ListError::Server { kind, source }),
        Err(PageError::Unreadable { source }) => Err(ListError::Unreadable { kind, source }),
    }
}

fn is_unserved(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}

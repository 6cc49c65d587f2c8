//! Lists objects at an API server into one world.
//!
//! Reads some kinds side by side; returns their objects, and in which state each was seen.
//! Invariant: a kind is seen as it was at one moment, but two kinds may be of different moments.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use kube::Client;
use kube::core::params::ListParams;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, Request, Resource};
use serde::Deserialize;
use serde_json::value::RawValue;
use udn_cluster::World;
use udn_wire::object::AnyObject;
use udn_wire::{Kind, Target};

/// How many objects come in one answer.
const PAGE: u32 = 500;

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

/// A list as a server sends it.
#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    items: Vec<&'a RawValue>,
    metadata: PageMetadata,
}

#[derive(Deserialize)]
struct PageMetadata {
    #[serde(rename = "continue", default)]
    token: Option<String>,
}

async fn list(client: &Client, kind: Kind) -> Result<Vec<AnyObject>, ListError> {
    let (mut objects, mut token) = (Vec::new(), None);
    loop {
        let params = ListParams { limit: Some(PAGE), continue_token: token, ..<_>::default() };
        let request = Request::new(path(kind)).list(&params);
        let request = request.expect("the parameters of a list go together");
        let text = match client.request_text(request).await {
            Ok(text) => text,
            Err(kube::Error::Api(status)) if status.code == 404 && kind.is_optional() => {
                return Ok(objects);
            }
            Err(source) => return Err(ListError::Server { kind, source: Box::new(source) }),
        };
        let unreadable = |source| ListError::Unreadable { kind, source };
        let page: Page<'_> = serde_json::from_str(&text).map_err(unreadable)?;
        objects.extend(page.items.into_iter().filter_map(|item| decode(kind, item)));
        token = page.metadata.token.filter(|token| !token.is_empty());
        if token.is_none() {
            return Ok(objects);
        }
    }
}

fn path(kind: Kind) -> String {
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    let kind_of = GroupVersionKind::gvk(group, version, kind.as_str());
    DynamicObject::url_path(&ApiResource::from_gvk_with_plural(&kind_of, kind.plural()), None)
}

/// Reads an object; one that cannot be read is told and left out.
fn decode(kind: Kind, item: &RawValue) -> Option<AnyObject> {
    let read = AnyObject::decode(kind, item.get());
    let tell = |error: &serde_json::Error| {
        tracing::error!(kind = kind.as_str(), %error, "an object cannot be read");
    };
    read.inspect_err(tell).ok()
}

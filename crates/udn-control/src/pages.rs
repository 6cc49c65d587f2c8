//! Lists objects of one kind at an API server, page by page.
//!
//! Reads a collection; returns its objects and the newest version that a page was of.
//! Invariant: an object that cannot be read is told of and left out; the others are all there.

use kube::Client;
use kube::core::Request;
use kube::core::params::ListParams;
use serde::Deserialize;
use serde_json::value::RawValue;
use udn_wire::Kind;
use udn_wire::object::AnyObject;

/// How many objects come in one answer.
const PAGE: u32 = 500;

/// Why a kind could not be listed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageError {
    #[error("the server gives no list")]
    Server { source: Box<kube::Error> },
    #[error("the list cannot be read")]
    Unreadable { source: serde_json::Error },
}

/// All objects of a kind.
pub(crate) struct Listed {
    pub(crate) objects: Vec<AnyObject>,
    pub(crate) version: u64,
}

/// One answer of a server.
#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    items: Vec<&'a RawValue>,
    metadata: PageMetadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageMetadata {
    #[serde(default)]
    resource_version: String,
    #[serde(rename = "continue", default)]
    token: Option<String>,
}

/// Objects of one kind, all or some of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Collection {
    pub(crate) kind: Kind,
    /// Those whose fields are so, as Kubernetes writes selectors; empty for all.
    pub(crate) fields: String,
}

impl Collection {
    /// All objects of a kind.
    pub(crate) fn all(kind: Kind) -> Self {
        Self { kind, fields: String::new() }
    }

    /// Where it is served.
    pub(crate) fn path(&self) -> String {
        collection(self.kind, "")
    }

    pub(crate) fn field_selector(&self) -> Option<String> {
        Some(self.fields.clone()).filter(|it| !it.is_empty())
    }
}

/// Lists everything.
pub(crate) async fn list(client: &Client, wanted: &Collection) -> Result<Listed, PageError> {
    let kind = wanted.kind;
    let (mut objects, mut token, mut version) = (Vec::new(), None, 0);
    loop {
        let (limit, field_selector) = (Some(PAGE), wanted.field_selector());
        let params = ListParams { limit, field_selector, continue_token: token, ..<_>::default() };
        let request = Request::new(wanted.path()).list(&params);
        let request = request.expect("the parameters of a list go together");
        let text = client.request_text(request).await;
        let text = text.map_err(|source| PageError::Server { source: Box::new(source) })?;
        let unreadable = |source| PageError::Unreadable { source };
        let page: Page<'_> = serde_json::from_str(&text).map_err(unreadable)?;
        version = version.max(page.metadata.resource_version.parse().unwrap_or(0));
        objects.extend(page.items.into_iter().filter_map(|item| decode(kind, item)));
        token = page.metadata.token.filter(|token| !token.is_empty());
        if token.is_none() {
            return Ok(Listed { objects, version });
        }
    }
}

/// Where objects of a kind are served, in one namespace or, if empty, in all.
pub(crate) fn collection(kind: Kind, namespace: &str) -> String {
    let version = kind.api_version();
    let root = if version.contains('/') { "apis" } else { "api" };
    let plural = kind.plural();
    match namespace {
        "" => format!("/{root}/{version}/{plural}"),
        namespace => format!("/{root}/{version}/namespaces/{namespace}/{plural}"),
    }
}

/// Reads an object; one that cannot be read is told and left out.
pub(crate) fn decode(kind: Kind, object: &RawValue) -> Option<AnyObject> {
    let read = AnyObject::decode(kind, object.get());
    let tell = |error: &serde_json::Error| {
        tracing::error!(kind = kind.as_str(), %error, "an object cannot be read");
    };
    read.inspect_err(tell).ok()
}

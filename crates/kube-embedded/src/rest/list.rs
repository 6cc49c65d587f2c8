//! Lists: which objects, of when, and in which portions.
//!
//! Reads the query and the store; returns a list that is made while it is sent.
//! Invariant: all pages of a list show the same moment.

mod options;
mod page;
mod select;

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};

pub(crate) use options::check_watch;
pub(crate) use page::{Token, revision, too_large, unguarded};
pub(crate) use select::Selection;

use super::accept::View;
use super::answer::Answer;
use super::asked::Asked;
use super::shown::Shown;
use crate::refusal::Refusal;
use crate::store::{Place, Snapshot, Stored};

/// Bytes of a list that are made at a time.
const PORTION: usize = 64 << 10;

/// Objects of one list, ready to be shown.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Arc<Stored>>,
    metadata: Value,
}

/// Answers a list.
pub(crate) fn list(asked: &Asked) -> Result<Answer, Refusal> {
    let page = page(asked)?;
    answer(asked, page)
}

/// Shows the objects of a list.
pub(crate) fn answer(asked: &Asked, page: Page) -> Result<Answer, Refusal> {
    let shown = asked.shown()?;
    if shown.view == View::Table {
        let objects: Vec<Value> = page.objects.iter().map(|it| shown.object(it)).collect();
        return Ok(Answer::value(200, shown.table(&objects, page.metadata)));
    }
    Ok(Answer::stream(body(page, &shown)))
}

/// Chooses the objects of a list.
pub(crate) fn page(asked: &Asked) -> Result<Page, Refusal> {
    let Asked { kind, query, .. } = asked;
    let selection = Selection::read(query, kind)?;
    query.number("timeoutSeconds")?;
    let limit = query.number("limit")?.filter(|limit| *limit > 0);
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let (snapshot, start) = moment(asked)?;
    let after = |it: &&Arc<Stored>| start.as_ref().is_none_or(|start| it.place >= *start);
    let mut all = snapshot.objects.iter().filter(after);
    let chosen = all.by_ref().filter(|it| selection.matches(kind, it));
    let objects: Vec<Arc<Stored>> = chosen.take(limit.unwrap_or(usize::MAX)).cloned().collect();
    let mut metadata = json!({"resourceVersion": snapshot.revision.to_string()});
    // A custom list is written with all of its metadata.
    if kind.built_in().is_none() && asked.accepted.view == View::Whole {
        metadata["continue"] = Value::from("");
    }
    // Where the next page begins is not where its first object is: nobody looked at that.
    if let Some(next) = all.next() {
        let token = Token { revision: snapshot.revision, start: next.place.clone() };
        metadata["continue"] = Value::from(token.text(asked.namespace()));
        if selection.is_everything() {
            metadata["remainingItemCount"] = Value::from(all.count() + 1);
        }
    }
    Ok(Page { objects, metadata })
}

/// The moment a list shows, and the place it starts from.
fn moment(asked: &Asked) -> Result<(Snapshot, Option<Place>), Refusal> {
    let Asked { core, kind, query, .. } = asked;
    let namespace = asked.namespace();
    let resource = kind.storage();
    let version = query.given("resourceVersion");
    let wanted = query.given("resourceVersionMatch");
    options::check_list(query)?;
    if let Some(token) = query.given("continue") {
        let token = Token::read(token, namespace, query)?;
        let snapshot = core.store.list_at(&resource, namespace, token.revision);
        let snapshot = snapshot.map_err(|_| page::expired_token(core, &token, namespace))?;
        return Ok((snapshot, Some(token.start)));
    }
    let revision = version.map(revision).transpose()?.unwrap_or(0);
    let now = core.store.revision();
    if revision > now {
        return Err(too_large(revision, now));
    }
    if wanted == Some("Exact") {
        let snapshot = core.store.list_at(&resource, namespace, revision);
        return Ok((snapshot.map_err(|_| page::too_old())?, None));
    }
    if let Some(changes) = asked.stale {
        let past = now.saturating_sub(changes).max(revision);
        if let Ok(snapshot) = core.store.list_at(&resource, namespace, past) {
            return Ok((snapshot, None));
        }
    }
    Ok((core.store.list(&resource, namespace), None))
}

/// A list that is made portion by portion.
fn body(page: Page, shown: &Shown<'_>) -> Body {
    let kind = Arc::new(shown.kind.clone());
    let (view, is_old) = (shown.view, shown.is_old);
    let (include, now) = (shown.include, shown.now.clone());
    let (api_version, list_kind) = match view {
        View::Partial => (shown.meta().to_owned(), "PartialObjectMetadataList".to_owned()),
        View::Whole | View::Table | View::Discovery => (kind.api_version(), kind.list_kind.clone()),
    };
    let head = json!({"kind": list_kind, "apiVersion": api_version, "metadata": page.metadata});
    let mut text = head.to_string();
    text.pop();
    text.push_str(r#","items":["#);
    let mut objects = page.objects.into_iter();
    let mut is_first = true;
    let mut pending = Some(text.into_bytes());
    let portions = std::iter::from_fn(move || {
        let mut portion = pending.take()?;
        let shown = Shown { kind: &kind, view, is_old, include, now: now.clone() };
        while portion.len() < PORTION {
            let Some(object) = objects.next() else {
                portion.extend_from_slice(b"]}\n");
                return Some(Bytes::from(portion));
            };
            if !is_first {
                portion.push(b',');
            }
            is_first = false;
            shown.write_item(&object, &mut portion);
        }
        pending = Some(Vec::with_capacity(PORTION));
        Some(Bytes::from(portion))
    });
    Body::from_stream(stream::iter(portions.map(Ok::<_, std::convert::Infallible>)))
}

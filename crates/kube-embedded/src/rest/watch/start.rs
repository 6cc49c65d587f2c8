//! Where a watch starts, what it selects, and how long it lasts.
//!
//! Reads the query; returns the start, or why there is none.
//! Invariant: every watch ends by itself some time.

use std::time::Duration;

use super::super::list::{self, Selection};
use super::super::query::Query;
use crate::core::Core;
use crate::kinds::Kind;
use crate::refusal::Refusal;

/// How long a watch lasts that does not say.
const SHORTEST: u64 = 30 * 60;

/// No watch lasts longer, so that its end can be told as a time.
const LONGEST: u64 = 365 * 24 * 60 * 60;

/// How a watch begins.
#[derive(Debug)]
pub(crate) struct Start {
    pub(super) namespace: Option<String>,
    pub(super) selection: Selection,
    /// The revision after which changes are told; none to tell first what there is.
    pub(super) from: Option<u64>,
    pub(super) has_bookmarks: bool,
    pub(super) tells_end: bool,
    pub(super) timeout: Duration,
    /// What tells this watch from others.
    pub(super) name: String,
}

/// Reads what a watch asks for; `name` watches a single object.
pub(crate) fn read(
    core: &Core,
    kind: &Kind,
    namespace: Option<&str>,
    name: &str,
    query: &Query,
) -> Result<Start, Refusal> {
    let mut selection = Selection::read(query, kind)?;
    if !name.is_empty() {
        selection = selection.named(name, kind)?;
    }
    query.number("limit")?;
    let wants_first = query.optional_flag("sendInitialEvents");
    query.number("limit")?;
    list::check_watch(query)?;
    let version = query.given("resourceVersion");
    let revision = version.map(list::unguarded).transpose()?;
    let newest = core.store.revision();
    let from = match (wants_first, revision) {
        (Some(true), _) | (None, None | Some(0)) => None,
        (Some(false), None | Some(0)) => Some(newest),
        (Some(false) | None, Some(revision)) => Some(revision),
    };
    let seconds = query.number("timeoutSeconds")?.and_then(|it| u64::try_from(it).ok());
    let seconds = seconds.filter(|seconds| *seconds > 0).map(|seconds| seconds.min(LONGEST));
    Ok(Start {
        namespace: namespace.map(str::to_owned),
        selection,
        name: [
            &kind.storage(),
            namespace.unwrap_or(""),
            name,
            query.first("labelSelector").unwrap_or(""),
            query.first("fieldSelector").unwrap_or(""),
        ]
        .join("|"),
        from,
        has_bookmarks: query.flag("allowWatchBookmarks"),
        tells_end: wants_first == Some(true),
        timeout: Duration::from_secs(seconds.unwrap_or_else(|| {
            SHORTEST + u64::from(core.roll(u32::try_from(SHORTEST).unwrap_or(1)))
        })),
    })
}

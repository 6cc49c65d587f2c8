//! What watchers of one server complain of, so that each cause is said once.
//!
//! Reads the causes by which kinds cannot be followed; tells whether one is news.
//! Invariant: a cause that several kinds have, or one again and again, as a certificate that does not
//! fit, is news only once until it is over.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use udn_wire::Kind;

#[cfg(test)]
mod tests;

/// The causes of now, by the kind that has them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Complaints(Arc<Mutex<BTreeMap<Kind, String>>>);

impl Complaints {
    /// Takes down why a kind cannot be followed; tells whether nobody has said so yet.
    pub(crate) fn is_news(&self, kind: Kind, cause: &str) -> bool {
        let mut causes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = causes.values().any(|it| it == cause);
        causes.insert(kind, cause.to_owned());
        !is_known
    }

    /// A kind can be followed again.
    pub(crate) fn is_over(&self, kind: Kind) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&kind);
    }
}

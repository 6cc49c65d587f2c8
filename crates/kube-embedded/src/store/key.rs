//! Where an object is: its resource, namespace and name.
//!
//! Invariant: keys sort by resource, then namespace, then name, as lists are answered.

use std::sync::Arc;

/// The place of an object among all that is stored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// Plural and group: `networks.example.org`, or `pods`.
    pub(crate) resource: Arc<str>,
    pub(crate) place: Place,
}

/// The place of an object within its resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Empty for kinds without namespaces.
    pub(crate) namespace: Arc<str>,
    pub(crate) name: Arc<str>,
}

impl Key {
    pub(crate) fn new(resource: &str, namespace: &str, name: &str) -> Self {
        Self { resource: resource.into(), place: Place::new(namespace, name) }
    }

    /// One text for the file: parts never hold a zero byte, since all are names.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let Place { namespace, name } = &self.place;
        [self.resource.as_bytes(), namespace.as_bytes(), name.as_bytes()].join(&0)
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let text = str::from_utf8(bytes).ok()?;
        let mut parts = text.split('\0');
        let key = Self::new(parts.next()?, parts.next()?, parts.next()?);
        parts.next().is_none().then_some(key)
    }
}

impl Place {
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }
}

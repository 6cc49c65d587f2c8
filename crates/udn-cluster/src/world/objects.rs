//! Objects of one kind by name.
//!
//! An ordered map whose objects are shared by all worlds that hold the same state of them: a view
//! of a world costs a pointer for each object.
//! Invariant: who changes an object changes it in this map alone.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::collections::btree_map::{self, Range};
use std::ops::{Index, RangeBounds};
use std::sync::Arc;

use udn_model::ObjectName;

#[cfg(test)]
mod tests;

/// Objects by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objects<Name: Ord, Object>(BTreeMap<Name, Arc<Object>>);

impl<Name: Ord, Object> Default for Objects<Name, Object> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Name: Ord, Object> Objects<Name, Object> {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, name: &Q) -> bool
    where
        Name: Borrow<Q>,
    {
        self.0.contains_key(name)
    }

    pub fn get<Q: Ord + ?Sized>(&self, name: &Q) -> Option<&Object>
    where
        Name: Borrow<Q>,
    {
        self.0.get(name).map(|object| &**object)
    }

    pub fn get_key_value<Q: Ord + ?Sized>(&self, name: &Q) -> Option<(&Name, &Object)>
    where
        Name: Borrow<Q>,
    {
        self.0.get_key_value(name).map(|(name, object)| (name, &**object))
    }

    /// In the order of the names.
    pub fn iter(&self) -> <&Self as IntoIterator>::IntoIter {
        self.into_iter()
    }

    pub fn keys(&self) -> btree_map::Keys<'_, Name, Arc<Object>> {
        self.0.keys()
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Object> {
        self.0.values().map(|object| &**object)
    }

    pub fn range<'a, R: RangeBounds<Name>>(
        &'a self,
        names: R,
    ) -> impl Iterator<Item = (&'a Name, &'a Object)> + use<'a, R, Name, Object> {
        let range: Range<'a, Name, Arc<Object>> = self.0.range(names);
        range.map(|(name, object)| (name, &**object))
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps only some.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&Name, &Object) -> bool) {
        self.0.retain(|name, object| is_kept(name, object));
    }
}

impl<Name: Ord, Object: Clone> Objects<Name, Object> {
    /// To change an object; others who hold this state of it do not see it.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, name: &Q) -> Option<&mut Object>
    where
        Name: Borrow<Q>,
    {
        self.0.get_mut(name).map(Arc::make_mut)
    }

    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Object> {
        self.0.values_mut().map(Arc::make_mut)
    }

    /// Puts an object; returns the one that stood under the name.
    pub fn insert(&mut self, name: Name, object: Object) -> Option<Object> {
        self.0.insert(name, Arc::new(object)).map(Arc::unwrap_or_clone)
    }

    /// Takes an object out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, name: &Q) -> Option<Object>
    where
        Name: Borrow<Q>,
    {
        self.0.remove(name).map(Arc::unwrap_or_clone)
    }

    pub fn pop_first(&mut self) -> Option<(Name, Object)> {
        self.0.pop_first().map(|(name, object)| (name, Arc::unwrap_or_clone(object)))
    }

    pub fn pop_last(&mut self) -> Option<(Name, Object)> {
        self.0.pop_last().map(|(name, object)| (name, Arc::unwrap_or_clone(object)))
    }
}

impl<Name: Ord + Clone, Object> Objects<Name, Object> {
    /// Takes one object from another map, unless there is one of that name.
    pub fn share<Q: Ord + ?Sized>(&mut self, from: &Self, name: &Q)
    where
        Name: Borrow<Q>,
    {
        if !self.0.contains_key(name)
            && let Some((name, object)) = from.0.get_key_value(name)
        {
            self.0.insert(name.clone(), object.clone());
        }
    }
}

impl<Object> Objects<ObjectName, Object> {
    /// The objects of a namespace.
    pub fn within(&self, namespace: &str) -> impl Iterator<Item = (&ObjectName, &Object)> {
        let first = ObjectName::new(namespace, "");
        let from = self.range(first.clone()..);
        from.take_while(move |(name, _)| name.namespace == first.namespace)
    }
}

impl<'a, Name: Ord, Object> IntoIterator for &'a Objects<Name, Object> {
    type Item = (&'a Name, &'a Object);
    type IntoIter = std::iter::Map<
        btree_map::Iter<'a, Name, Arc<Object>>,
        fn((&'a Name, &'a Arc<Object>)) -> (&'a Name, &'a Object),
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(name, object)| (name, &**object))
    }
}

impl<Name: Ord, Object: Clone> IntoIterator for Objects<Name, Object> {
    type Item = (Name, Object);
    type IntoIter = std::iter::Map<
        btree_map::IntoIter<Name, Arc<Object>>,
        fn((Name, Arc<Object>)) -> (Name, Object),
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|(name, object)| (name, Arc::unwrap_or_clone(object)))
    }
}

impl<Name: Ord, Object> Extend<(Name, Object)> for Objects<Name, Object> {
    fn extend<I: IntoIterator<Item = (Name, Object)>>(&mut self, all: I) {
        self.0.extend(all.into_iter().map(|(name, object)| (name, Arc::new(object))));
    }
}

impl<Name: Ord, Object> FromIterator<(Name, Object)> for Objects<Name, Object> {
    fn from_iter<I: IntoIterator<Item = (Name, Object)>>(all: I) -> Self {
        Self(all.into_iter().map(|(name, object)| (name, Arc::new(object))).collect())
    }
}

impl<Name: Ord + Borrow<Q>, Object, Q: Ord + ?Sized> Index<&Q> for Objects<Name, Object> {
    type Output = Object;

    fn index(&self, name: &Q) -> &Object {
        &self.0[name]
    }
}

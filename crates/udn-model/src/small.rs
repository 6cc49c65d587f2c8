//! Ordered maps and sets that most often have one or two entries, and may have a hundred thousand.
//!
//! There is one for each network or name; a tree takes half a kilobyte for its first entry, a list
//! takes what the entry takes.
//! Invariant: entries are in order, and none comes twice; only one of list and tree has any.

use std::borrow::Borrow;
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// With more entries than these, a tree is faster than a list.
const LONGEST_LIST: usize = 32;

/// An ordered map.
#[derive(Debug, Clone)]
pub struct SmallMap<K, V> {
    list: Vec<(K, V)>,
    #[expect(
        clippy::box_collection,
        reason = "most maps have no tree, and need no memory for one"
    )]
    tree: Option<Box<BTreeMap<K, V>>>,
}

/// An ordered set.
#[derive(Debug, Clone)]
pub struct SmallSet<T>(SmallMap<T, ()>);

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self { list: Vec::new(), tree: None }
    }
}

impl<K: Ord, V> SmallMap<K, V> {
    pub fn len(&self) -> usize {
        self.tree.as_ref().map_or(self.list.len(), |tree| tree.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match &self.tree {
            Some(tree) => tree.get(key),
            None => self.place(key).ok().map(|place| &self.list[place].1),
        }
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key);
        match &mut self.tree {
            Some(tree) => tree.get_mut(key),
            None => place.ok().map(|place| &mut self.list[place].1),
        }
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    /// Puts a value; returns the one that stood under the key.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let place = self.make_room(&key);
        match &mut self.tree {
            Some(tree) => tree.insert(key, value),
            None => match place {
                Ok(place) => Some(std::mem::replace(&mut self.list[place].1, value)),
                Err(place) => {
                    self.list.insert(place, (key, value));
                    None
                }
            },
        }
    }

    /// The value under a key, made if there is none.
    pub fn or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = self.make_room(&key);
        match &mut self.tree {
            Some(tree) => tree.entry(key).or_insert_with(make),
            None => {
                let place = place.unwrap_or_else(|place| {
                    self.list.insert(place, (key, make()));
                    place
                });
                &mut self.list[place].1
            }
        }
    }

    /// Takes a value out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let Some(tree) = &mut self.tree else {
            return self.place(key).ok().map(|place| self.list.remove(place).1);
        };
        let taken = tree.remove(key);
        if tree.is_empty() {
            self.tree = None;
        }
        taken
    }

    /// In the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        let list = self.list.iter().map(|(key, value)| (key, value));
        list.chain(self.tree.iter().flat_map(|tree| tree.iter()))
    }

    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// The last entry whose key is this one or comes before it.
    pub fn last_up_to(&self, key: &K) -> Option<(&K, &V)> {
        match &self.tree {
            Some(tree) => tree.range(..=key).next_back(),
            None => {
                let behind = self.list.partition_point(|(it, _)| it <= key);
                self.list[..behind].last().map(|(key, value)| (key, value))
            }
        }
    }

    /// The entries whose keys are this one or come after it.
    pub fn from(&self, key: K) -> impl Iterator<Item = (&K, &V)> {
        let place = self.list.partition_point(|(it, _)| *it < key);
        let list = self.list[place..].iter().map(|(key, value)| (key, value));
        list.chain(self.tree.as_ref().map(|tree| tree.range(key..)).into_iter().flatten())
    }

    /// Where in the list a key is or belongs, with memory for one more; or a tree, if they are many.
    fn make_room(&mut self, key: &K) -> Result<usize, usize> {
        let place = self.place(key);
        if place.is_err() && self.list.len() == LONGEST_LIST {
            let tree = std::mem::take(&mut self.list).into_iter().collect();
            self.tree = Some(Box::new(tree));
        } else if place.is_err() && self.tree.is_none() && self.list.len() == self.list.capacity() {
            // A list that grows by itself begins with memory for four.
            self.list.reserve_exact(self.list.len().max(1));
        }
        place
    }

    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.list.binary_search_by(|(it, _)| it.borrow().cmp(key))
    }
}

impl<K: Ord, V: PartialEq> PartialEq for SmallMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<K: Ord, V: Eq> Eq for SmallMap<K, V> {}

impl<T> Default for SmallSet<T> {
    fn default() -> Self {
        Self(SmallMap::default())
    }
}

impl<T: Ord> SmallSet<T> {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(item)
    }

    /// Whether it was not there.
    pub fn insert(&mut self, item: T) -> bool {
        self.0.insert(item, ()).is_none()
    }

    /// Whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(item).is_some()
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.keys()
    }

    /// Those that are this one or come after it.
    pub fn from(&self, item: T) -> impl Iterator<Item = &T> {
        self.0.from(item).map(|(item, ())| item)
    }

    pub fn first(&self) -> Option<&T> {
        self.iter().next()
    }
}

//! A small map of texts: the labels or annotations of an object.
//!
//! Reads and writes as a JSON object; behaves as an ordered map.
//! Invariant: keys are in order, and none comes twice. Most objects have one or two, and there are
//! many objects: a tree would take half a kilobyte for each.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::keys::FREQUENT;

#[cfg(test)]
mod tests;

/// Texts by key.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Texts(Vec<(Key, String)>);

/// Most keys are on thousands of objects, and need no text of their own.
type Key = Cow<'static, str>;

impl Texts {
    pub fn get(&self, key: &str) -> Option<&String> {
        self.place(key).ok().map(|place| &self.0[place].1)
    }

    pub fn contains_key(&self, key: &str) -> bool {
        self.place(key).is_ok()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// In the order of the keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &String)> {
        self.into_iter()
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.iter().map(|(key, _)| key)
    }

    /// Puts a text; returns the one that stood under the key.
    pub fn insert(&mut self, key: String, text: String) -> Option<String> {
        match self.place(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.0[place].1, text)),
            Err(place) => {
                self.0.insert(place, (known(key), text));
                None
            }
        }
    }

    /// Takes a text out.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        self.place(key).ok().map(|place| self.0.remove(place).1)
    }

    /// Keeps only some, and no more memory than they need.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&str, &String) -> bool) {
        self.0.retain(|(key, text)| is_kept(key, text));
        self.0.shrink_to_fit();
    }

    pub fn clear(&mut self) {
        self.0 = Vec::new();
    }

    /// Moves all texts of another map into this one.
    pub fn append(&mut self, other: &mut Self) {
        self.extend(std::mem::take(other));
    }

    fn place(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(it, _)| (**it).cmp(key))
    }
}

/// The same key, without a text of its own if it is a frequent one.
fn known(key: String) -> Key {
    match FREQUENT.iter().find(|it| ***it == *key) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(key),
    }
}

impl Extend<(String, String)> for Texts {
    fn extend<I: IntoIterator<Item = (String, String)>>(&mut self, texts: I) {
        for (key, text) in texts {
            self.insert(key, text);
        }
    }
}

impl FromIterator<(String, String)> for Texts {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(texts: I) -> Self {
        let mut all = Self::default();
        all.extend(texts);
        all
    }
}

impl<const N: usize> From<[(String, String); N]> for Texts {
    fn from(texts: [(String, String); N]) -> Self {
        texts.into_iter().collect()
    }
}

impl From<Texts> for BTreeMap<String, String> {
    fn from(texts: Texts) -> Self {
        texts.into_iter().collect()
    }
}

impl IntoIterator for Texts {
    type Item = (String, String);
    type IntoIter =
        std::iter::Map<std::vec::IntoIter<(Key, String)>, fn((Key, String)) -> (String, String)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|(key, text)| (key.into_owned(), text))
    }
}

impl<'a> IntoIterator for &'a Texts {
    type Item = (&'a str, &'a String);
    type IntoIter = std::iter::Map<
        std::slice::Iter<'a, (Key, String)>,
        fn(&'a (Key, String)) -> (&'a str, &'a String),
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(key, text)| (&**key, text))
    }
}

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

/// An entry that is `null` is not there.
impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = BTreeMap::<String, Option<String>>::deserialize(deserializer)?;
        // They come in order, so that nothing is moved.
        let mut texts: Vec<_> =
            map.into_iter().filter_map(|(key, text)| Some((known(key), text?))).collect();
        texts.shrink_to_fit();
        Ok(Self(texts))
    }
}

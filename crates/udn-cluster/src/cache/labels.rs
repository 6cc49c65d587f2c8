//! Names by label, for namespaces and for the selectors that mean them.
//!
//! Invariant: a name stands under a label exactly as long as it was not taken away from there.

use std::collections::BTreeMap;

use udn_model::SmallSet;

/// Names by key and value of a label.
#[derive(Debug, Default)]
pub(crate) struct LabelIndex(BTreeMap<String, BTreeMap<String, SmallSet<String>>>);

/// One label.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Label<'a> {
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
}

impl LabelIndex {
    pub(crate) fn insert(&mut self, label: Label<'_>, name: &str) {
        let values = self.0.entry(label.key.to_owned()).or_default();
        values.entry(label.value.to_owned()).or_default().insert(name.to_owned());
    }

    pub(crate) fn remove(&mut self, label: Label<'_>, name: &str) {
        let Some(values) = self.0.get_mut(label.key) else { return };
        if let Some(names) = values.get_mut(label.value) {
            names.remove(name);
            if names.is_empty() {
                values.remove(label.value);
            }
        }
        if values.is_empty() {
            self.0.remove(label.key);
        }
    }

    /// The names under a label.
    pub(crate) fn under(&self, label: Label<'_>) -> impl Iterator<Item = &String> {
        let names = self.0.get(label.key).and_then(|values| values.get(label.value));
        names.into_iter().flat_map(SmallSet::iter)
    }

    /// The names under a label of any value.
    pub(crate) fn under_key(&self, key: &str) -> impl Iterator<Item = &String> {
        self.0.get(key).into_iter().flat_map(BTreeMap::values).flat_map(SmallSet::iter)
    }
}

//! Finds the namespaces that a selector means, without looking at all of them.
//!
//! Reads the namespaces of a world once; returns those selected, in order.
//! Invariant: the same namespaces are found as by asking the selector about each.

use std::collections::{BTreeMap, BTreeSet};

use udn_wire::object::Namespace;

use super::selector::Selector;
use crate::world::Objects;

/// Namespaces by their labels.
#[derive(Debug)]
pub(crate) struct NamespaceIndex<'a> {
    all: &'a Objects<String, Namespace>,
    by_label: BTreeMap<(&'a str, &'a str), Vec<&'a String>>,
}

impl<'a> NamespaceIndex<'a> {
    pub(crate) fn of(all: &'a Objects<String, Namespace>) -> Self {
        let mut by_label: BTreeMap<(&str, &str), Vec<&String>> = BTreeMap::new();
        for (name, namespace) in all {
            for (key, value) in &namespace.metadata.labels {
                by_label.entry((key, value)).or_default().push(name);
            }
        }
        Self { all, by_label }
    }

    pub(crate) fn selected(&self, selector: &Selector) -> Vec<(&'a String, &'a Namespace)> {
        let is_selected = |(_, it): &(&String, &Namespace)| selector.selects(&it.metadata.labels);
        let Some((key, values)) = selector.narrowest() else {
            return self.all.iter().filter(is_selected).collect();
        };
        let lists = values.iter().filter_map(|value| self.by_label.get(&(key, value.as_str())));
        let names: BTreeSet<&'a String> = lists.flatten().copied().collect();
        let found = names.into_iter().filter_map(|name| self.all.get_key_value(name));
        found.filter(is_selected).collect()
    }
}

//! What the controller and the agents of nodes need of an API server: the list that several shelves
//! compare with what they see.
//!
//! Reads `needs.yaml`; returns single needs, and says which of them covers a request.
//! Invariant: a resource is told in one way everywhere, as `resource.group/subresource`.

#![allow(dead_code, reason = "each shelf that compares needs another part of it")]

use std::collections::BTreeMap;

use serde::Deserialize;

const LIST: &str = include_str!("needs.yaml");

/// A line of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    resources: Vec<String>,
    verbs: Vec<String>,
    namespace: Option<String>,
    name: Option<String>,
    unseen: Option<String>,
}

/// One thing that an account has to be let do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Need {
    pub(crate) resource: String,
    pub(crate) verb: String,
    /// In this namespace only.
    pub(crate) namespace: Option<String>,
    /// To the object of this name only.
    pub(crate) name: Option<String>,
    /// Why no scene of ours shows it.
    pub(crate) unseen: Option<String>,
}

/// What somebody asks, or asked; an empty text where a request has no namespace or name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asked {
    pub(crate) resource: String,
    pub(crate) verb: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Need {
    /// All needs of a ServiceAccount.
    pub(crate) fn of(account: &str) -> Vec<Self> {
        let mut list: BTreeMap<String, Vec<Line>> =
            serde_saphyr::from_str(LIST).expect("the list is well written");
        let lines = list.remove(account).unwrap_or_else(|| panic!("{account} is not listed"));
        lines.into_iter().flat_map(Line::into_needs).collect()
    }

    /// Whether a server that grants this need lets such a request pass.
    pub(crate) fn covers(&self, asked: &Asked) -> bool {
        let fits = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|it| it == is);
        (&self.resource, &self.verb) == (&asked.resource, &asked.verb)
            && fits(&self.namespace, &asked.namespace)
            && fits(&self.name, &asked.name)
    }
}

impl Line {
    fn into_needs(self) -> impl Iterator<Item = Need> {
        let Self { resources, verbs, namespace, name, unseen } = self;
        let pairs = resources.into_iter().flat_map(move |resource| {
            let verbs = verbs.clone().into_iter();
            verbs.map(move |verb| (resource.clone(), verb))
        });
        pairs.map(move |(resource, verb)| Need {
            resource,
            verb,
            namespace: namespace.clone(),
            name: name.clone(),
            unseen: unseen.clone(),
        })
    }
}

/// How resources are told here.
pub(crate) fn resource(name: &str, group: &str, subresource: &str) -> String {
    let group = if group.is_empty() { String::new() } else { format!(".{group}") };
    let sub = if subresource.is_empty() { String::new() } else { format!("/{subresource}") };
    format!("{name}{group}{sub}")
}

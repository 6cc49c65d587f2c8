//! A network that somebody asks for, before it is asked who keeps a name or a namespace.
//!
//! Invariant: its place in line depends on nothing but itself and what was published of it.

use std::collections::BTreeMap;

use udn_model::{Manifest, Network, NetworkId, NetworkName, ObjectName, Subject};
use udn_wire::keys::CONFIG_PATH;

use super::nads::rank;
use crate::spec::Place;

/// A network that somebody asks for.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    pub(crate) network: Network,
    /// Its number, if it has one already.
    pub(crate) id: Option<NetworkId>,
    /// The UDN or CUDN that asks; NADs ask for themselves.
    pub(crate) maker: Option<Subject>,
    /// Where the manifest describes the network; a NAD does so in its configuration.
    pub(crate) place: Option<Place>,
    /// When it was first asked for, as Kubernetes writes times; empty if nobody knows.
    pub(crate) created: String,
    /// The NADs that exist already.
    pub(crate) standing: BTreeMap<ObjectName, Presence>,
    /// The NADs that somebody else has.
    pub(crate) foreign: Vec<ObjectName>,
}

/// How firmly a NAD stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Presence {
    /// It exists and carries its network's number: pods may be on it.
    Numbered,
    Exists,
    /// It is still to be made.
    Missing,
}

/// A place in line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    id: u16,
    age: Age,
}

/// Who asked first; unlike a number, which a controller grants, it never changes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Age {
    /// Times of one server are in order as texts.
    created: (bool, String),
    is_written: bool,
    name: NetworkName,
}

/// A network, whom findings about it concern, and where it is described.
#[derive(Debug, Clone)]
pub(crate) struct Described<'a> {
    pub(crate) network: &'a Network,
    pub(crate) subject: Subject,
    /// The network's own part of the manifest; a NAD describes it in its configuration.
    pub(crate) part: Option<&'a str>,
}

impl Described<'_> {
    /// The path of a field of that part.
    pub(crate) fn path(&self, field: &str) -> String {
        self.part.map_or_else(|| CONFIG_PATH.to_owned(), |part| format!("{part}.{field}"))
    }

    /// The path of one of its subnets.
    pub(crate) fn subnet_path(&self, position: usize) -> String {
        let field = if self.network.layer3().is_some() { ".cidr" } else { "" };
        self.path(&format!("subnets[{position}]{field}"))
    }
}

impl Proposal {
    pub(crate) fn described(&self) -> Described<'_> {
        let part = self.place.as_ref().map(|place| place.part.as_str());
        Described { network: &self.network, subject: self.subject(), part }
    }

    /// The path of a field of the network's own part of the manifest.
    pub(crate) fn path(&self, field: &str) -> String {
        self.described().path(field)
    }

    /// The path of one of its subnets.
    pub(crate) fn subnet_path(&self, position: usize) -> String {
        self.described().subnet_path(position)
    }

    /// Where it stands in line; who comes later gives way.
    pub(crate) fn rank(&self) -> Rank {
        Rank { id: rank(self.id), age: self.age() }
    }

    /// Where it stands among all that were ever asked for.
    pub(crate) fn age(&self) -> Age {
        Age {
            created: (self.created.is_empty(), self.created.clone()),
            is_written: self.maker.is_none(),
            name: self.network.name.clone(),
        }
    }

    /// Another NAD that asks for the same network may be older than those before.
    pub(super) fn join_nad_created(&mut self, created: &str) {
        if self.created.is_empty() || (!created.is_empty() && *created < *self.created) {
            self.created = created.to_owned();
        }
    }

    /// Where it says for which namespaces it is.
    pub(super) fn namespaces_path(&self) -> &'static str {
        match &self.maker {
            Some(Subject::Manifest(Manifest::Cudn(_))) => "spec.namespaceSelector",
            Some(_) | None => "metadata.namespace",
        }
    }

    /// Whom findings about the network concern.
    pub(crate) fn subject(&self) -> Subject {
        let first = self.network.nads.first().cloned();
        let asker = self.maker.clone().or(first.map(Subject::Nad));
        asker.unwrap_or_else(|| Subject::Network(self.network.name.clone()))
    }

    pub(super) fn subject_of(&self, nad: &ObjectName) -> Subject {
        self.maker.clone().unwrap_or_else(|| Subject::Nad(nad.clone()))
    }
}

//! Takes one object into a world.
//!
//! Reads an object as JSON; returns what is wrong with it, if anything.
//! Invariant: an object that is refused leaves the world as it was.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;
use udn_manifest::manifest::{Step, decode};
use udn_model::{NodeName, ObjectName};
use udn_wire::kind::Kind;
use udn_wire::object::{
    ClusterUserDefinedNetwork, IpamClaim, Machine, Metadata, Nad, Namespace, Node,
    NodeNetworkReport, Pod, Service, UserDefinedNetwork,
};

use super::identity::complete;
use super::{Objects, World};

/// Why an object is not in a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Its kind plays no part in networks.
    OtherKind { message: String },
    /// One sentence: what is wrong and what to do, and the field that is wrong.
    Unfit { path: Vec<Step>, message: String },
}

impl Refused {
    fn unfit(message: impl Into<String>) -> Self {
        Self::Unfit { path: Vec::new(), message: message.into() }
    }
}

impl World {
    /// Takes in an object, unless there is one of that name.
    pub fn insert(&mut self, object: &Value) -> Result<(), Refused> {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or("");
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        if api_version.is_empty() || kind.is_empty() {
            return Err(Refused::unfit("is not a Kubernetes object; give it apiVersion and kind"));
        }
        match Kind::find(api_version, kind) {
            Some(kind @ Kind::Namespace) => place(kind, object, &mut self.namespaces),
            Some(kind @ Kind::Node) => place(kind, object, &mut self.nodes),
            Some(kind @ Kind::UserDefinedNetwork) => place(kind, object, &mut self.networks),
            Some(kind @ Kind::ClusterUserDefinedNetwork) => {
                place(kind, object, &mut self.cluster_networks)
            }
            Some(kind @ Kind::Nad) => place(kind, object, &mut self.nads),
            Some(kind @ Kind::Service) => place(kind, object, &mut self.services),
            Some(kind @ Kind::Pod) => place(kind, object, &mut self.pods),
            Some(kind @ Kind::Report) => place(kind, object, &mut self.reports),
            Some(kind @ Kind::Claim) => place(kind, object, &mut self.claims),
            Some(kind @ Kind::Machine) => place(kind, object, &mut self.machines),
            None => {
                let (version, kind) = (api_version.escape_default(), kind.escape_default());
                let message = format!("{version} {kind} plays no part in networks; skipped");
                Err(Refused::OtherKind { message })
            }
        }
    }
}

/// Puts an object under its name, unless one stands there.
fn place<T: Object>(
    kind: Kind,
    value: &Value,
    place: &mut Objects<T::Name, T>,
) -> Result<(), Refused> {
    let mut object: T = decode(value).map_err(|misfit| {
        let advice = advice(&misfit.message);
        let message = format!("{kind} cannot be read: {misfit}{advice}");
        Refused::Unfit { path: misfit.path, message }
    })?;
    complete(kind, object.metadata_mut())
        .map_err(|what| Refused::unfit(format!("{kind} {what}")))?;
    let name = T::name_from(object.metadata_mut());
    if place.contains_key(&name) {
        let message = format!("{kind} {name} appears a second time; remove one of the two");
        return Err(Refused::unfit(message));
    }
    place.insert(name, object);
    Ok(())
}

/// What most often mends a type error.
fn advice(message: &str) -> &'static str {
    let is_bare = ["integer", "boolean", "float"];
    if message.contains("string") && is_bare.iter().any(|word| message.contains(word)) {
        "; put the value in quotes"
    } else {
        "; correct the field"
    }
}

/// What all kinds of objects have for the reader.
pub(crate) trait Object: DeserializeOwned + Clone {
    type Name: Ord + Clone + fmt::Display;

    fn metadata(&self) -> &Metadata;

    fn metadata_mut(&mut self) -> &mut Metadata;

    fn name_from(metadata: &Metadata) -> Self::Name;
}

macro_rules! object {
    ($type:ty, $name:ty, $from:expr) => {
        impl Object for $type {
            type Name = $name;

            fn metadata(&self) -> &Metadata {
                &self.metadata
            }

            fn metadata_mut(&mut self) -> &mut Metadata {
                &mut self.metadata
            }

            fn name_from(metadata: &Metadata) -> $name {
                let from: fn(&Metadata) -> $name = $from;
                from(metadata)
            }
        }
    };
}

object!(Namespace, String, |it| it.name.clone());
object!(Node, NodeName, |it| NodeName::new(&it.name));
object!(ClusterUserDefinedNetwork, String, |it| it.name.clone());
object!(UserDefinedNetwork, ObjectName, |it| ObjectName::new(&it.namespace, &it.name));
object!(Nad, ObjectName, |it| ObjectName::new(&it.namespace, &it.name));
object!(Service, ObjectName, |it| ObjectName::new(&it.namespace, &it.name));
object!(NodeNetworkReport, NodeName, |it| NodeName::new(&it.name));
object!(IpamClaim, ObjectName, |it| ObjectName::new(&it.namespace, &it.name));
object!(Machine, ObjectName, |it| ObjectName::new(&it.namespace, &it.name));
object!(Pod, ObjectName, |it| ObjectName::new(&it.namespace, &it.name));

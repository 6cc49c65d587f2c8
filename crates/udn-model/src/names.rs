//! Names of things, each with a type of its own.
//!
//! Invariant: a name is never empty where it comes from outside; whoever parses it sees to that.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

macro_rules! name {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(Arc<str>);

        impl $type {
            pub fn new(text: &str) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
    };
}

name!(
    /// The name by which all NADs of one network mean the same network, such as `cluster_udn_red`.
    NetworkName
);
name!(
    /// The name of a node.
    NodeName
);
name!(
    /// The name OVN knows a node's switch by; its `system-id`.
    ChassisName
);

/// The name of a thing that lives in a namespace: a pod, a NAD, a service.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    pub namespace: Arc<str>,
    pub name: Arc<str>,
}

impl ObjectName {
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// Reads `namespace/name`.
    pub fn parse(text: &str) -> Option<Self> {
        let (namespace, name) = text.split_once('/')?;
        let is_whole = !namespace.is_empty() && !name.is_empty() && !name.contains('/');
        is_whole.then(|| Self::new(namespace, name))
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

impl fmt::Debug for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl Serialize for ObjectName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// How pods' annotations name the default network.
// compat: pkg/types/const.go, DefaultNetworkName
const DEFAULT_NAD_KEY: &str = "default";

/// One attachment of one pod: which pod, through which NAD, and the how-manieth time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttachmentKey {
    pub pod: ObjectName,
    pub nad: ObjectName,
    /// Zero unless the pod names the same NAD more than once.
    pub index: u16,
}

impl AttachmentKey {
    /// A pod on the default network, to which no NAD needs to lead.
    pub fn on_default_network(pod: ObjectName) -> Self {
        Self { pod, nad: ObjectName::new("", DEFAULT_NAD_KEY), index: 0 }
    }

    /// Whether it is on the default network.
    pub fn is_on_default_network(&self) -> bool {
        self.nad.namespace.is_empty()
    }

    /// How the pod's annotation and OVN name the attachment: `ns/nad`, then `ns/nad/1`; the default
    /// network's is `default`.
    pub fn nad_key(&self) -> String {
        match self.index {
            _ if self.is_on_default_network() => DEFAULT_NAD_KEY.to_owned(),
            0 => self.nad.to_string(),
            index => format!("{}/{index}", self.nad),
        }
    }
}

impl fmt::Display for AttachmentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.pod, self.nad_key())
    }
}

impl fmt::Debug for AttachmentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl Serialize for AttachmentKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

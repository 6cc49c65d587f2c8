//! Values that expressions work on.
//!
//! Reads converted JSON or results of evaluation; cloning is cheap, contents are shared.
//! Invariant: a value never changes once it is made.

mod equality;
mod list;
mod map;
mod number;
mod order;
mod text;
mod time;

use std::net::IpAddr;
use std::sync::Arc;

use strict_net::IpNet;

pub use list::{List, ListKind};
pub use map::{Key, Map};
pub use time::{Duration, Timestamp};

use super::error::Error;
use super::functions::{NamedFormat, Quantity, Semver, Url};

pub(in crate::cel) use equality::equal;
pub(in crate::cel) use number::{double_to_int, double_to_uint, exact_int};
pub(in crate::cel) use order::compare;
pub(in crate::cel) use text::float_text;

/// Any value of the language.
#[derive(Debug, Clone)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
    List(Arc<List>),
    Map(Arc<Map>),
    Timestamp(Timestamp),
    Duration(Duration),
    Optional(Option<Arc<Value>>),
    /// A type, by the name it has at run time.
    Type(&'static str),
    Ip(IpAddr),
    Cidr(IpNet),
    Quantity(Arc<Quantity>),
    Url(Arc<Url>),
    Semver(Arc<Semver>),
    Format(&'static NamedFormat),
    /// A part of a list or map that could not be made; reading it is this error.
    Error(Arc<Error>),
}

impl Value {
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// A list as a literal makes it.
    pub fn list(items: Vec<Value>) -> Self {
        Self::List(Arc::new(List::new(items, ListKind::Plain)))
    }

    pub(in crate::cel) fn map(map: Map) -> Self {
        Self::Map(Arc::new(map))
    }

    pub(in crate::cel) fn some(value: Value) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    pub fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    /// The name of the value's type, as `type(x)` and messages give it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Optional(_) => "optional_type",
            Self::Type(_) => "type",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Url(_) => "kubernetes.URL",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Error(_) => "error",
        }
    }

    /// What the cost of a call counts: characters, bytes, items or entries, else 1.
    pub(in crate::cel) fn size(&self) -> Option<u64> {
        match self {
            Self::String(text) => Some(characters(text)),
            Self::Bytes(bytes) => Some(bytes.len() as u64),
            Self::List(list) => Some(list.items().len() as u64),
            Self::Map(map) => Some(map.len() as u64),
            // compat: pkg/cel/ip.go and cidr.go, Size
            Self::Ip(IpAddr::V4(_)) => Some(4),
            Self::Ip(IpAddr::V6(_)) => Some(16),
            Self::Cidr(network) => Some(u64::from(network.prefix_len().div_ceil(8))),
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Uint(_)
            | Self::Double(_)
            | Self::Timestamp(_)
            | Self::Duration(_)
            | Self::Optional(_)
            | Self::Type(_)
            | Self::Quantity(_)
            | Self::Url(_)
            | Self::Semver(_)
            | Self::Format(_)
            | Self::Error(_) => None,
        }
    }

    /// A value read from inside a list or map; an [`Value::Error`] there is raised.
    pub(in crate::cel) fn read(&self) -> Result<Value, Error> {
        match self {
            Self::Error(error) => Err(Error::clone(error)),
            value => Ok(value.clone()),
        }
    }
}

/// Characters of a text; counted in bytes where all are ASCII.
pub(in crate::cel) fn characters(text: &str) -> u64 {
    if text.is_ascii() { text.len() as u64 } else { text.chars().count() as u64 }
}

//! The network configuration on a plugin's stdin: a NAD's, or the cluster's default one.
//!
//! Reads JSON; returns a [`NetConf`] with what a node needs of it, and an error for the first key
//! that cannot be. Keys that nobody here needs are not looked at: what a network is, the node knows
//! from the NAD itself.
//! Invariant: a configuration can always be read leniently, because DEL must work with any.

use std::fmt;

use serde_json::{Map, Value};

use crate::attachment::Attachment;
use crate::error::{CniError, Code};
use crate::quote::quote;
use crate::result::CniResult;
use crate::version::Version;

use self::keys::Keys;

mod keys;

/// What a node needs of a network configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetConf {
    pub version: Version,
    /// The network's name; empty only where a configuration was read leniently.
    pub name: String,
    /// The NAD this is the configuration of; the cluster's default one has none.
    pub net_attach_def: Option<NetAttachDef>,
    /// `layer2`, `layer3` or `localnet`.
    pub topology: Option<String>,
    /// `primary` or `secondary`.
    pub role: Option<String>,
    pub mtu: Option<u32>,
    pub vlan_id: Option<u16>,
    pub physical_network_name: Option<String>,
    pub subnets: Option<String>,
    /// A device that somebody wants to be moved into the pod, which is not built.
    pub device_id: Option<String>,
    /// What the plugin before, or the ADD of the pod, has returned.
    pub previous: Option<CniResult>,
    /// GC: the attachments that are still used. `None` if nobody says so, which does not mean none.
    pub valid_attachments: Option<Vec<Attachment>>,
}

/// The namespace and name of a NAD.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NetAttachDef {
    pub namespace: String,
    pub name: String,
}

impl NetAttachDef {
    pub fn parse(text: &str) -> Option<Self> {
        let (namespace, name) = text.split_once('/')?;
        let is_whole = !namespace.is_empty() && !name.is_empty() && !name.contains('/');
        is_whole.then(|| Self { namespace: namespace.to_owned(), name: name.to_owned() })
    }
}

impl fmt::Display for NetAttachDef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

impl NetConf {
    /// Reads a configuration, and refuses one that is wrong.
    pub fn parse(json: &[u8]) -> Result<Self, CniError> {
        let (conf, mistakes) = Self::read(&to_object(json)?);
        mistakes.into_iter().next().map_or(Ok(conf), Err)
    }

    /// Takes what can be read of a configuration, and nothing for the rest.
    pub fn parse_leniently(json: &[u8]) -> Self {
        Self::read(&to_object(json).unwrap_or_default()).0
    }

    /// The version that an answer to this configuration is to have, whatever else is wrong with it.
    pub fn version_of(json: &[u8]) -> Version {
        let object = to_object(json).unwrap_or_default();
        let text = object.get("cniVersion").and_then(Value::as_str);
        text.and_then(Version::parse).unwrap_or(Version::NEWEST)
    }

    /// Whether it is the cluster's default network, and not that of a NAD.
    pub fn is_default(&self) -> bool {
        self.net_attach_def.is_none()
    }

    fn read(object: &Map<String, Value>) -> (Self, Vec<CniError>) {
        let mut keys = Keys::new(object);
        let conf = Self {
            version: keys.version(),
            name: keys.network_name(),
            net_attach_def: keys.net_attach_def(),
            topology: keys.text("topology"),
            role: keys.text("role"),
            mtu: keys.number("mtu", 65_535),
            vlan_id: keys.number("vlanID", 4_094),
            physical_network_name: keys.text("physicalNetworkName"),
            subnets: keys.text("subnets"),
            device_id: keys.device_id(),
            previous: keys.previous(),
            valid_attachments: keys.valid_attachments(),
        };
        keys.refuse_ipam();
        (conf, keys.mistakes)
    }
}

fn to_object(json: &[u8]) -> Result<Map<String, Value>, CniError> {
    if json.trim_ascii().is_empty() {
        let message = "there is no network configuration on stdin";
        return Err(CniError::new(Code::Undecodable, message));
    }
    match serde_json::from_slice(json) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => {
            let message = "the network configuration is no JSON object";
            let details = format!("it is {}", quote(&other.to_string()));
            Err(CniError::new(Code::Undecodable, message).with_details(details))
        }
        Err(error) => {
            let message = "the network configuration is no JSON";
            Err(CniError::new(Code::Undecodable, message).with_details(error.to_string()))
        }
    }
}

#[cfg(test)]
mod tests;

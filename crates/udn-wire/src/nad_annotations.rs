//! What the cluster controller writes on a NAD: the network's name and numbers.
//!
//! Reads a NAD's annotations; returns [`NadAnnotations`]. Writes the same.
//! Invariant: what is absent is `None`; a crash may have left some of them out.

use udn_model::{NetworkId, NetworkName, TunnelKey};

use crate::go_json;
use crate::keys::{NETWORK_ID, NETWORK_NAME, TUNNEL_KEYS};
use crate::refusal::Unreadable;
use crate::texts::Texts;

#[cfg(test)]
mod tests;

/// The numbers on a NAD.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NadAnnotations {
    pub name: Option<NetworkName>,
    pub id: Option<NetworkId>,
    /// An empty list when the network needs none.
    pub tunnel_keys: Option<Vec<TunnelKey>>,
}

impl NadAnnotations {
    // compat: pkg/networkmanager/nad_controller.go
    pub fn decode(annotations: &Texts) -> Result<Self, Unreadable> {
        let name = annotations.get(NETWORK_NAME).filter(|text| !text.is_empty());
        Ok(Self {
            name: name.map(|text| NetworkName::new(text)),
            id: annotations.get(NETWORK_ID).map(|text| parse_id(text)).transpose()?,
            tunnel_keys: annotations.get(TUNNEL_KEYS).map(|text| parse_keys(text)).transpose()?,
        })
    }

    pub fn encode(&self) -> Texts {
        let keys = |keys: &Vec<TunnelKey>| go_json::to_text(keys);
        let texts = [
            (NETWORK_NAME, self.name.as_ref().map(ToString::to_string)),
            (NETWORK_ID, self.id.map(|id| id.to_string())),
            (TUNNEL_KEYS, self.tunnel_keys.as_ref().map(keys)),
        ];
        let present = texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?)));
        present.collect()
    }
}

fn parse_id(text: &str) -> Result<NetworkId, Unreadable> {
    let id = text.parse().ok().and_then(NetworkId::new);
    id.ok_or_else(|| unreadable(NETWORK_ID, text, "is not a number from 1 to 4095"))
}

fn parse_keys(text: &str) -> Result<Vec<TunnelKey>, Unreadable> {
    let refusal = || unreadable(TUNNEL_KEYS, text, "is not a JSON list of keys such as [16711684]");
    let keys: Vec<u32> = serde_json::from_str(text).map_err(|_| refusal())?;
    keys.into_iter().map(|key| TunnelKey::new(key).ok_or_else(refusal)).collect()
}

fn unreadable(key: &'static str, text: &str, what: &str) -> Unreadable {
    let text = text.escape_default();
    let remedy = "remove the annotation and the cluster controller writes it again";
    Unreadable::new(key, format!("\"{text}\" {what}; {remedy}"))
}

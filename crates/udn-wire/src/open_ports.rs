//! What a pod opens of its port on the default network: `k8s.ovn.org/open-default-ports`.
//!
//! Reads the annotation, a list in YAML; returns [`OpenPort`]s in its order.
//! Invariant: a text that cannot be read as a whole opens nothing.

use serde::Deserialize;
use udn_model::OpenPort;

use crate::keys::OPEN_PORTS;
use crate::refusal::Unreadable;

#[cfg(test)]
mod tests;

/// One element, as far as we look at it.
// compat: pkg/util/util.go, OpenPort
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object with protocol and port")]
struct Element {
    protocol: String,
    port: Option<i64>,
}

/// Reads the annotation.
pub fn decode(text: &str) -> Result<Vec<OpenPort>, Unreadable> {
    let unreadable = |message: String| Unreadable::new(OPEN_PORTS, message);
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let elements: Option<Vec<Element>> = serde_saphyr::from_str(text).map_err(|error| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default();
        unreadable(format!(
            "cannot be read as YAML: {first}; write a list such as - {{protocol: tcp, port: 80}}"
        ))
    })?;
    let ports = elements.into_iter().flatten().map(|it| it.open_port().map_err(unreadable));
    ports.collect()
}

impl Element {
    fn open_port(&self) -> Result<OpenPort, String> {
        let Self { protocol, port } = self;
        let number = || match port {
            None => Err(format!("{protocol} without a port; write the port's number")),
            Some(port) => u16::try_from(*port).map_err(|_| {
                format!("invalid port {port}; a port's number is between 0 and {}", u16::MAX)
            }),
        };
        match (protocol.as_str(), port) {
            ("tcp", _) => number().map(OpenPort::Tcp),
            ("udp", _) => number().map(OpenPort::Udp),
            ("sctp", _) => number().map(OpenPort::Sctp),
            ("icmp", None) => Ok(OpenPort::Icmp),
            ("icmp", Some(port)) => Err(format!("icmp with port {port}; remove the port")),
            (other, _) => {
                let other = other.escape_default();
                Err(format!("invalid protocol {other}; write tcp, udp, sctp or icmp"))
            }
        }
    }
}

//! Which subnets a node has on each layer-3 network: the annotation `k8s.ovn.org/node-subnets`.
//!
//! Reads and writes the annotation; an entry is one subnet of each family.
//! Invariant: entries that are not asked about keep their text, byte by byte.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use udn_model::{PerFamily, Subnet};

use crate::go_json;
use crate::keys::NODE_SUBNETS;
use crate::refusal::Unreadable;

#[cfg(test)]
mod tests;

/// All entries, by the name of the network.
#[derive(Debug, Clone, Default)]
pub struct NodeSubnets(BTreeMap<String, Box<RawValue>>);

impl NodeSubnets {
    /// Reads an annotation, also one of old in which each network has a single text.
    // compat: pkg/util/subnet_annotations.go, parseSubnetAnnotation
    pub fn decode(text: &str) -> Result<Self, Unreadable> {
        let refuse = |error: serde_json::Error| refuse(format!("cannot be read as JSON: {error}"));
        let entries: BTreeMap<String, Box<RawValue>> =
            serde_json::from_str(text).map_err(refuse)?;
        let is_single = |it: &RawValue| it.get().starts_with('"');
        if entries.is_empty() || !entries.values().all(|it| is_single(it)) {
            return Ok(Self(entries));
        }
        let listed = |(network, text): (String, Box<RawValue>)| {
            let list = format!("[{}]", text.get());
            (network, RawValue::from_string(list).expect("a list of one text is JSON"))
        };
        Ok(Self(entries.into_iter().map(listed).collect()))
    }

    /// The text of the annotation; none where nothing stands in it.
    pub fn encode(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| go_json::to_text(&self.0))
    }

    /// The networks that have an entry.
    pub fn networks(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The subnets of a network; of two of one family the first, as the wire has it.
    pub fn entry(&self, network: &str) -> Result<Option<PerFamily<Subnet>>, Unreadable> {
        let Some(raw) = self.0.get(network) else { return Ok(None) };
        let complain = |problem: String| refuse(format!("{network}: {problem}"));
        let texts: Vec<String> =
            serde_json::from_str(raw.get()).map_err(|error| complain(error.to_string()))?;
        let mut subnets = PerFamily::default();
        for text in texts.iter().rev() {
            let subnet = Subnet::parse(text).map_err(|problem| complain(problem.to_string()))?;
            subnets.put(subnet.family(), subnet);
        }
        Ok(Some(subnets))
    }

    /// Puts the subnets of a network, IPv4 first; one without any has no entry.
    pub fn put(&mut self, network: &str, subnets: &PerFamily<Subnet>) {
        if subnets.is_empty() {
            return self.remove(network);
        }
        let texts: Vec<String> = subnets.iter().map(Subnet::to_string).collect();
        let raw = RawValue::from_string(go_json::to_text(&texts)).expect("what we encode is JSON");
        self.0.insert(network.to_owned(), raw);
    }

    /// Takes a network's entry away.
    pub fn remove(&mut self, network: &str) {
        self.0.remove(network);
    }
}

fn refuse(message: String) -> Unreadable {
    let remedy = "remove the annotation and the cluster controller writes it again";
    Unreadable::new(NODE_SUBNETS, format!("{message}; {remedy}"))
}

//! All that is read from the spec of a UDN or CUDN, once for each version of the object.
//!
//! Reads a [`SpecText`]; returns what it says, as far as it says it, and how it was judged.
//! Invariant: nothing here depends on settings, so that it stays true as long as the object does.

use std::sync::Arc;

use serde_json::Value;
use udn_model::Manifest;
use udn_wire::api::LabelSelector;
use udn_wire::refusal::Refusal;
use udn_wire::spec_text::SpecText;

use super::rules::Rules;
use super::{JudgedSpec, Selector, faults, judge_cudn, judge_udn};

const ROLES: [&str; 2] = ["Primary", "Secondary"];
const TOPOLOGIES: [&str; 3] = ["Layer2", "Layer3", "Localnet"];

/// What a spec says.
#[derive(Debug)]
pub(crate) struct ReadSpec {
    /// Whether it could be a primary network, whatever else is wrong with it.
    pub(crate) is_primary: bool,
    /// The physical network and the VLAN of a localnet; zero for untagged frames.
    pub(crate) segment: Option<(String, i64)>,
    /// Which namespaces a CUDN is for, whatever its network is like; `None` if it does not tell.
    pub(crate) selector: Option<Selector>,
    /// Its role and topology, if both are words that are known.
    pub(crate) sort: Option<(&'static str, &'static str)>,
    judged: Result<JudgedSpec, Vec<Refusal>>,
}

impl ReadSpec {
    pub(crate) fn of(manifest: &Manifest, spec: &SpecText) -> Arc<Self> {
        match manifest {
            Manifest::Udn(_) => Self::of_udn(spec),
            Manifest::Cudn(_) => Self::of_cudn(spec),
        }
    }

    pub(crate) fn of_udn(spec: &SpecText) -> Arc<Self> {
        spec.read_once(|value| Self::new(value, None, judge_udn(value)))
    }

    pub(crate) fn of_cudn(spec: &SpecText) -> Arc<Self> {
        spec.read_once(|value| {
            let network = value.get("network").unwrap_or(&Value::Null);
            Self::new(network, selector(value), judge_cudn(value))
        })
    }

    fn new(
        network: &Value,
        selector: Option<Selector>,
        judged: Result<JudgedSpec, Vec<Refusal>>,
    ) -> Self {
        let segment = network.get("localnet").and_then(segment);
        Self { is_primary: is_primary(network), segment, selector, sort: sort(network), judged }
    }

    /// The spec if it is in order, else every reason why it is not.
    pub(super) fn judged(&self) -> Result<&JudgedSpec, Vec<Refusal>> {
        self.judged.as_ref().map_err(Clone::clone)
    }
}

fn is_primary(network: &Value) -> bool {
    let roles = ["/layer2/role", "/layer3/role"].map(|path| network.pointer(path));
    roles.into_iter().flatten().any(|role| role == "Primary")
}

fn segment(localnet: &Value) -> Option<(String, i64)> {
    let physical_network = localnet.get("physicalNetworkName")?.as_str()?.to_owned();
    let vlan = localnet.pointer("/vlan/access/id").and_then(Value::as_i64).unwrap_or(0);
    Some((physical_network, vlan))
}

fn selector(spec: &Value) -> Option<Selector> {
    let selector: LabelSelector =
        faults::read("spec.namespaceSelector", spec.get("namespaceSelector")?).ok()?;
    let mut rules = Rules::at("spec");
    let selector = Selector::judge(Some(&selector), &mut rules);
    rules.finish().is_ok().then_some(selector)
}

fn sort(network: &Value) -> Option<(&'static str, &'static str)> {
    let topology = known(&TOPOLOGIES, network.get("topology"))?;
    let part = network.get(topology.to_lowercase());
    let role = known(&ROLES, part.and_then(|it| it.get("role")))?;
    Some((role, topology))
}

fn known(words: &[&'static str], word: Option<&Value>) -> Option<&'static str> {
    let word = word?.as_str()?;
    words.iter().copied().find(|it| *it == word)
}

//! What a UDN or a CUDN asks for, judged word by word.
//!
//! Reads a manifest's `spec`; returns the configuration that its NADs will carry, or every reason
//! why not.
//! Invariant: what the CRD's own rules refuse is refused here too, as no server may have seen it.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use udn_model::{ClusterSettings, ObjectName, Origin, Reason};

use crate::keys::{cudn_network, udn_network};
use crate::nad_config::{NetConf, ReadNetwork};
use crate::refusal::Refusal;

mod layer2;
mod localnet;
mod rules;
mod selector;
#[cfg(test)]
mod tests;

use layer2::Layer2;
use localnet::LocalnetSpec;
use rules::Rules;
pub(crate) use selector::Selector;

/// A network that a manifest asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// For its NADs; their own names and the transit subnets are still to come.
    pub(crate) config: NetConf,
    pub(crate) read: ReadNetwork,
}

/// A network for many namespaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedWidely {
    pub(crate) asked: Asked,
    pub(crate) selector: Selector,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UdnSpec {
    topology: Option<String>,
    layer2: Option<Value>,
    layer3: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CudnSpec {
    namespace_selector: Option<Value>,
    network: Option<NetworkSpec>,
    uplinks: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NetworkSpec {
    topology: Option<String>,
    layer2: Option<Value>,
    layer3: Option<Value>,
    localnet: Option<Value>,
    transport: Option<String>,
    no_overlay: Option<Value>,
    evpn: Option<Value>,
}

/// Reads a UDN.
pub(crate) fn read_udn(
    name: &ObjectName,
    spec: &Value,
    settings: &ClusterSettings,
) -> Result<Asked, Vec<Refusal>> {
    let spec: UdnSpec = read("spec", spec)?;
    let UdnSpec { topology, layer2, layer3 } = spec;
    let union = Union { at: "spec", topology, layer2, layer3, localnet: None };
    let mut config = union.read(&["Layer2", "Layer3"], settings)?;
    config.name = udn_network(&name.namespace, &name.name);
    finish(config, Origin::UserDefinedNetwork(name.clone()), settings)
}

/// Reads a CUDN.
pub(crate) fn read_cudn(
    name: &str,
    spec: &Value,
    settings: &ClusterSettings,
) -> Result<AskedWidely, Vec<Refusal>> {
    let spec: CudnSpec = read("spec", spec)?;
    let mut rules = Rules::at("spec");
    rules.refuse(spec.network.is_none(), "network is missing; say which network it is");
    let missing = "namespaceSelector is missing; {} selects all namespaces";
    rules.refuse(spec.namespace_selector.is_none(), missing);
    rules.refuse_unbuilt(spec.uplinks.is_some(), "uplinks are not built yet; remove them");
    rules.finish()?;
    let network = spec.network.expect("a rule above asks for it");
    let selector = Selector::read(&spec.namespace_selector.unwrap_or_default())?;
    let mut config = network.read(settings)?;
    config.name = cudn_network(name);
    let origin = Origin::ClusterUserDefinedNetwork(name.to_owned());
    Ok(AskedWidely { asked: finish(config, origin, settings)?, selector })
}

impl NetworkSpec {
    fn read(self, settings: &ClusterSettings) -> Result<NetConf, Vec<Refusal>> {
        let at = "spec.network";
        let Self { topology, layer2, layer3, localnet, transport, no_overlay, evpn } = self;
        let union = Union { at, topology, layer2, layer3, localnet };
        let mut rules = Rules::at(at);
        match transport.as_deref() {
            None => {
                rules.refuse(evpn.is_some(), "evpn goes with transport EVPN only; remove it");
                let message = "noOverlay goes with transport NoOverlay only; remove it";
                rules.refuse(no_overlay.is_some(), message);
            }
            Some(known @ ("EVPN" | "NoOverlay")) => {
                let message = format!("transport {known} is not built yet; remove it");
                rules.refuse_unbuilt(true, message);
            }
            Some(other) => {
                let message = format!("transport is \"{other}\"; write EVPN or NoOverlay");
                rules.refuse(true, message);
            }
        }
        let config = union.read(&["Layer2", "Layer3", "Localnet"], settings);
        match (rules.finish(), config) {
            (Ok(()), config) => config,
            (Err(refusals), Ok(_)) => Err(refusals),
            (Err(refusals), Err(more)) => Err([refusals, more].concat()),
        }
    }
}

/// A topology and what belongs to it.
struct Union {
    at: &'static str,
    topology: Option<String>,
    layer2: Option<Value>,
    layer3: Option<Value>,
    localnet: Option<Value>,
}

impl Union {
    fn read(self, known: &[&str], settings: &ClusterSettings) -> Result<NetConf, Vec<Refusal>> {
        let Self { at, topology, layer2, layer3, localnet } = self;
        let topology = topology.unwrap_or_default();
        let mut rules = Rules::at(at);
        if !known.contains(&topology.as_str()) {
            rules.refuse(true, format!("topology is \"{topology}\"; write {}", known.join(" or ")));
            return Err(rules.into_refusals());
        }
        let parts = [("Layer2", &layer2), ("Layer3", &layer3), ("Localnet", &localnet)];
        for (name, part) in parts {
            let field = name.to_lowercase();
            let is_asked = topology == name;
            let missing = format!("topology {name} needs {field}; say what the network is like");
            rules.refuse(is_asked && part.is_none(), missing);
            let extra = format!("{field} does not go with topology {topology}; remove it");
            rules.refuse(!is_asked && part.is_some(), extra);
        }
        rules.finish()?;
        match topology.as_str() {
            "Layer2" => {
                let at = format!("{at}.layer2");
                read::<Layer2>(&at, &layer2.unwrap_or_default())?.to_config(&at, settings)
            }
            "Localnet" => {
                let at = format!("{at}.localnet");
                read::<LocalnetSpec>(&at, &localnet.unwrap_or_default())?.to_config(&at)
            }
            _layer3 => {
                let message = format!("{at}: topology Layer3 is not built yet; use Layer2");
                Err(vec![Refusal::not_supported(message)])
            }
        }
    }
}

/// Judges the configuration as a NAD's reader would.
fn finish(
    config: NetConf,
    origin: Origin,
    settings: &ClusterSettings,
) -> Result<Asked, Vec<Refusal>> {
    let read = config.read(origin, settings).map_err(|refusal| vec![refusal.in_spec()])?;
    Ok(Asked { config, read })
}

/// Reads one object of the manifest; a field that is not known is refused.
fn read<T: DeserializeOwned>(at: &str, value: &Value) -> Result<T, Vec<Refusal>> {
    let refuse = |message| vec![Refusal::new(Reason::InvalidSpec, message)];
    if value.is_null() {
        return Err(refuse(format!("{at} is missing; say what you ask for")));
    }
    T::deserialize(value)
        .map_err(|error| refuse(format!("{at}: {error}; correct or remove the field")))
}

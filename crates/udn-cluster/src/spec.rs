//! What a UDN or a CUDN asks for, judged word by word.
//!
//! Reads a manifest's `spec`; returns the configuration that its NADs will carry, or every reason
//! why not.
//! Invariant: what the CRD's own rules refuse is refused here too, as no server may have seen it.

use serde_json::Value;
use udn_model::{ClusterSettings, ObjectName, Origin};
use udn_wire::api::{
    ClusterUserDefinedNetworkSpec, LabelSelector, NetworkSpec, Topology, Transport,
    UserDefinedNetworkSpec,
};
use udn_wire::keys::{cudn_network, udn_network};
use udn_wire::nad_config::{NetConf, ReadNetwork};
use udn_wire::refusal::Refusal;

mod faults;
mod ipam;
mod layer2;
mod layer3;
mod lists;
mod localnet;
mod namespace_index;
mod rules;
mod selector;
mod strict;
#[cfg(test)]
mod tests;
mod transport;
mod union;

pub(crate) use namespace_index::NamespaceIndex;
use rules::Rules;
pub(crate) use selector::{Anchor, Selector};
use union::Union;

/// A network that a manifest asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// For its NADs; their own names and the transit subnets are still to come.
    pub(crate) config: NetConf,
    pub(crate) read: ReadNetwork,
    pub(crate) place: Place,
}

/// A network for many namespaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedWidely {
    pub(crate) asked: Asked,
    pub(crate) selector: Selector,
}

/// Where a manifest describes its network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The part of its topology, such as `spec.network.layer2`.
    pub(crate) part: String,
    /// Whether it lists join subnets itself.
    pub(crate) lists_join: bool,
}

/// A manifest that is in order, whether its network can be built yet or not.
#[derive(Debug, Clone, PartialEq, Eq)]
struct JudgedSpec {
    config: NetConf,
    place: Place,
    /// What is asked for and not built yet.
    unbuilt: Vec<Refusal>,
}

/// Reads a UDN.
pub(crate) fn read_udn(
    name: &ObjectName,
    spec: &Value,
    settings: &ClusterSettings,
) -> Result<Asked, Vec<Refusal>> {
    let origin = Origin::UserDefinedNetwork(name.clone());
    judge_udn(name, spec, settings)?.build(origin, settings)
}

/// Reads a CUDN.
pub(crate) fn read_cudn(
    name: &str,
    spec: &Value,
    settings: &ClusterSettings,
) -> Result<AskedWidely, Vec<Refusal>> {
    let (judged, selector) = judge_cudn(name, spec, settings)?;
    let origin = Origin::ClusterUserDefinedNetwork(name.to_owned());
    Ok(AskedWidely { asked: judged.build(origin, settings)?, selector })
}

/// The configuration of a UDN's NAD, also of a network that is not built yet.
pub(crate) fn config_of_udn(
    name: &ObjectName,
    spec: &Value,
    settings: &ClusterSettings,
) -> Result<NetConf, Vec<Refusal>> {
    judge_udn(name, spec, settings).map(|judged| judged.config)
}

/// The same of a CUDN's NADs.
pub(crate) fn config_of_cudn(
    name: &str,
    spec: &Value,
    settings: &ClusterSettings,
) -> Result<NetConf, Vec<Refusal>> {
    judge_cudn(name, spec, settings).map(|(judged, _)| judged.config)
}

/// Which namespaces a CUDN is for, whatever its network is like; `None` if it does not tell.
pub(crate) fn selector_of_cudn(spec: &Value) -> Option<Selector> {
    let selector: LabelSelector =
        faults::read("spec.namespaceSelector", spec.get("namespaceSelector")?).ok()?;
    let mut rules = Rules::at("spec");
    let selector = Selector::judge(Some(&selector), &mut rules);
    rules.finish().is_ok().then_some(selector)
}

fn judge_udn(
    name: &ObjectName,
    spec: &Value,
    settings: &ClusterSettings,
) -> Result<JudgedSpec, Vec<Refusal>> {
    let spec: UserDefinedNetworkSpec = faults::read("spec", spec)?;
    let union = Union::of_udn(&spec);
    let mut rules = Rules::at("spec");
    union.judge(&mut rules);
    rules.finish()?;
    let mut config = union.config(settings);
    config.name = udn_network(&name.namespace, &name.name);
    let mut unbuilt = Rules::at("spec");
    tell_unbuilt_topology(&mut unbuilt, spec.topology.as_ref());
    Ok(JudgedSpec::new(config, &union, unbuilt))
}

fn judge_cudn(
    name: &str,
    spec: &Value,
    settings: &ClusterSettings,
) -> Result<(JudgedSpec, Selector), Vec<Refusal>> {
    let spec: ClusterUserDefinedNetworkSpec = faults::read("spec", spec)?;
    let mut rules = Rules::at("spec");
    let missing = "network is missing; say which network it is";
    rules.refuse(spec.network.is_none(), "network", missing);
    let missing = "namespaceSelector is missing; {} selects all namespaces";
    rules.refuse(spec.namespace_selector.is_none(), "namespaceSelector", missing);
    if let Some(uplinks) = &spec.uplinks {
        transport::judge_uplinks(uplinks, spec.network.as_ref(), &mut rules);
    }
    let selector = Selector::judge(spec.namespace_selector.as_ref(), &mut rules);
    let Some(network) = &spec.network else {
        return Err(rules.finish().err().unwrap_or_default());
    };
    let union = Union::of_cudn(network);
    let mut inner = Rules::at("spec.network");
    transport::judge(network, &mut inner);
    union.judge(&mut inner);
    rules.take(inner);
    rules.finish()?;
    let mut config = union.config(settings);
    config.name = cudn_network(name);
    transport::add_to(&mut config, network);
    config.uplink = spec.uplinks.iter().flatten().next().cloned().unwrap_or_default();
    Ok((JudgedSpec::new(config, &union, unbuilt_in(&spec, network, settings)), selector))
}

/// What a CUDN asks for that is not built yet.
fn unbuilt_in(
    spec: &ClusterUserDefinedNetworkSpec,
    network: &NetworkSpec,
    settings: &ClusterSettings,
) -> Rules {
    let mut unbuilt = Rules::at("spec.network");
    tell_unbuilt_topology(&mut unbuilt, network.topology.as_ref());
    if let Some(transport) = &network.transport {
        let is_off = *transport == Transport::Evpn && !settings.features.evpn;
        let message = "transport EVPN is switched off in this cluster; remove it";
        unbuilt.refuse_switched_off(is_off, "transport", message);
        let message = format!("transport {transport} is not built yet; remove it");
        unbuilt.refuse_unbuilt(!is_off, "transport", message);
    }
    let mut outer = Rules::at("spec");
    let message = "uplinks are not built yet; remove them";
    outer.refuse_unbuilt(spec.uplinks.is_some(), "uplinks", message);
    unbuilt.take(outer);
    unbuilt
}

fn tell_unbuilt_topology(rules: &mut Rules, topology: Option<&Topology>) {
    let is_asked = topology == Some(&Topology::Layer3);
    rules.refuse_unbuilt(is_asked, "topology", "topology Layer3 is not built yet; use Layer2");
}

impl JudgedSpec {
    fn new(config: NetConf, union: &Union<'_>, unbuilt: Rules) -> Self {
        let place = Place { part: union.place(), lists_join: union.lists_join() };
        Self { config, place, unbuilt: unbuilt.finish().err().unwrap_or_default() }
    }

    /// Judges the configuration as a NAD's reader would.
    fn build(self, origin: Origin, settings: &ClusterSettings) -> Result<Asked, Vec<Refusal>> {
        let Self { config, place, unbuilt } = self;
        if !unbuilt.is_empty() {
            return Err(unbuilt);
        }
        let refuse = |refusal: Refusal| vec![refusal.in_spec().at(place.part.clone())];
        let read = config.read(origin, settings).map_err(refuse)?;
        Ok(Asked { config, read, place })
    }
}

//! What a UDN or a CUDN asks for, judged word by word.
//!
//! Reads a manifest's `spec`; returns the configuration that its NADs will carry, or every reason
//! why not.
//! Invariant: what the CRD's own rules refuse is refused here too, as no server may have seen it.

use serde_json::Value;
use udn_model::{ClusterSettings, Manifest, ObjectName, Origin};
use udn_wire::addresses::list;
use udn_wire::api::{ClusterUserDefinedNetworkSpec, Topology, Transport, UserDefinedNetworkSpec};
use udn_wire::keys::{cudn_network, udn_network};
use udn_wire::nad_config::{NetConf, ReadNetwork};
use udn_wire::refusal::Refusal;
use udn_wire::spec_text::SpecText;

mod faults;
mod ipam;
mod layer2;
mod layer3;
mod lists;
mod localnet;
mod namespace_index;
mod read_spec;
mod rules;
mod selector;
mod strict;
#[cfg(test)]
mod tests;
mod transport;
mod union;

pub(crate) use namespace_index::NamespaceIndex;
pub(crate) use read_spec::ReadSpec;
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
pub(crate) struct JudgedSpec {
    /// Without the network's name, and without join subnets where the cluster's own are meant.
    config: Box<NetConf>,
    has_default_join: bool,
    place: Place,
    topology: Option<Topology>,
    transport: Option<Transport>,
    has_uplinks: bool,
}

/// Reads a UDN.
pub(crate) fn read_udn(
    name: &ObjectName,
    spec: &SpecText,
    settings: &ClusterSettings,
) -> Result<Asked, Vec<Refusal>> {
    let read = ReadSpec::of_udn(spec);
    let network = udn_network(&name.namespace, &name.name);
    let origin = Origin::Manifest(Manifest::Udn(name.clone()));
    read.judged()?.build(network, origin, settings)
}

/// Reads a CUDN.
pub(crate) fn read_cudn(
    name: &str,
    spec: &SpecText,
    settings: &ClusterSettings,
) -> Result<Asked, Vec<Refusal>> {
    let read = ReadSpec::of_cudn(spec);
    let origin = Origin::Manifest(Manifest::Cudn(name.to_owned()));
    read.judged()?.build(cudn_network(name), origin, settings)
}

/// The configuration of a UDN's NAD, also of a network that is not built yet.
pub(crate) fn config_of_udn(
    name: &ObjectName,
    spec: &SpecText,
    settings: &ClusterSettings,
) -> Result<NetConf, Vec<Refusal>> {
    let read = ReadSpec::of_udn(spec);
    Ok(read.judged()?.config(udn_network(&name.namespace, &name.name), settings))
}

/// The same of a CUDN's NADs.
pub(crate) fn config_of_cudn(
    name: &str,
    spec: &SpecText,
    settings: &ClusterSettings,
) -> Result<NetConf, Vec<Refusal>> {
    let read = ReadSpec::of_cudn(spec);
    Ok(read.judged()?.config(cudn_network(name), settings))
}

fn judge_udn(spec: &Value) -> Result<JudgedSpec, Vec<Refusal>> {
    let spec: UserDefinedNetworkSpec = faults::read("spec", spec)?;
    let union = Union::of_udn(&spec);
    let mut rules = Rules::at("spec");
    union.judge(&mut rules);
    rules.finish()?;
    Ok(JudgedSpec::new(union.config(), &union))
}

fn judge_cudn(spec: &Value) -> Result<JudgedSpec, Vec<Refusal>> {
    let spec: ClusterUserDefinedNetworkSpec = faults::read("spec", spec)?;
    let mut rules = Rules::at("spec");
    let missing = "network is missing; say which network it is";
    rules.refuse(spec.network.is_none(), "network", missing);
    let missing = "namespaceSelector is missing; {} selects all namespaces";
    rules.refuse(spec.namespace_selector.is_none(), "namespaceSelector", missing);
    if let Some(uplinks) = &spec.uplinks {
        transport::judge_uplinks(uplinks, spec.network.as_ref(), &mut rules);
    }
    Selector::judge(spec.namespace_selector.as_ref(), &mut rules);
    let Some(network) = &spec.network else {
        return Err(rules.finish().err().unwrap_or_default());
    };
    let union = Union::of_cudn(network);
    let mut inner = Rules::at("spec.network");
    transport::judge(network, &mut inner);
    union.judge(&mut inner);
    rules.take(inner);
    rules.finish()?;
    let mut config = union.config();
    transport::add_to(&mut config, network);
    config.uplink = spec.uplinks.iter().flatten().next().cloned().unwrap_or_default();
    let (transport, has_uplinks) = (network.transport.clone(), spec.uplinks.is_some());
    Ok(JudgedSpec { transport, has_uplinks, ..JudgedSpec::new(config, &union) })
}

impl JudgedSpec {
    fn new(config: NetConf, union: &Union<'_>) -> Self {
        Self {
            config: Box::new(config),
            has_default_join: union.has_default_join(),
            place: Place { part: union.place(), lists_join: union.lists_join() },
            topology: union.topology().cloned(),
            transport: None,
            has_uplinks: false,
        }
    }

    /// The configuration of its NADs; their own names and the transit subnets are still to come.
    fn config(&self, name: String, settings: &ClusterSettings) -> NetConf {
        let mut config = NetConf { name, ..(*self.config).clone() };
        if self.has_default_join {
            config.join_subnet = list(settings.join.iter());
        }
        config
    }

    /// What is asked for and not built yet.
    fn unbuilt(&self, settings: &ClusterSettings) -> Result<(), Vec<Refusal>> {
        let at = self.place.part.rsplit_once('.').map_or("spec", |(outer, _)| outer);
        let mut unbuilt = Rules::at(at);
        if let Some(transport) = &self.transport {
            let is_off = *transport == Transport::Evpn && !settings.features.evpn;
            let message = "transport EVPN is switched off in this cluster; remove it";
            unbuilt.refuse_switched_off(is_off, "transport", message);
            let message = format!("transport {transport} is not built yet; remove it");
            unbuilt.refuse_unbuilt(!is_off, "transport", message);
        }
        let mut outer = Rules::at("spec");
        let message = "uplinks are not built yet; remove them";
        outer.refuse_unbuilt(self.has_uplinks, "uplinks", message);
        unbuilt.take(outer);
        unbuilt.finish()
    }

    /// Judges the configuration as a NAD's reader would.
    fn build(
        &self,
        name: String,
        origin: Origin,
        settings: &ClusterSettings,
    ) -> Result<Asked, Vec<Refusal>> {
        self.unbuilt(settings)?;
        let (config, place) = (self.config(name, settings), self.place.clone());
        let refuse = |refusal: Refusal| vec![refusal.in_spec().at(place.part.clone())];
        let read = config.read(origin, settings).map_err(refuse)?;
        Ok(Asked { config, read, place })
    }
}

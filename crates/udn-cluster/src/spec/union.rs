//! A topology, and the part of the manifest that belongs to it.
//!
//! Reads the spec of a UDN or a CUDN's network; returns the configuration of its NADs.
//! Invariant: exactly the part that the topology names is there.

use udn_wire::api::{
    Layer2, Layer3, Localnet, NetworkSpec, Role, Topology, UserDefinedNetworkSpec,
};
use udn_wire::nad_config::NetConf;

use super::rules::Rules;
use super::{layer2, layer3, localnet};

/// What UDNs and CUDNs have in common.
pub(super) struct Union<'a> {
    /// Where it stands.
    at: &'static str,
    known: &'static [&'static str],
    topology: Option<&'a Topology>,
    layer2: Option<&'a Layer2>,
    layer3: Option<&'a Layer3>,
    localnet: Option<&'a Localnet>,
}

impl<'a> Union<'a> {
    pub(super) fn of_udn(spec: &'a UserDefinedNetworkSpec) -> Self {
        let UserDefinedNetworkSpec { topology, layer2, layer3 } = spec;
        Self {
            at: "spec",
            known: &["Layer2", "Layer3"],
            topology: topology.as_ref(),
            layer2: layer2.as_ref(),
            layer3: layer3.as_ref(),
            localnet: None,
        }
    }

    pub(super) fn of_cudn(network: &'a NetworkSpec) -> Self {
        Self {
            at: "spec.network",
            known: Topology::KNOWN,
            topology: network.topology.as_ref(),
            layer2: network.layer2.as_ref(),
            layer3: network.layer3.as_ref(),
            localnet: network.localnet.as_ref(),
        }
    }

    /// Where the topology's own part stands, such as `spec.network.layer2`.
    pub(super) fn place(&self) -> String {
        let part = self.topology.map_or(String::new(), |it| it.as_str().to_lowercase());
        format!("{}.{part}", self.at)
    }

    pub(super) fn lists_join(&self) -> bool {
        self.layer2.is_some_and(|it| it.join_subnets.is_some())
            || self.layer3.is_some_and(|it| it.join_subnets.is_some())
    }

    pub(super) fn topology(&self) -> Option<&Topology> {
        self.topology
    }

    /// Whether it takes the cluster's join subnets: a primary network that lists none.
    pub(super) fn has_default_join(&self) -> bool {
        let role = match (self.topology, self.layer2, self.layer3) {
            (Some(Topology::Layer2), Some(part), _) => part.role.as_ref(),
            (Some(Topology::Layer3), _, Some(part)) => part.role.as_ref(),
            _other => None,
        };
        role == Some(&Role::Primary) && !self.lists_join()
    }

    /// Judges everything that one object can tell.
    pub(super) fn judge(&self, rules: &mut Rules) {
        let topology = self.topology.map(Topology::as_str);
        rules.need_choice("topology", topology, self.known);
        let Some(topology) = topology.filter(|it| self.known.contains(it)) else { return };
        for (name, is_given) in [
            ("Layer2", self.layer2.is_some()),
            ("Layer3", self.layer3.is_some()),
            ("Localnet", self.localnet.is_some()),
        ] {
            let (field, is_asked) = (name.to_lowercase(), topology == name);
            let missing = format!("topology {name} needs {field}; say what the network is like");
            rules.refuse(is_asked && !is_given, &field, missing);
            let extra = format!("{field} does not go with topology {topology}; remove it");
            rules.refuse(!is_asked && is_given, &field, extra);
        }
        let mut inner = Rules::at(self.place());
        match (self.topology, self.layer2, self.layer3, self.localnet) {
            (Some(Topology::Layer2), Some(part), _, _) => layer2::judge(part, &mut inner),
            (Some(Topology::Layer3), _, Some(part), _) => layer3::judge(part, &mut inner),
            (Some(Topology::Localnet), _, _, Some(part)) => localnet::judge(part, &mut inner),
            _missing => {}
        }
        rules.take(inner);
    }

    /// The configuration of a network that is in order.
    pub(super) fn config(&self) -> NetConf {
        match (self.topology, self.layer2, self.layer3, self.localnet) {
            (Some(Topology::Layer2), Some(part), _, _) => layer2::config(part),
            (Some(Topology::Layer3), _, Some(part), _) => layer3::config(part),
            (Some(Topology::Localnet), _, _, Some(part)) => localnet::config(part),
            _missing => NetConf::default(),
        }
    }
}

//! From a NAD's words to a network.
//!
//! Reads a [`NetConf`]; returns a [`Network`] and the transit subnets that stand in it, or why not.
//! Invariant: judged by itself only; whether it fits the cluster is asked elsewhere.

use std::net::IpAddr;

use udn_model::{
    ClusterSettings, Family, Layer3, Localnet, Mtu, Network, NetworkName, ObjectName, Origin,
    PerFamily, Primary, Reason, Role, Subnet, Subnets, Topology, Vlan,
};

use super::NetConf;
use crate::addresses::{one_per_family, parse_addresses, parse_subnets};
use crate::refusal::Refusal;

/// A network as a NAD tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadNetwork {
    pub network: Network,
    /// What was granted before and stands in the NAD.
    pub transit: PerFamily<Subnet>,
}

/// Names that mean the default network.
const TAKEN_NAMES: [&str; 2] = ["default", "ovn-kubernetes"];

impl NetConf {
    /// The network that the NAD of this name stands for.
    // compat: pkg/util/multi_network.go, ValidateNetConf and NewNetInfo
    pub fn read_nad(
        &self,
        nad: &ObjectName,
        settings: &ClusterSettings,
    ) -> Result<ReadNetwork, Refusal> {
        let read = self.read(Origin::Nads, settings);
        if let Err(refusal) = &read
            && refusal.reason != Reason::NotSupported
        {
            return read;
        }
        if self.net_attach_def_name != nad.to_string() {
            return Err(Refusal::invalid(format!(
                "netAttachDefName is \"{}\"; write \"{nad}\", the NAD's own name",
                self.net_attach_def_name
            )));
        }
        let mut read = read?;
        read.network.nads.push(nad.clone());
        Ok(read)
    }

    /// The network, without the NADs that lead to it.
    pub fn read(&self, origin: Origin, settings: &ClusterSettings) -> Result<ReadNetwork, Refusal> {
        self.refuse_foreign_keys(settings)?;
        self.refuse_roles()?;
        let (subnets, ranges) = self.read_ranges()?;
        let network = Network {
            name: NetworkName::new(&self.name),
            origin,
            topology: self.read_topology(&subnets, &ranges, settings)?,
            excluded: ranges.never_given(self.is_primary()),
            subnets,
            mtu: self.read_mtu()?,
            has_persistent_addresses: self.allow_persistent_ips,
            nads: Vec::new(),
        };
        let transit = read_subnets("transitSubnet", &self.transit_subnet)?;
        let transit = one_per_family("transitSubnet", &transit, Subnet::family);
        Ok(ReadNetwork { network, transit: transit.map_err(Refusal::invalid)? })
    }

    /// The subnets that all nodes have in common, and the ranges of them that are set apart.
    fn read_ranges(&self) -> Result<(Subnets, Ranges), Refusal> {
        if self.is_layer3() {
            return Ok((Subnets::default(), Ranges::default()));
        }
        let subnets = Subnets::new(read_subnets("subnets", &self.subnets)?)
            .map_err(|same| Refusal::invalid(format!("subnets: {same}; remove one")))?;
        let ranges = Ranges::of(self, &subnets)?;
        Ok((subnets, ranges))
    }

    fn is_primary(&self) -> bool {
        self.role == "primary"
    }

    /// Refuses what the keys say before any of them is looked at closely.
    fn refuse_foreign_keys(&self, settings: &ClusterSettings) -> Result<(), Refusal> {
        if self.name.is_empty() || TAKEN_NAMES.contains(&self.name.as_str()) {
            let message = format!("name is \"{}\"; choose another network name", self.name);
            return Err(Refusal::invalid(message));
        }
        self.refuse_transports(settings)?;
        if !self.uplink.is_empty() {
            return Err(Refusal::not_supported("uplink is not built yet; remove the key"));
        }
        Ok(())
    }

    fn refuse_roles(&self) -> Result<(), Refusal> {
        if matches!(self.role.as_str(), "" | "primary" | "secondary") {
            return Ok(());
        }
        let message = format!("role is \"{}\"; write primary or secondary", self.role);
        Err(Refusal::invalid(message))
    }

    fn refuse_transports(&self, settings: &ClusterSettings) -> Result<(), Refusal> {
        match self.transport.as_str() {
            "" if self.outbound_snat.is_empty() => Ok(()),
            "" => {
                let message = "outboundSNAT goes with transport no-overlay only; remove the key";
                Err(Refusal::invalid(message))
            }
            "evpn" if !settings.features.evpn => {
                let message = "transport evpn is switched off in this cluster; remove the key";
                Err(Refusal::new(Reason::FeatureOff, message))
            }
            known @ ("evpn" | "no-overlay") => {
                let message = format!("transport {known} is not built yet; remove the key");
                Err(Refusal::not_supported(message))
            }
            other => {
                let message = format!("transport \"{other}\" is not known; remove the key");
                Err(Refusal::invalid(message))
            }
        }
    }

    fn read_topology(
        &self,
        subnets: &Subnets,
        ranges: &Ranges,
        settings: &ClusterSettings,
    ) -> Result<Topology, Refusal> {
        match self.topology.as_str() {
            "layer2" if self.is_primary() => {
                let primary = self.read_primary(subnets, ranges, settings)?;
                Ok(Topology::Layer2(Role::Primary(primary)))
            }
            "layer2" => Ok(Topology::Layer2(Role::Secondary)),
            "layer3" => self.read_layer3_topology(settings).map(Topology::Layer3),
            "localnet" => self.read_localnet().map(Topology::Localnet),
            other => {
                let message = format!("topology is \"{other}\"; write layer2, layer3 or localnet");
                Err(Refusal::invalid(message))
            }
        }
    }

    fn read_primary(
        &self,
        subnets: &Subnets,
        ranges: &Ranges,
        settings: &ClusterSettings,
    ) -> Result<Primary, Refusal> {
        if subnets.is_empty() {
            let message = "a primary layer2 network needs subnets; list one for each family";
            return Err(Refusal::invalid(message));
        }
        Ok(Primary {
            join: self.read_join(settings)?,
            chosen_gateways: self.read_gateways(subnets)?,
            reserved: ranges.reserved.clone(),
            infrastructure: ranges.infrastructure.clone(),
        })
    }

    fn read_layer3_topology(&self, settings: &ClusterSettings) -> Result<Layer3, Refusal> {
        let role = match self.is_primary() {
            true => {
                Role::Primary(Primary { join: self.read_join(settings)?, ..Primary::default() })
            }
            false => Role::Secondary,
        };
        self.read_layer3(role)
    }

    fn read_join(&self, settings: &ClusterSettings) -> Result<PerFamily<Subnet>, Refusal> {
        let join = read_subnets("joinSubnet", &self.join_subnet)?;
        let mut join =
            one_per_family("joinSubnet", &join, Subnet::family).map_err(Refusal::invalid)?;
        // compat: pkg/util/multi_network.go, a family that is not given gets the default
        for family in Family::BOTH {
            if let (None, Some(usual)) = (join.of(family), settings.join.of(family)) {
                join.put(family, *usual);
            }
        }
        Ok(join)
    }

    fn read_gateways(&self, subnets: &Subnets) -> Result<PerFamily<IpAddr>, Refusal> {
        let key = "defaultGatewayIPs";
        let gateways = parse_addresses(key, &self.default_gateway_ips).map_err(Refusal::invalid)?;
        if let Some(outside) = gateways.iter().find(|ip| subnets.around(**ip).is_none()) {
            let message = format!("{key}: {outside} is in none of the subnets; choose one inside");
            return Err(Refusal::invalid(message));
        }
        one_per_family(key, &gateways, Family::of).map_err(Refusal::invalid)
    }

    fn read_localnet(&self) -> Result<Localnet, Refusal> {
        if self.is_primary() {
            let message = "a localnet is never primary; write role secondary or leave it out";
            return Err(Refusal::invalid(message));
        }
        let forbidden = [
            ("joinSubnet", &self.join_subnet),
            ("reservedSubnets", &self.reserved_subnets),
            ("infrastructureSubnets", &self.infrastructure_subnets),
            ("defaultGatewayIPs", &self.default_gateway_ips),
        ];
        if let Some((key, _)) = forbidden.iter().find(|(_, text)| !text.is_empty()) {
            return Err(Refusal::invalid(format!("{key} is not for localnets; remove the key")));
        }
        // compat: pkg/ovn/localnet_user_defined_network_controller.go, a localnet that names no
        // physical network takes the one of its own name
        let physical = &self.physical_network_name;
        let physical_network = if physical.is_empty() { &self.name } else { physical }.clone();
        Ok(Localnet { physical_network, vlan: self.read_vlan()? })
    }

    fn read_vlan(&self) -> Result<Option<Vlan>, Refusal> {
        if self.vlan_id == 0 {
            return Ok(None);
        }
        let vlan = u16::try_from(self.vlan_id).ok().and_then(Vlan::new);
        let refusal = || Refusal::invalid(format!("vlanID is {}; write 1 to 4094", self.vlan_id));
        vlan.map(Some).ok_or_else(refusal)
    }

    fn read_mtu(&self) -> Result<Option<Mtu>, Refusal> {
        if self.mtu == 0 {
            return Ok(None);
        }
        let mtu = u32::try_from(self.mtu).ok().and_then(Mtu::new);
        let refusal = || Refusal::invalid(format!("mtu is {}; write 576 to 65536", self.mtu));
        mtu.map(Some).ok_or_else(refusal)
    }
}

fn read_subnets(key: &str, list: &str) -> Result<Vec<Subnet>, Refusal> {
    parse_subnets(key, list).map_err(Refusal::invalid)
}

/// The ranges of the subnets that are set apart.
#[derive(Default)]
struct Ranges {
    excluded: Vec<Subnet>,
    reserved: Vec<Subnet>,
    infrastructure: Vec<Subnet>,
}

impl Ranges {
    fn of(config: &NetConf, subnets: &Subnets) -> Result<Self, Refusal> {
        let read = |key: &str, list: &str| {
            let ranges = read_subnets(key, list)?;
            let is_inside = |range: &Subnet| subnets.iter().any(|it| it.contains_subnet(*range));
            match ranges.iter().find(|range| !is_inside(range)) {
                None => Ok(ranges),
                Some(outside) => Err(Refusal::invalid(format!(
                    "{key}: {outside} lies in none of the subnets; choose one inside or remove it"
                ))),
            }
        };
        Ok(Self {
            excluded: read("excludeSubnets", &config.exclude_subnets)?,
            reserved: read("reservedSubnets", &config.reserved_subnets)?,
            infrastructure: read("infrastructureSubnets", &config.infrastructure_subnets)?,
        })
    }

    /// What is never handed out. Without a gateway and without requests for addresses, a secondary
    /// network has no other use for its other ranges.
    fn never_given(&self, is_primary: bool) -> Vec<Subnet> {
        if is_primary {
            return self.excluded.clone();
        }
        [&self.excluded[..], &self.reserved, &self.infrastructure].concat()
    }
}

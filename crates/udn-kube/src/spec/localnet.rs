//! The `localnet` part of a manifest.
//!
//! Invariant: the NAD of a localnet always carries an MTU.

use serde::Deserialize;

use super::layer2::{Ipam, judge_ipam, judge_mtu};
use super::rules::Rules;
use crate::addresses::list;
use crate::nad_config::NetConf;
use crate::refusal::Refusal;

/// The physical network's usual size of packets; no tunnel takes a share of it.
// seeds/000: the default MTU of a localnet is 1500
const USUAL_MTU: i64 = 1500;

// compat: pkg/crd/userdefinednetwork/v1/shared.go, LocalnetConfig
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct LocalnetSpec {
    role: Option<String>,
    physical_network_name: Option<String>,
    subnets: Option<Vec<String>>,
    exclude_subnets: Option<Vec<String>>,
    ipam: Option<Ipam>,
    mtu: Option<i64>,
    vlan: Option<VlanSpec>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct VlanSpec {
    mode: Option<String>,
    access: Option<Access>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Access {
    id: i64,
}

impl LocalnetSpec {
    pub(super) fn to_config(&self, at: &str) -> Result<NetConf, Vec<Refusal>> {
        let mut rules = Rules::at(at);
        rules.refuse(self.role.is_none(), "role is missing; write Secondary");
        rules.choose("role", self.role.as_deref(), &["Secondary"]);
        self.judge_physical_network(&mut rules);
        self.judge_vlan(&mut rules);
        judge_mtu(&mut rules, self.mtu, self.subnets.as_deref());
        judge_ipam(&mut rules, self.ipam.as_ref(), self.subnets.as_deref());
        rules.cidrs("subnets", self.subnets.as_deref(), 2);
        rules.cidrs("excludeSubnets", self.exclude_subnets.as_deref(), 25);
        let message = "excludeSubnets needs subnets; list those or remove it";
        rules.refuse(self.exclude_subnets.is_some() && self.subnets.is_none(), message);
        rules.finish()?;
        Ok(self.config())
    }

    fn judge_physical_network(&self, rules: &mut Rules<'_>) {
        let name = self.physical_network_name.as_deref().unwrap_or("");
        let message = "physicalNetworkName is missing; write a key of the nodes' bridge mappings";
        rules.refuse(name.is_empty(), message);
        let message = "physicalNetworkName has at most 253 characters and no ',' or ':'";
        rules.refuse(name.chars().count() > 253 || name.contains([',', ':']), message);
    }

    fn judge_vlan(&self, rules: &mut Rules<'_>) {
        let Some(vlan) = &self.vlan else { return };
        rules.refuse(vlan.mode.is_none(), "vlan.mode is missing; write Access");
        rules.choose("vlan.mode", vlan.mode.as_deref(), &["Access"]);
        let is_access = vlan.mode.as_deref() == Some("Access");
        let message = "vlan.mode Access needs vlan.access.id";
        rules.refuse(is_access && vlan.access.is_none(), message);
        let message = "vlan.access goes with vlan.mode Access only; remove it";
        rules.refuse(!is_access && vlan.access.is_some(), message);
        let is_outside = |access: &Access| !(1..=4094).contains(&access.id);
        let message = "vlan.access.id is not within 1 to 4094";
        rules.refuse(vlan.access.as_ref().is_some_and(is_outside), message);
    }

    // compat: pkg/clustermanager/userdefinednetwork/template/net-attach-def-template.go
    fn config(&self) -> NetConf {
        let access = self.vlan.as_ref().and_then(|vlan| vlan.access.as_ref());
        NetConf {
            allow_persistent_ips: self.ipam.as_ref().is_some_and(Ipam::is_persistent),
            exclude_subnets: list(self.exclude_subnets.iter().flatten()),
            mtu: self.mtu.unwrap_or(USUAL_MTU),
            physical_network_name: self.physical_network_name.clone().unwrap_or_default(),
            role: "secondary".to_owned(),
            subnets: list(self.subnets.iter().flatten()),
            topology: "localnet".to_owned(),
            vlan_id: access.map_or(0, |access| access.id),
            ..NetConf::default()
        }
    }
}

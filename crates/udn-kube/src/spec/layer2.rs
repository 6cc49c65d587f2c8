//! The `layer2` part of a manifest.
//!
//! Invariant: texts go into the NAD as the user wrote them.

use serde::Deserialize;
use udn_model::{ClusterSettings, Family, Subnet};

use super::rules::Rules;
use crate::addresses::{list, parse_interface_address};
use crate::nad_config::NetConf;
use crate::refusal::Refusal;

// compat: pkg/crd/userdefinednetwork/v1/shared.go, Layer2Config
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Layer2 {
    role: Option<String>,
    mtu: Option<i64>,
    subnets: Option<Vec<String>>,
    reserved_subnets: Option<Vec<String>>,
    infrastructure_subnets: Option<Vec<String>>,
    #[serde(rename = "defaultGatewayIPs")]
    default_gateway_ips: Option<Vec<String>>,
    join_subnets: Option<Vec<String>>,
    ipam: Option<Ipam>,
}

/// How addresses are handed out.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Ipam {
    mode: Option<String>,
    lifecycle: Option<String>,
}

impl Layer2 {
    pub(super) fn to_config(
        &self,
        at: &str,
        settings: &ClusterSettings,
    ) -> Result<NetConf, Vec<Refusal>> {
        let mut rules = Rules::at(at);
        rules.refuse(self.role.is_none(), "role is missing; write Primary or Secondary");
        rules.choose("role", self.role.as_deref(), &["Primary", "Secondary"]);
        judge_mtu(&mut rules, self.mtu, self.subnets.as_deref());
        judge_ipam(&mut rules, self.ipam.as_ref(), self.subnets.as_deref());
        self.judge_lists(&mut rules);
        self.judge_primary(&mut rules);
        rules.finish()?;
        Ok(self.config(settings))
    }

    fn is_primary(&self) -> bool {
        self.role.as_deref() == Some("Primary")
    }

    fn judge_lists(&self, rules: &mut Rules<'_>) {
        rules.cidrs("subnets", self.subnets.as_deref(), 2);
        rules.cidrs("reservedSubnets", self.reserved_subnets.as_deref(), 25);
        rules.cidrs("infrastructureSubnets", self.infrastructure_subnets.as_deref(), 10);
        rules.limit("defaultGatewayIPs", self.default_gateway_ips.as_deref(), 2);
        rules.cidrs("joinSubnets", self.join_subnets.as_deref(), 2);
        for (key, ranges) in [
            ("reservedSubnets", self.reserved_subnets.as_deref()),
            ("infrastructureSubnets", self.infrastructure_subnets.as_deref()),
        ] {
            for (text, range) in parsed(ranges) {
                let message = format!("{key}: {text} has host bits; write {range}");
                let written = parse_interface_address(text).map(|it| it.addr());
                rules.refuse(written != Ok(range.base()), message);
            }
        }
    }

    fn judge_primary(&self, rules: &mut Rules<'_>) {
        let only_primary = [
            ("reservedSubnets", self.reserved_subnets.is_some()),
            ("infrastructureSubnets", self.infrastructure_subnets.is_some()),
            ("defaultGatewayIPs", self.default_gateway_ips.is_some()),
            ("joinSubnets", self.join_subnets.is_some()),
        ];
        for (key, is_given) in only_primary {
            let message = format!("{key} is for primary networks only; remove it");
            rules.refuse(is_given && !self.is_primary(), message);
        }
        let is_off = self.ipam.as_ref().is_some_and(Ipam::is_off);
        let message = "ipam.mode Disabled is for secondary networks only; remove it";
        rules.refuse(is_off && self.is_primary(), message);
        self.judge_gateways(rules);
        let infrastructure = parsed(self.infrastructure_subnets.as_deref());
        for (text, range) in &infrastructure {
            for (other_text, other) in parsed(self.reserved_subnets.as_deref()) {
                let message = format!(
                    "infrastructureSubnets {text} and reservedSubnets {other_text} overlap; \
                     take them apart"
                );
                rules.refuse(range.overlaps(other), message);
            }
        }
    }

    fn judge_gateways(&self, rules: &mut Rules<'_>) {
        let Some(gateways) = self.default_gateway_ips.as_deref() else { return };
        let subnets = self.subnets.as_ref().map_or(0, Vec::len);
        let message = "defaultGatewayIPs needs one address for each of the subnets";
        rules.refuse(gateways.len() != subnets, message);
        let ranges = parsed(self.infrastructure_subnets.as_deref());
        for gateway in gateways.iter().filter_map(|text| text.parse().ok()) {
            let is_inside = ranges.iter().any(|(_, range)| range.contains(gateway));
            let message = format!(
                "defaultGatewayIPs: {gateway} is in none of the infrastructureSubnets; \
                 choose one inside"
            );
            rules.refuse(!ranges.is_empty() && !is_inside, message);
        }
    }

    /// The configuration, except for names and numbers.
    // compat: pkg/clustermanager/userdefinednetwork/template/net-attach-def-template.go
    fn config(&self, settings: &ClusterSettings) -> NetConf {
        let listed = |texts: &Option<Vec<String>>| list(texts.iter().flatten());
        let join = match &self.join_subnets {
            Some(texts) => list(texts),
            None if self.is_primary() => list(settings.join.iter()),
            None => String::new(),
        };
        NetConf {
            allow_persistent_ips: self.ipam.as_ref().is_some_and(Ipam::is_persistent),
            default_gateway_ips: listed(&self.default_gateway_ips),
            infrastructure_subnets: listed(&self.infrastructure_subnets),
            join_subnet: join,
            mtu: self.mtu.unwrap_or(0),
            reserved_subnets: listed(&self.reserved_subnets),
            role: if self.is_primary() { "primary" } else { "secondary" }.to_owned(),
            subnets: listed(&self.subnets),
            topology: "layer2".to_owned(),
            ..NetConf::default()
        }
    }
}

impl Ipam {
    pub(super) fn is_off(&self) -> bool {
        self.mode.as_deref() == Some("Disabled")
    }

    pub(super) fn is_persistent(&self) -> bool {
        self.lifecycle.as_deref() == Some("Persistent")
    }
}

/// The rules that layer-2 networks and localnets share about handing out addresses.
pub(super) fn judge_ipam(rules: &mut Rules<'_>, ipam: Option<&Ipam>, subnets: Option<&[String]>) {
    let is_off = ipam.is_some_and(Ipam::is_off);
    let is_persistent = ipam.is_some_and(Ipam::is_persistent);
    rules.choose("ipam.mode", ipam.and_then(|it| it.mode.as_deref()), &["Enabled", "Disabled"]);
    rules.choose("ipam.lifecycle", ipam.and_then(|it| it.lifecycle.as_deref()), &["Persistent"]);
    let message = "subnets are needed unless ipam.mode is Disabled; list them";
    rules.refuse(!is_off && subnets.is_none(), message);
    let message = "subnets and ipam.mode Disabled exclude each other; remove one";
    rules.refuse(is_off && subnets.is_some(), message);
    let message = "ipam.lifecycle Persistent needs ipam.mode Enabled; remove one";
    rules.refuse(is_off && is_persistent, message);
}

pub(super) fn judge_mtu(rules: &mut Rules<'_>, mtu: Option<i64>, subnets: Option<&[String]>) {
    let Some(mtu) = mtu else { return };
    let message = format!("mtu is {mtu}; write 576 to 65536");
    rules.refuse(!(576..=65536).contains(&mtu), message);
    let has_v6 = parsed(subnets).iter().any(|(_, subnet)| subnet.family() == Family::V6);
    let message = format!("mtu is {mtu}; IPv6 needs at least 1280");
    rules.refuse(has_v6 && (576..1280).contains(&mtu), message);
}

/// The subnets that can be read; the others are told elsewhere.
fn parsed(texts: Option<&[String]>) -> Vec<(&String, Subnet)> {
    let texts = texts.unwrap_or_default().iter();
    texts.filter_map(|text| Some((text, Subnet::parse(text).ok()?))).collect()
}

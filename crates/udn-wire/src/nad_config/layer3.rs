//! A layer-3 network in a NAD's words: judged, though not built yet.
//!
//! Invariant: a NAD that the wire refuses is refused here for the same reason, whether its topology
//! is built or not.

use udn_model::{Family, Subnet};

use super::NetConf;
use crate::addresses::words;
use crate::refusal::Refusal;

/// How large the nodes' parts are, unless the NAD says so.
// compat: pkg/config/utils.go, ParseClusterSubnetEntries
const USUAL_PART_V4: u8 = 24;
const PART_V6: u8 = 64;

impl NetConf {
    pub fn is_layer3(&self) -> bool {
        self.topology == "layer3"
    }

    /// The subnets, without the sizes of the nodes' parts: `10.128.0.0/14` of `10.128.0.0/14/24`.
    pub fn layer3_subnets(&self) -> Result<Vec<Subnet>, Refusal> {
        words(&self.subnets).map(|word| parse(word).map(|(subnet, _)| subnet)).collect()
    }

    /// What is wrong with a layer-3 network.
    // compat: pkg/util/multi_network.go, ValidateNetConf and parseNetworkSubnets
    pub(super) fn judge_layer3(&self) -> Result<(), Refusal> {
        if self.allow_persistent_ips {
            let message = "allowPersistentIPs is not for layer3 networks; remove the key";
            return Err(Refusal::invalid(message));
        }
        let forbidden = [
            ("reservedSubnets", &self.reserved_subnets),
            ("infrastructureSubnets", &self.infrastructure_subnets),
            ("defaultGatewayIPs", &self.default_gateway_ips),
        ];
        if let Some((key, _)) = forbidden.iter().find(|(_, text)| !text.is_empty()) {
            let message = format!("{key} is for layer2 networks only; remove the key");
            return Err(Refusal::invalid(message));
        }
        let mut first: Option<u8> = None;
        for word in words(&self.subnets) {
            let (subnet, part) = parse(word)?;
            judge_part(subnet, part)?;
            if subnet.family() == Family::V4 && *first.get_or_insert(part) != part {
                let message = format!(
                    "subnets: {word} gives nodes a /{part}, but an earlier one another size; parts of \
                     IPv4 subnets are of one size"
                );
                return Err(Refusal::invalid(message));
            }
        }
        Ok(())
    }
}

fn parse(word: &str) -> Result<(Subnet, u8), Refusal> {
    let (cidr, part) = match word.rsplit_once('/') {
        Some((cidr, part)) if cidr.contains('/') => (cidr, Some(part)),
        Some(_) | None => (word, None),
    };
    let subnet = Subnet::parse(cidr).map_err(|it| Refusal::invalid(format!("subnets: {it}")))?;
    let usual = match subnet.family() {
        Family::V4 => USUAL_PART_V4,
        Family::V6 => PART_V6,
    };
    let Some(part) = part else { return Ok((subnet, usual)) };
    let unreadable =
        |_| Refusal::invalid(format!("subnets: {word}: \"{part}\" is not a prefix length"));
    Ok((subnet, part.parse().map_err(unreadable)?))
}

fn judge_part(subnet: Subnet, part: u8) -> Result<(), Refusal> {
    let length = subnet.prefix_len();
    let complaint = match subnet.family() {
        Family::V6 if part != PART_V6 => "IPv6 allows /64 only".to_owned(),
        Family::V4 if part >= 32 => "write less than /32".to_owned(),
        Family::V4 | Family::V6 if part <= length => {
            format!("write more than /{length}, the subnet's own length")
        }
        Family::V4 | Family::V6 => return Ok(()),
    };
    Err(Refusal::invalid(format!("subnets: {subnet} gives nodes a /{part}; {complaint}")))
}

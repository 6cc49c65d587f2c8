//! What a pod asks for at one NAD: addresses, a MAC, a claim, default routes.
//!
//! Invariant: what is empty is not asked for; what is not empty is read as strictly as everywhere.

use udn_model::{AddressRequest, RequestedAddress};

use super::{Element, Requests};
use crate::addresses::{parse_address, parse_interface_address};

/// Reads an address, with or without a prefix length.
pub fn parse_requested_address(text: &str) -> Result<RequestedAddress, String> {
    let complain = |_| {
        let text = text.escape_default();
        format!("\"{text}\" is not an address such as 10.0.0.5 or 10.0.0.5/16")
    };
    if text.contains('/') {
        let address = parse_interface_address(text).map_err(complain)?;
        return Ok(RequestedAddress { ip: address.addr(), prefix_len: Some(address.prefix_len()) });
    }
    let ip = parse_address(text).map_err(complain)?;
    Ok(RequestedAddress { ip, prefix_len: None })
}

impl Element {
    pub(super) fn requests(&self) -> Result<Requests, String> {
        let texts = self.ips.as_deref().unwrap_or_default();
        let addresses = texts.iter().map(|text| parse_requested_address(text));
        let addresses = addresses.collect::<Result<_, _>>();
        let mac = filled(self.mac.as_deref()).map(str::parse).transpose();
        let gateways = self.default_route.as_deref().unwrap_or_default();
        let gateways = gateways.iter().map(|text| parse_address(text)).collect::<Result<_, _>>();
        Ok(Requests {
            addresses: AddressRequest {
                addresses: addresses.map_err(|problem| format!("ips: {problem}"))?,
                mac: mac.map_err(|problem| format!("mac: {problem}"))?,
            },
            claim: filled(self.ipam_claim_reference.as_deref()).map(ToOwned::to_owned),
            gateways: gateways.map_err(|problem| format!("default-route: {problem}"))?,
        })
    }

    /// The element of a NAD that is not named yet.
    pub(super) fn of(requests: &Requests) -> Self {
        let Requests { addresses: AddressRequest { addresses, mac }, claim, gateways } = requests;
        let texts = |texts: Vec<String>| Some(texts).filter(|texts| !texts.is_empty());
        Self {
            ips: texts(addresses.iter().map(written).collect()),
            mac: mac.map(|mac| mac.to_string()),
            default_route: texts(gateways.iter().map(ToString::to_string).collect()),
            ipam_claim_reference: claim.clone(),
            ..Self::default()
        }
    }
}

fn written(RequestedAddress { ip, prefix_len }: &RequestedAddress) -> String {
    match prefix_len {
        Some(length) => format!("{ip}/{length}"),
        None => ip.to_string(),
    }
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

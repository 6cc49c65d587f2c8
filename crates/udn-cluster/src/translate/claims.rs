//! Claims, and the addresses that they hold already.
//!
//! Reads IPAMClaims; returns claims that nobody uses yet, and adds what they hold to an intent.
//! Invariant: a claim whose status cannot be read is not given other addresses.

use std::collections::{BTreeMap, BTreeSet};

use udn_model::{
    Claim, Finding, Findings, Intent, InterfaceAddress, MacAddress, NetworkName, ObjectName,
    PublishedClaim, Reason, RequestedAddress, Subject,
};
use udn_wire::addresses::parse_interface_address;
use udn_wire::api::ConditionStatus;
use udn_wire::keys::{CLAIM_MAC, IPS_ALLOCATED};
use udn_wire::network_selection::parse_requested_address;
use udn_wire::object::IpamClaim;
use udn_wire::refusal::annotation_path;

use super::attachment_requests::AttachmentRequest;
use super::attachments::Scene;
use super::machines::machine_of_claim;

/// The claims on networks of the intent, and those that pods name; `None` for one that cannot be
/// read.
pub(super) type ReadClaims<'a> = BTreeMap<&'a ObjectName, Option<Claim>>;

pub(super) fn read<'a, 'w>(
    scene: &Scene<'a>,
    attachment_requests: impl Iterator<Item = &'w AttachmentRequest<'w>>,
    intent: &mut Intent,
    findings: &mut Findings,
) -> ReadClaims<'a> {
    let named: BTreeSet<&ObjectName> = attachment_requests
        .filter_map(|attachment_request| attachment_request.asked.claim.as_ref())
        .collect();
    let mut claims = ReadClaims::new();
    for (name, object) in &scene.world.claims {
        let network = NetworkName::new(&object.spec.network);
        if !named.contains(name) && !intent.networks.contains_key(&network) {
            continue;
        }
        let mut told = Findings::new();
        let (claim, published) = read_claim(name, object, &mut told);
        findings.extend(told);
        if claim.is_some() && published != PublishedClaim::default() {
            intent.published.claims.insert(name.clone(), published);
        }
        claims.insert(name, claim);
    }
    claims
}

fn read_claim(
    name: &ObjectName,
    object: &IpamClaim,
    findings: &mut Findings,
) -> (Option<Claim>, PublishedClaim) {
    let mut tell = |reason, path: String, message| {
        findings.push(Finding::new(Subject::Claim(name.clone()), reason, message).at(path));
    };
    let mac = published_mac(object).unwrap_or_else(|message| {
        tell(Reason::InvalidAnnotation, annotation_path(CLAIM_MAC), message);
        None
    });
    let addresses = match published_addresses(object) {
        Ok(addresses) => addresses,
        Err(message) => {
            tell(Reason::InvalidSpec, "status.ips".to_owned(), message);
            return (None, PublishedClaim::default());
        }
    };
    let (request, is_bound) = (request(object), !addresses.is_empty());
    if is_bound && !request.as_ref().is_ok_and(|it| holds(&addresses, it)) {
        let message = asks_in_vain(object, &addresses);
        tell(Reason::RequestIgnored, "spec.ipRequest".to_owned(), message);
    }
    let request = match request {
        Ok(request) => request,
        // What it asks for does not matter any more.
        Err(_) if is_bound => Vec::new(),
        Err(message) => {
            tell(Reason::InvalidSpec, "spec.ipRequest".to_owned(), message);
            return (None, PublishedClaim::default());
        }
    };
    let claim = Claim {
        name: name.clone(),
        network: NetworkName::new(&object.spec.network),
        created: object.metadata.creation_timestamp.clone(),
        request,
        users: Vec::new(),
        machine: machine_of_claim(object),
        failure: failure(object).filter(|_| addresses.is_empty()),
    };
    (Some(claim), PublishedClaim { addresses, mac })
}

fn published_addresses(object: &IpamClaim) -> Result<Vec<InterfaceAddress>, String> {
    let texts = object.status.ips.as_deref().unwrap_or_default();
    let complain = |problem| {
        format!("{problem}, so the claim gets no other addresses; mend or empty the list")
    };
    texts.iter().map(|text| parse_interface_address(text).map_err(complain)).collect()
}

fn published_mac(object: &IpamClaim) -> Result<Option<MacAddress>, String> {
    let text = object.metadata.annotation(CLAIM_MAC).filter(|text| !text.is_empty());
    let complain = |problem| format!("{problem}; remove the annotation");
    text.map(|text| text.parse().map_err(complain)).transpose()
}

fn request(object: &IpamClaim) -> Result<Vec<RequestedAddress>, String> {
    let texts = object.spec.ip_request.as_deref().unwrap_or_default();
    texts.iter().map(|text| parse_requested_address(text)).collect()
}

/// Whether all that is asked for is held.
fn holds(addresses: &[InterfaceAddress], request: &[RequestedAddress]) -> bool {
    request.iter().all(|asked| addresses.iter().any(|it| it.addr() == asked.ip))
}

fn asks_in_vain(object: &IpamClaim, addresses: &[InterfaceAddress]) -> String {
    let asked = object.spec.ip_request.as_deref().unwrap_or_default().join(", ");
    let held: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    format!(
        "asks for {}, but holds {} and keeps that until it is deleted; make another claim for other \
         addresses",
        asked.escape_default(),
        held.join(", ")
    )
}

/// Why the claim has no addresses, as its status says.
fn failure(object: &IpamClaim) -> Option<String> {
    let conditions = object.status.conditions.as_deref().unwrap_or_default();
    let condition = conditions.iter().find(|it| it.condition_type == IPS_ALLOCATED)?;
    (condition.status == ConditionStatus::False).then(|| condition.message.clone())
}

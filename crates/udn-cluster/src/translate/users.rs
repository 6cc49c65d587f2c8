//! Who may use a claim.
//!
//! Reads claims and the requests that name them; leaves the requests that may be, and adds the claims
//! with their users to an intent.
//! Invariant: all users of a claim are of one owner, and its holder is the first of them.

use std::collections::{BTreeMap, BTreeSet};

use udn_model::{AttachmentKey, Claim, Findings, Intent, NodeName, ObjectName, Reason};
use udn_wire::object::IpamClaim;

use super::attachment_requests::AttachmentRequest;
use super::attachments::Scene;
use super::claims::ReadClaims;
use super::machines::{are_of_one, is_of, owner_of};

/// Why a request may not use the claim that it names.
type Objection = (Reason, String);

/// The requests that name one claim, by their places among all.
type Named<'w> = Vec<(usize, &'w AttachmentRequest<'w>)>;

/// Takes away the requests whose claims cannot be used; a pod that has its addresses keeps them, but
/// not the claim.
pub(super) fn settle(
    scene: &Scene<'_>,
    claims: ReadClaims<'_>,
    all: &mut Vec<(NodeName, AttachmentRequest<'_>)>,
    intent: &mut Intent,
    findings: &mut Findings,
) {
    let mut named: BTreeMap<ObjectName, Named<'_>> = BTreeMap::new();
    for (place, (_, attachment_request)) in all.iter().enumerate() {
        let claim = attachment_request.asked.claim.clone();
        claim
            .into_iter()
            .for_each(|name| named.entry(name).or_default().push((place, attachment_request)));
    }
    let mut users: BTreeMap<ObjectName, Vec<AttachmentKey>> = BTreeMap::new();
    let mut refused: BTreeMap<usize, Objection> = BTreeMap::new();
    for (name, attachment_requests) in named {
        let read = claims.get(&name).map(Option::as_ref);
        let attachment_requests = fitting(scene, (&name, read), attachment_requests, &mut refused);
        let Some(object) = scene.world.claims.get(&name) else { continue };
        users.insert(
            name.clone(),
            permitted(scene, (&name, object), attachment_requests, &mut refused),
        );
    }
    for (name, claim) in claims {
        let Some(claim) = claim else { continue };
        let users = users.remove(name).unwrap_or_default();
        intent.claims.insert(name.clone(), Claim { users, ..claim });
    }
    let mut place = 0;
    all.retain_mut(|(_, attachment_request)| {
        let objection = refused.remove(&place);
        place += 1;
        objection.is_none_or(|objection| stays_without(attachment_request, objection, findings))
    });
}

/// Whether the pod stays on its network though it may not use the claim.
fn stays_without(
    attachment_request: &mut AttachmentRequest<'_>,
    objection: Objection,
    findings: &mut Findings,
) -> bool {
    let (reason, message) = objection;
    let stays = attachment_request.published.is_some();
    // A claim may go before its pods do.
    if !stays || reason != Reason::ClaimNotFound {
        findings.push(attachment_request.finding(reason, message));
    }
    attachment_request.asked.claim = None;
    stays
}

/// The requests that the claim is made for.
fn fitting<'w>(
    scene: &Scene<'_>,
    (name, read): (&ObjectName, Option<Option<&Claim>>),
    attachment_requests: Named<'w>,
    refused: &mut BTreeMap<usize, Objection>,
) -> Named<'w> {
    let mut pods = BTreeSet::new();
    let mut fitting = Named::new();
    for (place, attachment_request) in attachment_requests {
        let objection = match (read, scene.world.claims.get(name)) {
            (None, _) | (_, None) => {
                let message =
                    format!("IPAMClaim {name} does not exist; create it or correct the name");
                Some((Reason::ClaimNotFound, message))
            }
            (Some(None), _) => {
                let message = format!("IPAMClaim {name} cannot be read; see what is told of it");
                Some((Reason::ClaimMismatch, message))
            }
            (Some(Some(_)), Some(object)) => {
                mismatch((name, object), attachment_request).or_else(|| {
                    let message = format!(
                        "the pod names IPAMClaim {name} more than once; name another one for {}",
                        attachment_request.key.nad_key()
                    );
                    (!pods.insert(&attachment_request.key.pod))
                        .then_some((Reason::ClaimHeld, message))
                })
            }
        };
        match objection {
            Some(objection) => drop(refused.insert(place, objection)),
            None => fitting.push((place, attachment_request)),
        }
    }
    fitting
}

/// Why the claim is not for this link of the pod.
fn mismatch(
    (name, claim): (&ObjectName, &IpamClaim),
    attachment_request: &AttachmentRequest<'_>,
) -> Option<Objection> {
    let (network, interface) = (&claim.spec.network, &claim.spec.interface);
    let message = if network != attachment_request.network.name.as_str() {
        format!(
            "IPAMClaim {name} is for network {network}, not for network {}; name a claim on that \
             network",
            attachment_request.network.name
        )
    } else if !interface.is_empty() && *interface != attachment_request.link {
        format!(
            "IPAMClaim {name} is for interface {interface}, but the pod uses it for {}; name \
             another claim or leave the claim's interface empty",
            attachment_request.link
        )
    } else {
        return None;
    };
    Some((Reason::ClaimMismatch, message))
}

/// Who may use the claim, its holder first.
fn permitted(
    scene: &Scene<'_>,
    (name, claim): (&ObjectName, &IpamClaim),
    mut attachment_requests: Named<'_>,
    refused: &mut BTreeMap<usize, Objection>,
) -> Vec<AttachmentKey> {
    // Of those that carry addresses already, one has the claim's.
    let rank = |it: &AttachmentRequest<'_>| {
        (
            it.published.is_none(),
            it.pod_request.pod.metadata.creation_timestamp.clone(),
            it.key.clone(),
        )
    };
    attachment_requests.sort_by_cached_key(|(_, it)| rank(it));
    if let Some(owner) = owner_of(claim) {
        let message = format!(
            "IPAMClaim {name} belongs to {} {}, of which the pod is not; name a claim of its own",
            owner.kind, owner.name
        );
        let may = |attachment_request: &AttachmentRequest<'_>| {
            is_of(scene.world, attachment_request.pod_request.pod, (&name.namespace, owner))
        };
        refuse(&mut attachment_requests, may, &message, refused);
        lead(claim, &mut attachment_requests);
    } else {
        lead(claim, &mut attachment_requests);
        let Some(holder) = attachment_requests
            .first()
            .map(|(_, attachment_request)| attachment_request.pod_request)
        else {
            return Vec::new();
        };
        let message = format!(
            "IPAMClaim {name} is held by pod {}; wait until that pod is gone, or name another claim",
            holder.name
        );
        let may = |attachment_request: &AttachmentRequest<'_>| {
            attachment_request.pod_request.name == holder.name
                || are_of_one(attachment_request.pod_request.pod, holder.pod)
        };
        refuse(&mut attachment_requests, may, &message, refused);
    }
    attachment_requests
        .into_iter()
        .map(|(_, attachment_request)| attachment_request.key.clone())
        .collect()
}

/// Puts the pod that holds the claim, as its status says, before the others.
fn lead(claim: &IpamClaim, attachment_requests: &mut Named<'_>) {
    let holder = claim.status.owner_pod.as_ref();
    attachment_requests
        .sort_by_key(|(_, it)| holder.is_none_or(|holder| *it.key.pod.name != *holder.name));
}

fn refuse(
    attachment_requests: &mut Named<'_>,
    may: impl Fn(&AttachmentRequest<'_>) -> bool,
    message: &str,
    refused: &mut BTreeMap<usize, Objection>,
) {
    attachment_requests.retain(|(place, attachment_request)| {
        let may = may(attachment_request);
        if !may {
            refused.insert(*place, (Reason::ClaimHeld, message.to_owned()));
        }
        may
    });
}

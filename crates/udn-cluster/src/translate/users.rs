//! Who may use a claim.
//!
//! Reads claims and the wishes that name them; leaves the wishes that may be, and adds the claims
//! with their users to an intent.
//! Invariant: all users of a claim are of one owner, and its holder is the first of them.

use std::collections::{BTreeMap, BTreeSet};

use udn_model::{AttachmentKey, Claim, Findings, Intent, NodeName, ObjectName, Reason};
use udn_wire::object::IpamClaim;

use super::attachments::Scene;
use super::claims::ReadClaims;
use super::machines::{are_of_one, is_of, owner_of};
use super::wishes::Wish;

/// Why a wish may not use the claim that it names.
type Objection = (Reason, String);

/// The wishes that name one claim, by their places among all.
type Named<'w> = Vec<(usize, &'w Wish<'w>)>;

/// Takes away the wishes whose claims cannot be used; a pod that has its addresses keeps them, but
/// not the claim.
pub(super) fn settle(
    scene: &Scene<'_>,
    claims: ReadClaims<'_>,
    all: &mut Vec<(NodeName, Wish<'_>)>,
    intent: &mut Intent,
    findings: &mut Findings,
) {
    let mut named: BTreeMap<ObjectName, Named<'_>> = BTreeMap::new();
    for (place, (_, wish)) in all.iter().enumerate() {
        let claim = wish.asked.claim.clone();
        claim.into_iter().for_each(|name| named.entry(name).or_default().push((place, wish)));
    }
    let mut users: BTreeMap<ObjectName, Vec<AttachmentKey>> = BTreeMap::new();
    let mut refused: BTreeMap<usize, Objection> = BTreeMap::new();
    for (name, wishes) in named {
        let read = claims.get(&name).map(Option::as_ref);
        let wishes = fitting(scene, (&name, read), wishes, &mut refused);
        let Some(object) = scene.world.claims.get(&name) else { continue };
        users.insert(name.clone(), permitted(scene, (&name, object), wishes, &mut refused));
    }
    for (name, claim) in claims {
        let Some(claim) = claim else { continue };
        let users = users.remove(name).unwrap_or_default();
        intent.claims.insert(name.clone(), Claim { users, ..claim });
    }
    let mut place = 0;
    all.retain_mut(|(_, wish)| {
        let objection = refused.remove(&place);
        place += 1;
        objection.is_none_or(|objection| stays_without(wish, objection, findings))
    });
}

/// Whether the pod stays on its network though it may not use the claim.
fn stays_without(wish: &mut Wish<'_>, objection: Objection, findings: &mut Findings) -> bool {
    let (reason, message) = objection;
    let stays = wish.published.is_some();
    // A claim may go before its pods do.
    if !stays || reason != Reason::ClaimNotFound {
        findings.push(wish.finding(reason, message));
    }
    wish.asked.claim = None;
    stays
}

/// The wishes that the claim is made for.
fn fitting<'w>(
    scene: &Scene<'_>,
    (name, read): (&ObjectName, Option<Option<&Claim>>),
    wishes: Named<'w>,
    refused: &mut BTreeMap<usize, Objection>,
) -> Named<'w> {
    let mut pods = BTreeSet::new();
    let mut fitting = Named::new();
    for (place, wish) in wishes {
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
            (Some(Some(_)), Some(object)) => mismatch((name, object), wish).or_else(|| {
                let message = format!(
                    "the pod names IPAMClaim {name} more than once; name another one for {}",
                    wish.key.definition_key()
                );
                (!pods.insert(&wish.key.pod)).then_some((Reason::ClaimHeld, message))
            }),
        };
        match objection {
            Some(objection) => drop(refused.insert(place, objection)),
            None => fitting.push((place, wish)),
        }
    }
    fitting
}

/// Why the claim is not for this link of the pod.
fn mismatch((name, claim): (&ObjectName, &IpamClaim), wish: &Wish<'_>) -> Option<Objection> {
    let (network, interface) = (&claim.spec.network, &claim.spec.interface);
    let message = if network != wish.network.name.as_str() {
        format!(
            "IPAMClaim {name} is for network {network}, not for network {}; name a claim on that \
             network",
            wish.network.name
        )
    } else if !interface.is_empty() && *interface != wish.link {
        format!(
            "IPAMClaim {name} is for interface {interface}, but the pod uses it for {}; name \
             another claim or leave the claim's interface empty",
            wish.link
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
    mut wishes: Named<'_>,
    refused: &mut BTreeMap<usize, Objection>,
) -> Vec<AttachmentKey> {
    // Of those that carry addresses already, one has the claim's.
    let rank = |it: &Wish<'_>| {
        (it.published.is_none(), it.guest.pod.metadata.creation_timestamp.clone(), it.key.clone())
    };
    wishes.sort_by_cached_key(|(_, it)| rank(it));
    if let Some(owner) = owner_of(claim) {
        let message = format!(
            "IPAMClaim {name} belongs to {} {}, of which the pod is not; name a claim of its own",
            owner.kind, owner.name
        );
        let may = |wish: &Wish<'_>| is_of(scene.world, wish.guest.pod, (&name.namespace, owner));
        refuse(&mut wishes, may, &message, refused);
        lead(claim, &mut wishes);
    } else {
        lead(claim, &mut wishes);
        let Some(holder) = wishes.first().map(|(_, wish)| wish.guest) else { return Vec::new() };
        let message = format!(
            "IPAMClaim {name} is held by pod {}; wait until that pod is gone, or name another claim",
            holder.name
        );
        let may = |wish: &Wish<'_>| {
            wish.guest.name == holder.name || are_of_one(wish.guest.pod, holder.pod)
        };
        refuse(&mut wishes, may, &message, refused);
    }
    wishes.into_iter().map(|(_, wish)| wish.key.clone()).collect()
}

/// Puts the pod that holds the claim, as its status says, before the others.
fn lead(claim: &IpamClaim, wishes: &mut Named<'_>) {
    let holder = claim.status.owner_pod.as_ref();
    wishes.sort_by_key(|(_, it)| holder.is_none_or(|holder| *it.key.pod.name != *holder.name));
}

fn refuse(
    wishes: &mut Named<'_>,
    may: impl Fn(&Wish<'_>) -> bool,
    message: &str,
    refused: &mut BTreeMap<usize, Objection>,
) {
    wishes.retain(|(place, wish)| {
        let may = may(wish);
        if !may {
            refused.insert(*place, (Reason::ClaimHeld, message.to_owned()));
        }
        may
    });
}

//! What claims hold: a machine that is stopped finds its addresses and its MAC there again.
//!
//! Invariant: addresses that stand on a claim are never changed.

use serde_json::{Map, json};
use udn_model::{ClaimGrant, Grants, Intent, ObjectName};
use udn_wire::Target;
use udn_wire::keys::CLAIM_MAC;

use super::publication::{Change, Publication};
use crate::world::World;

/// The claims that hold something which they do not carry yet.
pub(super) fn bound(world: &World, intent: &Intent, grants: &Grants) -> Vec<Publication> {
    let all = grants.claims.iter();
    all.filter_map(|(name, grant)| publish(world, intent, name, grant)).collect()
}

fn publish(
    world: &World,
    intent: &Intent,
    name: &ObjectName,
    grant: &ClaimGrant,
) -> Option<Publication> {
    let standing = world.claims.get(name)?;
    let mac = grant.mac.to_string();
    let ips: Vec<String> = grant.addresses.iter().map(ToString::to_string).collect();
    let owner = intent.claims.get(name).and_then(|it| it.users.first());
    let owner = owner.map(|it| it.pod.name.to_string());
    let carried = standing.status.ips.as_deref().unwrap_or_default();
    if !carried.is_empty() && carried != ips {
        return None;
    }
    let had = standing.status.owner_pod.as_ref().map(|it| &it.name);
    let has_mac = standing.metadata.annotation(CLAIM_MAC) == Some(mac.as_str());
    if has_mac && carried == ips && had == owner.as_ref() {
        return None;
    }
    let target = Target::claim(name);
    let metadata = Map::from_iter([("annotations".to_owned(), json!({ CLAIM_MAC: mac }))]);
    let mut object = target.object(metadata);
    object["status"] = json!({ "ips": ips });
    if let Some(owner) = owner {
        object["status"]["ownerPod"] = json!({ "name": owner });
    }
    Some(Publication { target, change: Change::Apply(object) })
}

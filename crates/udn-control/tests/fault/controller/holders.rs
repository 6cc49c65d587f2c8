//! Who held which address and MAC, in every state that any pod or claim ever had.
//!
//! Invariant: no address or MAC has two living holders, and what was published never changes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use udn_wire::Kind;
use udn_wire::keys::{
    CLAIM_MAC, DEFAULT_SELECTION, LAUNCHER, LAUNCHER_LABEL, MACHINE_NAME, NETWORK_NAME,
    POD_NETWORKS, PRIMARY_CLAIM,
};

use super::ending::version;
use crate::kit::server::Site;

/// On a pod whose annotation a user wrote by hand; what it carries may be another's.
pub(crate) const FORGED: &str = "forged";

/// What one object holds on one network.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Holding {
    network: String,
    /// Objects of one holder share what they have.
    holder: String,
    ips: BTreeSet<String>,
    mac: String,
}

/// All living objects, with what they hold; by uid and NAD key.
type Living = BTreeMap<(String, String), Holding>;

/// Looks at every state of every pod and claim, in the order in which they came about.
pub(super) async fn audit(site: &Site, start: u64) -> Result<(), String> {
    let networks = networks(site, start).await;
    let mut states = site.history(Kind::Pod, start).await;
    states.extend(site.history(Kind::Claim, start).await);
    states.sort_by_key(|(_, object)| version(object));
    let (mut living, mut claimed) = (Living::new(), BTreeMap::new());
    for (event, object) in states {
        let uid = text(&object, "/metadata/uid");
        let before: Living = own(&living, &uid);
        living.retain(|(owner, _), _| *owner != uid);
        if event == "DELETED" || has_ended(&object) || is_forged(&object) {
            continue;
        }
        let held = match object["kind"].as_str() {
            Some("IPAMClaim") => of_claim(&object, &mut claimed),
            _ => of_pod(&object, &networks, &claimed)?,
        };
        for (key, holding) in held {
            let key = (uid.clone(), key);
            compare(&object, before.get(&key), &holding, &living)?;
            living.insert(key, holding);
        }
    }
    Ok(())
}

fn own(living: &Living, uid: &str) -> Living {
    let own = living.iter().filter(|((owner, _), _)| owner == uid);
    own.map(|(key, holding)| (key.clone(), holding.clone())).collect()
}

/// The network behind each NAD that ever was.
async fn networks(site: &Site, start: u64) -> BTreeMap<String, String> {
    let states = site.history(Kind::Nad, start).await;
    let named = states.iter().filter_map(|(_, object)| {
        let network = object["metadata"]["annotations"][NETWORK_NAME].as_str()?;
        Some((name(object), network.to_owned()))
    });
    named.collect()
}

fn compare(
    object: &Value,
    before: Option<&Holding>,
    now: &Holding,
    living: &Living,
) -> Result<(), String> {
    let place = format!("{} {}", object["kind"], name(object));
    if let Some(before) = before
        && before != now
    {
        return Err(format!("{place}: {before:?} was published and is {now:?}"));
    }
    let others = living.values().filter(|it| it.network == now.network && it.holder != now.holder);
    for other in others {
        if other.mac == now.mac || !other.ips.is_disjoint(&now.ips) {
            return Err(format!("{place}: {now:?} meets {other:?}"));
        }
    }
    Ok(())
}

fn of_claim(
    claim: &Value,
    claimed: &mut BTreeMap<String, BTreeSet<String>>,
) -> Vec<(String, Holding)> {
    let ips = texts(&claim["status"]["ips"]);
    if ips.is_empty() {
        return Vec::new();
    }
    claimed.insert(name(claim), ips.clone());
    let mac = claim["metadata"]["annotations"][CLAIM_MAC].as_str().unwrap_or_default();
    let holding = Holding {
        network: text(claim, "/spec/network"),
        holder: format!("claim {}", name(claim)),
        ips,
        mac: mac.to_owned(),
    };
    vec![(String::new(), holding)]
}

/// What a pod carries; what it has from a claim stood on the claim before.
fn of_pod(
    pod: &Value,
    networks: &BTreeMap<String, String>,
    claimed: &BTreeMap<String, BTreeSet<String>>,
) -> Result<Vec<(String, Holding)>, String> {
    let annotation = |key: &str| pod["metadata"]["annotations"][key].as_str();
    let carried = annotation(POD_NETWORKS).unwrap_or("{}");
    let carried: Value = serde_json::from_str(carried).map_err(|error| error.to_string())?;
    let request: Value = annotation(DEFAULT_SELECTION)
        .and_then(|it| serde_json::from_str(it).ok())
        .unwrap_or_default();
    let request = if request.is_array() { &request[0] } else { &request };
    let mut held = Vec::new();
    for (key, entry) in carried.as_object().into_iter().flatten() {
        let nad: Vec<&str> = key.splitn(3, '/').take(2).collect();
        let Some(network) = networks.get(&nad.join("/")) else { continue };
        let ips = texts(&entry["ip_addresses"]);
        let is_primary = entry["role"] == "primary";
        let claim = if is_primary { claim_of(pod, request) } else { None };
        if let Some(claim) = &claim
            && claimed.get(claim) != Some(&ips)
        {
            return Err(format!("pod {} has {ips:?} before claim {claim} has", name(pod)));
        }
        let asked = texts(&request["ips"]);
        if is_primary && !asked.is_empty() && bare(&asked) != bare(&ips) {
            return Err(format!("pod {} asked for {asked:?} and has {ips:?}", name(pod)));
        }
        let holder = claim.map(|it| format!("claim {it}")).or_else(|| machine_of(pod));
        let holder = holder.unwrap_or_else(|| format!("pod {}", text(pod, "/metadata/uid")));
        let (network, mac) = (network.clone(), text(entry, "/mac_address"));
        held.push((key.clone(), Holding { network, holder, ips, mac }));
    }
    Ok(held)
}

/// The claim that a pod names for its primary network.
fn claim_of(pod: &Value, request: &Value) -> Option<String> {
    let deprecated = pod["metadata"]["annotations"][PRIMARY_CLAIM].as_str();
    let deprecated = deprecated.filter(|_| request.is_null());
    let claim = request["ipam-claim-reference"].as_str().or(deprecated)?;
    Some(format!("{}/{claim}", text(pod, "/metadata/namespace")))
}

fn machine_of(pod: &Value) -> Option<String> {
    let metadata = &pod["metadata"];
    let machine = metadata["annotations"][MACHINE_NAME].as_str()?;
    let is_launcher = metadata["labels"][LAUNCHER_LABEL] == LAUNCHER;
    is_launcher.then(|| format!("machine {}/{machine}", text(pod, "/metadata/namespace")))
}

/// Whether a pod's containers have all ended.
fn has_ended(object: &Value) -> bool {
    let is_over = matches!(object["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
    let containers = object["status"]["containerStatuses"].as_array();
    is_over && !containers.into_iter().flatten().any(|it| !it["state"]["running"].is_null())
}

fn is_forged(object: &Value) -> bool {
    object["metadata"]["annotations"].get(FORGED).is_some()
}

fn bare(ips: &BTreeSet<String>) -> BTreeSet<&str> {
    ips.iter().map(|ip| ip.split('/').next().unwrap_or(ip)).collect()
}

fn texts(list: &Value) -> BTreeSet<String> {
    let all = list.as_array().into_iter().flatten();
    all.filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

fn text(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn name(object: &Value) -> String {
    format!("{}/{}", text(object, "/metadata/namespace"), text(object, "/metadata/name"))
}

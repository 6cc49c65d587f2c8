//! Grants a network or a node the numbers that it lacks.
//!
//! Reads the ledger, in which everything published is written down; returns a grant or a finding.
//! Invariant: whoever gets a finding holds no more than before.

use udn_model::{
    ClusterSettings, Finding, Network, NetworkGrant, NetworkId, NetworkName, NodeId, NodeName,
    Origin, PerFamily, PublishedNetwork, Reason, Role, Subject, Subnet, Topology, TunnelKey,
};

use crate::ledger::{FIRST_FREE_TUNNEL_KEY, KeyHolder, KeyPlace, Ledger};
use crate::transit::{NoTransit, choose_transit};

/// The number that a node has, else a free one.
pub(crate) fn grant_node(name: &NodeName, ledger: &mut Ledger) -> Result<NodeId, Finding> {
    let number = ledger.nodes.grant(name).and_then(|number| u16::try_from(number).ok());
    number.and_then(NodeId::new).ok_or_else(|| {
        let last = ledger.nodes.last();
        let message = format!(
            "all node ids up to {last}, which --max-nodes allows, are in use; remove nodes that no \
             longer exist"
        );
        Finding::new(Subject::Node(name.clone()), Reason::PoolExhausted, message)
    })
}

/// The numbers that a network has, and free ones for what it lacks.
pub(crate) fn grant_network(
    network: &Network,
    published: Option<&PublishedNetwork>,
    ledger: &mut Ledger,
    settings: &ClusterSettings,
) -> Result<NetworkGrant, Finding> {
    let before = Numbers::of(&network.name, ledger);
    let granted = grant_all(network, published, ledger, settings);
    if granted.is_err() {
        before.restore(&network.name, ledger);
    }
    granted
}

/// Whether a network had a number before it was granted what it lacked.
struct Numbers {
    has_id: bool,
    has_key: [bool; 2],
}

impl Numbers {
    fn of(name: &NetworkName, ledger: &Ledger) -> Self {
        let has_key = |place| ledger.keys.number_of(&KeyHolder::new(name, place)).is_some();
        Self { has_id: ledger.ids.number_of(name).is_some(), has_key: KeyPlace::ALL.map(has_key) }
    }

    /// Gives back what is new.
    fn restore(&self, name: &NetworkName, ledger: &mut Ledger) {
        if !self.has_id {
            ledger.ids.release(name);
        }
        for (place, had_key) in KeyPlace::ALL.into_iter().zip(self.has_key) {
            if !had_key {
                ledger.keys.release(&KeyHolder::new(name, place));
            }
        }
    }
}

fn grant_all(
    network: &Network,
    published: Option<&PublishedNetwork>,
    ledger: &mut Ledger,
    settings: &ClusterSettings,
) -> Result<NetworkGrant, Finding> {
    let name = &network.name;
    let id = grant_id(name, ledger)?;
    let tunnel_keys = match network.topology {
        Topology::Layer2(Role::Primary(_)) => grant_keys(name, id, ledger)?,
        Topology::Layer2(Role::Secondary) | Topology::Layer3(_) | Topology::Localnet(_) => {
            ledger.release_keys(name);
            return Ok(NetworkGrant { id, tunnel_keys: Vec::new(), transit: PerFamily::default() });
        }
    };
    let settled = settled_transit(network, published, ledger);
    let transit = choose_transit(network, &settled, settings)
        .map_err(|problem| finding(name, Reason::SubnetOverlap, no_transit(&problem)))?;
    ledger.transits.insert(name.clone(), transit);
    Ok(NetworkGrant { id, tunnel_keys, transit })
}

/// The id that a network has, else one that is free together with the key that goes with it.
fn grant_id(name: &NetworkName, ledger: &mut Ledger) -> Result<NetworkId, Finding> {
    let exhausted = |last: u128| {
        let raise = match last < NetworkId::LAST.into() {
            true => format!(", or raise it, to at most {}", NetworkId::LAST),
            false => String::new(),
        };
        let message = format!(
            "all {last} network ids that --max-networks allows are in use; delete networks that are \
             not needed{raise}"
        );
        finding(name, Reason::PoolExhausted, message)
    };
    let is_known = ledger.ids.number_of(name).is_some();
    let mut avoid = Vec::new();
    loop {
        let number = ledger.ids.grant_outside(name, &avoid);
        let number = number.ok_or_else(|| exhausted(ledger.ids.last()))?;
        let key = u128::from(TunnelKey::FIRST_PRESERVED) + number;
        if is_known || ledger.keys.holder_of(key).is_none_or(|holder| holder.network == *name) {
            let id = u16::try_from(number).ok().and_then(NetworkId::new);
            return Ok(id.expect("the pool of ids has nothing but ids"));
        }
        ledger.ids.release(name);
        avoid.push(number..=number);
    }
}

/// The switch's key, which follows from the id unless another was published, and the transit
/// router's.
fn grant_keys(
    name: &NetworkName,
    id: NetworkId,
    ledger: &mut Ledger,
) -> Result<Vec<TunnelKey>, Finding> {
    let holder = KeyHolder::new(name, KeyPlace::Switch);
    let own = u128::from(id.preserved_key().get());
    let switch = match ledger.keys.number_of(&holder) {
        Some(key) => key,
        None => match ledger.keys.hold(&holder, own) {
            Ok(()) => own,
            Err(_) => return Err(finding(name, Reason::AlreadyTaken, lost_key(own, id, ledger))),
        },
    };
    let holder = KeyHolder::new(name, KeyPlace::TransitRouter);
    let router = ledger.keys.grant(&holder).ok_or_else(|| {
        let message = no_key_left(ledger.keys.last());
        finding(name, Reason::PoolExhausted, message)
    })?;
    let key = |number| u32::try_from(number).ok().and_then(TunnelKey::new);
    let keys = [switch, router].map(|it| key(it).expect("the pool of keys has nothing but keys"));
    Ok(keys.to_vec())
}

pub(crate) fn lost_key(key: u128, id: NetworkId, ledger: &Ledger) -> String {
    let holder = ledger.keys.holder_of(key);
    let holder = holder.map_or_else(|| "somebody else".to_owned(), ToString::to_string);
    format!(
        "tunnel key {key}, which goes with network id {id}, is held by {holder}; remove it from the \
         annotations of that network's NADs so that it gets its own"
    )
}

fn no_key_left(last: u128) -> String {
    let count = (last + 1).saturating_sub(FIRST_FREE_TUNNEL_KEY.into());
    let raise = match last < TunnelKey::LAST.into() {
        true => format!(", or raise it, to at most {}", TunnelKey::LAST),
        false => String::new(),
    };
    format!(
        "all {count} tunnel keys that --max-tunnel-key allows, from {FIRST_FREE_TUNNEL_KEY} to \
         {last}, are in use; delete primary networks that are not needed{raise}"
    )
}

fn no_transit(problem: &NoTransit) -> String {
    format!(
        "no transit subnet is free of overlaps: {} overlaps {}; choose a smaller or another subnet \
         for the network",
        problem.candidate, problem.overlaps
    )
}

/// The transit subnets that a network has already.
///
/// What a NAD says that somebody wrote is the user's word, and holds as long as it stands there. In
/// a NAD of ours it is our own word, which never lies in the network's own subnets: if it does, it
/// was meant for an earlier network of that name.
fn settled_transit(
    network: &Network,
    published: Option<&PublishedNetwork>,
    ledger: &Ledger,
) -> PerFamily<Subnet> {
    let known = ledger.transits.get(&network.name).copied().unwrap_or_default();
    let told = published.map(|it| it.transit).unwrap_or_default();
    let (first, second) = match network.origin {
        Origin::Nads => (told, known),
        Origin::Manifest(_) | Origin::Settings => (known, told),
    };
    let mut settled = PerFamily::default();
    for subnet in second.iter().chain(first.iter()) {
        let is_users = network.origin == Origin::Nads;
        if is_users || !network.subnets.iter().any(|own| own.overlaps(*subnet)) {
            settled.put(subnet.family(), *subnet);
        }
    }
    settled
}

fn finding(name: &NetworkName, reason: Reason, message: String) -> Finding {
    Finding::new(Subject::Network(name.clone()), reason, message)
}

//! The zone controller's brain: hears of objects, and knows what its OVN must look like.
//!
//! Reads changes as a server tells them; returns the work items that they touch, and draws them.
//! Hearing only notes which pieces are old; each is then renewed alone, so that one that cannot be
//! read, or stumbles, keeps no other from being renewed.
//! Invariant: once every piece is renewed, intent, grants and findings are those that a zone would
//! read from all objects at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ovsdb::Cache;
use udn_blueprint::names::Prefix;
use udn_blueprint::{DrawingInput, owners, unreachable_nodes};
use udn_cluster::cache::Versions;
use udn_cluster::{NadStates, World};
use udn_model::{
    ClusterSettings, Finding, Findings, Grants, Intent, Network, NetworkGrant, NetworkId,
    NetworkName, NodeName, ObjectName, Part, Reason, Subject,
};
use udn_wire::Kind;

use crate::dirty::Dirty;
pub use crate::dirty::Piece;
use crate::platform::outdated;
use crate::work::{Touched, WorkItem};
use grants::OwnGrants;
use nads::NadIndex;
use own::Revisions;
pub use own::{HostView, OwnNode, OwnPod};
use pods::PodIndex;

mod grants;
mod hearing;
mod kept;
mod nads;
mod nodes;
mod own;
mod pods;
#[cfg(test)]
pub(crate) mod tests;

/// The kinds that a zone reads; of UDNs and CUDNs it knows only what NADs tell.
pub const KINDS: [Kind; 5] = [Kind::Namespace, Kind::Node, Kind::Nad, Kind::Service, Kind::Pod];

/// The brain of one node's zone controller.
#[derive(Debug)]
pub struct Zone {
    pub(crate) node: NodeName,
    pub(crate) settings: Arc<ClusterSettings>,
    pub(crate) world: World,
    unlisted: BTreeSet<Kind>,
    /// What is not here and was told before.
    versions: Versions,
    /// The newest state of any object that was heard of, by kind.
    seen: BTreeMap<Kind, u64>,
    pub(crate) dirty: Dirty,
    pub(crate) nads: NadIndex,
    pub(crate) pods: PodIndex,
    /// The networks of which each node carries subnets.
    pub(crate) node_networks: BTreeMap<NodeName, Box<[NetworkName]>>,
    pub(crate) nad_states: NadStates,
    /// The default network, if it is ours to build.
    pub(crate) default: Option<Arc<Network>>,
    pub(crate) own: OwnGrants,
    /// How often the views of the own host and pods became others.
    pub(crate) revisions: Revisions,
    pub(crate) intent: Intent,
    pub(crate) grants: Grants,
    /// The present networks, by what their names in OVN begin with.
    pub(crate) names: BTreeMap<Prefix, NetworkName>,
    pub(crate) told: Told,
    /// What parts lacked when they were last drawn.
    pub(crate) lacking: BTreeMap<Prefix, BTreeMap<Part, Findings>>,
}

/// What was found, piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) nodes: BTreeMap<NodeName, Findings>,
    /// What is wrong with the node's OVN.
    pub(crate) platform: Option<Finding>,
    pub(crate) node_ids: Findings,
    pub(crate) nads: BTreeMap<ObjectName, Findings>,
    pub(crate) numbers: BTreeMap<NetworkName, Finding>,
    pub(crate) node_subnets: BTreeMap<NetworkName, Findings>,
    pub(crate) pods: BTreeMap<ObjectName, Findings>,
    pub(crate) addresses: BTreeMap<ObjectName, Findings>,
    /// Why pieces could not be renewed.
    pub(crate) failures: BTreeMap<Piece, Finding>,
}

impl Zone {
    pub fn new(node: NodeName, settings: Arc<ClusterSettings>) -> Self {
        let (default, own) =
            (Network::of_settings(&settings).map(Arc::new), OwnGrants::new(&settings));
        let mut zone = Self {
            node,
            settings,
            world: World::default(),
            unlisted: KINDS.into(),
            versions: Versions::default(),
            seen: BTreeMap::new(),
            dirty: Dirty::default(),
            nads: NadIndex::default(),
            pods: PodIndex::default(),
            node_networks: BTreeMap::new(),
            nad_states: NadStates::default(),
            default: default.clone(),
            own,
            revisions: Revisions::default(),
            intent: Intent::default(),
            grants: Grants::default(),
            names: BTreeMap::new(),
            told: Told::default(),
            lacking: BTreeMap::new(),
        };
        default.into_iter().for_each(|it| zone.add_default(it));
        zone
    }

    /// The default network is there before anything is heard, with numbers that nobody has to grant.
    fn add_default(&mut self, network: Arc<Network>) {
        let (tunnel_keys, transit) = Default::default();
        let numbers = NetworkGrant { id: NetworkId::DEFAULT, tunnel_keys, transit };
        self.grants.networks.insert(network.name.clone(), numbers);
        self.names.insert(Prefix::of(&network.name), network.name.clone());
        self.intent.networks.insert(network.name.clone(), network);
    }

    /// Whether all kinds were listed; before that, nothing is known.
    pub fn is_synced(&self) -> bool {
        self.unlisted.is_empty()
    }

    /// A piece that is not up to date; none before all kinds were listed.
    pub fn next_dirty(&self) -> Option<Piece> {
        self.dirty.first().filter(|_| self.is_synced()).cloned()
    }

    /// Reads a piece again; returns the work items whose rows are others now.
    pub fn renew(&mut self, piece: &Piece) -> Touched {
        self.dirty.remove(piece);
        let touched = match piece {
            Piece::Node(name) => self.renew_node(name),
            Piece::Services => self.renew_services(),
            Piece::Networks(nad) => self.renew_networks(nad),
            Piece::Pod(name) => self.renew_pod(name),
            Piece::Addresses(name) => self.renew_addresses(name),
        };
        if let Piece::Pod(name) | Piece::Addresses(name) = piece {
            self.touch_pod(name);
        }
        self.told.failures.remove(piece);
        touched
    }

    /// A piece could not be renewed: what was known of it before stays, until it changes.
    pub fn give_up(&mut self, piece: &Piece, finding: Finding) {
        self.dirty.remove(piece);
        self.told.failures.insert(piece.clone(), finding);
        if let Piece::Pod(name) | Piece::Addresses(name) = piece {
            self.touch_pod(name);
        }
    }

    /// Whether a piece could not be renewed when that was last tried.
    pub fn has_given_up(&self, piece: &Piece) -> bool {
        self.told.failures.contains_key(piece)
    }

    /// The networks that a piece reads: those that its NAD names, or named when it was last read.
    pub fn networks_of(&self, piece: &Piece) -> BTreeSet<NetworkName> {
        match piece {
            Piece::Networks(nad) => self.nads.networks(&[nad.clone()].into()),
            Piece::Node(_) | Piece::Services | Piece::Pod(_) | Piece::Addresses(_) => {
                BTreeSet::new()
            }
        }
    }

    /// The networks that could not be read, and why.
    pub(crate) fn unread(&self) -> impl Iterator<Item = (NetworkName, &Finding)> {
        let failures = self.told.failures.iter();
        failures
            .flat_map(|(piece, why)| self.networks_of(piece).into_iter().map(move |it| (it, why)))
    }

    /// Everything that there is or that stands, as for a full pass.
    pub fn everything(&self, rows: &Cache) -> Touched {
        let mut touched = Touched::default();
        touched.whole(WorkItem::Southbound);
        self.shared(&mut touched);
        let standing = owners::standing(rows);
        let standing = standing.iter().filter_map(owners::prefix);
        let standing = standing.filter(|it| !self.is_foreign(it));
        for prefix in self.names.keys().cloned().chain(standing) {
            touched.whole(WorkItem::Network(prefix));
        }
        touched
    }

    /// The same findings that a zone would have that reads all objects at once.
    pub fn findings(&self) -> Findings {
        let Told { nodes, node_ids, nads, numbers, node_subnets, pods, addresses, .. } = &self.told;
        let (platform, failures) = (&self.told.platform, &self.told.failures);
        let pieces = nodes.values().chain(nads.values()).chain(node_subnets.values());
        let pieces = pieces.chain(pods.values()).chain(addresses.values()).flatten();
        let numbers = numbers.values().chain(failures.values());
        // Nothing is drawn of a zone that is refused, so nothing lacks.
        let lacking = self.lacking.values().filter(|_| self.refusal().is_none());
        let lacking = lacking.flat_map(BTreeMap::values).flatten();
        let all = pieces.chain(node_ids).chain(platform).chain(numbers).chain(lacking).cloned();
        let mut all: Findings = all.chain(unreachable_nodes(&self.input())).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Why the zone may not be touched at all: its OVN is too old, or its node says that it shares it
    /// with others.
    pub fn refusal(&self) -> Option<&Finding> {
        let is_shared = || {
            let own = self.told.nodes.get(&self.node)?;
            own.iter().find(|_| !self.intent.nodes.contains_key(&self.node))
        };
        self.told.platform.as_ref().or_else(is_shared)
    }

    /// Looks whether the node's OVN can carry what is drawn; returns whether that is news.
    pub fn judge_platform(&mut self, rows: &Cache) -> bool {
        let judged = outdated(rows).map(|version| {
            let node = &self.node;
            let message = format!(
                "{node} has OVN {version}, and networks need 25.03 or later; upgrade OVN there"
            );
            Finding::new(Subject::Node(node.clone()), Reason::NotSupported, message)
        });
        let is_news = self.told.platform != judged;
        self.told.platform = judged;
        is_news
    }

    pub fn node(&self) -> &NodeName {
        &self.node
    }

    pub fn settings(&self) -> &Arc<ClusterSettings> {
        &self.settings
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// The newest state of any object that was heard of, by kind.
    pub fn seen(&self) -> &BTreeMap<Kind, u64> {
        &self.seen
    }

    /// Whether rows whose names begin so are another plugin's: the default network, where it is not
    /// ours to build.
    pub(crate) fn is_foreign(&self, prefix: &Prefix) -> bool {
        self.default.is_none() && *prefix == Prefix::of(&NetworkName::new(Network::DEFAULT))
    }

    /// The present network whose names in OVN begin so.
    pub fn network_of(&self, prefix: &Prefix) -> Option<&NetworkName> {
        self.names.get(prefix)
    }

    /// What the zone is drawn from.
    pub fn input(&self) -> DrawingInput<'_> {
        let Self { intent, grants, settings, node, .. } = self;
        DrawingInput { intent, grants, settings, zone: node }
    }

    /// What networks share is touched while one needs it; afterwards it stays as it is.
    pub(crate) fn shared(&self, touched: &mut Touched) {
        if udn_blueprint::shared_part(&self.input()).is_some() {
            touched.whole(WorkItem::Shared);
        }
    }
}

//! A UDN or CUDN with all that its status speaks of.
//!
//! Reads a [`View`] and a [`Decision`]; returns a [`Case`].
//! Invariant: only what belongs to this network is in its case.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use udn_model::{
    ClusterSettings, Finding, Network, NetworkGrant, NetworkName, ObjectName, Reason, Severity,
    Subject, Topic,
};
use udn_wire::Target;
use udn_wire::api::NetworkStatus;
use udn_wire::keys::POD_NETWORKS;
use udn_wire::nad_annotations::NadAnnotations;
use udn_wire::object::{Metadata, Nad};
use udn_wire::pod_networks::PodNetworks;

use crate::decision::Decision;
use crate::spec::read_cudn;
use crate::translate::{owner, wants};
use crate::view::{ClusterNodes, View};
use crate::work_item::{WorkItem, target_of};
use crate::world::{ManifestObject, World};

pub(super) struct Case<'a> {
    pub(super) world: &'a World,
    pub(super) cluster_nodes: &'a ClusterNodes,
    pub(super) settings: &'a ClusterSettings,
    pub(super) target: Target,
    pub(super) metadata: &'a Metadata,
    pub(super) standing: &'a NetworkStatus,
    pub(super) name: NetworkName,
    /// The network, if it may be.
    pub(super) network: Option<&'a Network>,
    pub(super) grant: Option<&'a NetworkGrant>,
    /// The NADs that were made for it, also those that are being deleted.
    pub(super) nads: BTreeMap<&'a ObjectName, &'a Nad>,
    findings: Vec<&'a Finding>,
}

impl<'a> Case<'a> {
    /// `None` if the object is gone, or the work item is not about one.
    pub(super) fn of(view: &'a View, decision: &'a Decision) -> Option<Self> {
        let world = &view.world;
        let WorkItem::Network(manifest) = &view.item else { return None };
        let (target, subject) = (target_of(manifest), Subject::Manifest(manifest.clone()));
        let ManifestObject { metadata, status: standing, .. } = world.manifest(manifest)?;
        let name = view.item.network()?;
        let network = decision.intent.networks.get(&name);
        // A NAD that somebody wrote may say the same name.
        let network = network.filter(|it| Some(&it.origin) == view.item.origin().as_ref());
        let is_own = |(name, nad): &(&ObjectName, &Nad)| {
            owner(world, name, nad).subject().as_ref() == Some(&subject)
        };
        let nads: BTreeMap<_, _> = world.nads.iter().filter(is_own).collect();
        let is_about = |it: &&Finding| match &it.subject {
            Subject::Network(about) => *about == name,
            Subject::Nad(about) => nads.get(about).is_some_and(|nad| !is_mended(it, nad)),
            Subject::Manifest(_) => it.subject == subject,
            Subject::Node(_) | Subject::Pod(_) | Subject::Claim(_) | Subject::Namespace(_) => false,
        };
        Some(Self {
            world,
            cluster_nodes: &view.cluster_nodes,
            settings: &decision.settings,
            target,
            metadata,
            standing,
            grant: network.and_then(|it| decision.grants.networks.get(&it.name)),
            network: network.map(|it| &**it),
            findings: decision.findings.iter().filter(is_about).collect(),
            name,
            nads,
        })
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.metadata.is_leaving()
    }

    pub(super) fn is_for_many_namespaces(&self) -> bool {
        !self.target.kind.is_namespaced()
    }

    /// The NADs that stand and stay.
    pub(super) fn staying(&self) -> impl Iterator<Item = (&'a ObjectName, &'a Nad)> {
        let all = self.nads.iter().map(|(name, nad)| (*name, *nad));
        all.filter(|(_, nad)| !nad.metadata.is_leaving())
    }

    /// Whether the network still wants a NAD that was made for it.
    pub(super) fn wants(&self, name: &ObjectName, nad: &Nad) -> bool {
        let maker = owner(self.world, name, nad);
        wants(self.world, self.settings, &maker, name) == Some(true)
    }

    /// Why numbers could not be given.
    pub(super) fn about_numbers(&self) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().copied().filter(|it| is_about_numbers(it))
    }

    /// Why NADs are not there.
    pub(super) fn about_nads(&self) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().copied().filter(|it| self.keeps_nads_away(it))
    }

    /// Everything else; errors come first.
    pub(super) fn about_the_rest(&self) -> Vec<&'a Finding> {
        let is_other = |it: &&Finding| !is_about_numbers(it) && !self.keeps_nads_away(it);
        let mut others: Vec<&Finding> = self.findings.iter().copied().filter(is_other).collect();
        others.sort_by_key(|it| it.severity());
        others
    }

    fn keeps_nads_away(&self, finding: &Finding) -> bool {
        let is_one_namespace = finding.reason.topic() == Topic::Namespace;
        let is_whole = self.network.is_none() && finding.severity() == Severity::Error;
        !is_about_numbers(finding) && (is_one_namespace || is_whole)
    }

    /// What the network is like, also where it may not be or is nowhere yet.
    pub(super) fn likeness(&self) -> Option<Cow<'a, Network>> {
        if let Some(network) = self.network {
            return Some(Cow::Borrowed(network));
        }
        let name = &self.target.name;
        let cudn = self.world.cluster_networks.get(name);
        let cudn = cudn.filter(|_| self.is_for_many_namespaces())?;
        let asked = read_cudn(name, &cudn.spec, self.settings).ok()?;
        Some(Cow::Owned(asked.read.network))
    }

    /// The pods that use some NADs, in order.
    pub(super) fn users(&self, nads: &BTreeSet<&ObjectName>) -> Vec<String> {
        let pods = self.world.pods.iter().filter(|(_, pod)| pod.is_on_networks());
        let users = pods.filter(|(_, pod)| {
            let annotation = pod.metadata.annotation(POD_NETWORKS);
            let networks = annotation.and_then(|text| PodNetworks::decode(text).ok());
            networks.is_some_and(|it| it.nads().any(|it| nads.contains(&it)))
        });
        users.map(|(name, _)| name.to_string()).collect()
    }
}

/// Only the ledger speaks of networks by their names.
fn is_about_numbers(finding: &Finding) -> bool {
    matches!(finding.subject, Subject::Network(_))
}

/// Whether a NAD's annotations were unreadable when the reconcile began and no longer are: the controller
/// writes them itself.
pub(super) fn is_mended(finding: &Finding, nad: &Nad) -> bool {
    finding.reason == Reason::InvalidAnnotation
        && NadAnnotations::decode(&nad.metadata.annotations).is_ok()
}

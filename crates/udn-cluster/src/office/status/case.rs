//! A UDN or CUDN with all that its status speaks of.
//!
//! Reads a [`Slice`] and a [`Verdict`]; returns a [`Case`].
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
use udn_wire::kind::Kind;
use udn_wire::nad_annotations::NadAnnotations;
use udn_wire::object::{Definition, Metadata};
use udn_wire::pod_networks::PodNetworks;

use crate::affair::Affair;
use crate::office::{Roster, Slice, Verdict};
use crate::spec::read_cudn;
use crate::translate::{owner, wants};
use crate::world::World;

pub(super) struct Case<'a> {
    pub(super) world: &'a World,
    pub(super) roster: &'a Roster,
    pub(super) settings: &'a ClusterSettings,
    pub(super) target: Target,
    pub(super) metadata: &'a Metadata,
    pub(super) standing: &'a NetworkStatus,
    pub(super) name: NetworkName,
    /// The network, if it may be.
    pub(super) network: Option<&'a Network>,
    pub(super) grant: Option<&'a NetworkGrant>,
    /// The NADs that were made for it, also those that are being deleted.
    pub(super) definitions: BTreeMap<&'a ObjectName, &'a Definition>,
    findings: Vec<&'a Finding>,
}

impl<'a> Case<'a> {
    /// `None` if the object is gone, or the affair is not about one.
    pub(super) fn of(slice: &'a Slice, verdict: Verdict<'a>) -> Option<Self> {
        let world = &slice.world;
        let (target, subject, metadata, standing) = object(world, &slice.affair)?;
        let name = slice.affair.network()?;
        let network = verdict.intent.networks.get(&name);
        // A NAD that somebody wrote may say the same name.
        let network = network.filter(|it| Some(&it.origin) == slice.affair.origin().as_ref());
        let is_own = |(name, definition): &(&ObjectName, &Definition)| {
            owner(world, name, definition).subject().as_ref() == Some(&subject)
        };
        let definitions: BTreeMap<_, _> = world.definitions.iter().filter(is_own).collect();
        let is_about = |it: &&Finding| match &it.subject {
            Subject::Network(about) => *about == name,
            Subject::Definition(about) => {
                definitions.get(about).is_some_and(|nad| !is_mended(it, nad))
            }
            Subject::UserDefinedNetwork(_) | Subject::ClusterUserDefinedNetwork(_) => {
                it.subject == subject
            }
            Subject::Node(_) | Subject::Pod(_) | Subject::Claim(_) | Subject::Namespace(_) => false,
        };
        Some(Self {
            world,
            roster: &slice.roster,
            settings: verdict.settings,
            target,
            metadata,
            standing,
            grant: network.and_then(|it| verdict.grants.networks.get(&it.name)),
            network: network.map(|it| &**it),
            findings: verdict.findings.iter().filter(is_about).collect(),
            name,
            definitions,
        })
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.metadata.is_leaving()
    }

    pub(super) fn is_for_many_namespaces(&self) -> bool {
        !self.target.kind.is_namespaced()
    }

    /// The NADs that stand and stay.
    pub(super) fn staying(&self) -> impl Iterator<Item = (&'a ObjectName, &'a Definition)> {
        let all = self.definitions.iter().map(|(name, definition)| (*name, *definition));
        all.filter(|(_, definition)| !definition.metadata.is_leaving())
    }

    /// Whether the network still wants a NAD that was made for it.
    pub(super) fn wants(&self, name: &ObjectName, definition: &Definition) -> bool {
        let maker = owner(self.world, name, definition);
        wants(self.world, self.settings, &maker, name) == Some(true)
    }

    /// Why numbers could not be given.
    pub(super) fn about_numbers(&self) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().copied().filter(|it| is_about_numbers(it))
    }

    /// Why NADs are not there.
    pub(super) fn about_definitions(&self) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().copied().filter(|it| self.keeps_definitions_away(it))
    }

    /// Everything else; errors come first.
    pub(super) fn about_the_rest(&self) -> Vec<&'a Finding> {
        let is_other = |it: &&Finding| !is_about_numbers(it) && !self.keeps_definitions_away(it);
        let mut others: Vec<&Finding> = self.findings.iter().copied().filter(is_other).collect();
        others.sort_by_key(|it| it.severity());
        others
    }

    fn keeps_definitions_away(&self, finding: &Finding) -> bool {
        let is_one_namespace = finding.reason.topic() == Topic::Seat;
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
        let asked = read_cudn(name, &cudn.spec.value(), self.settings).ok()?.asked;
        Some(Cow::Owned(asked.read.network))
    }

    /// The pods that use some NADs, in order.
    pub(super) fn users(&self, definitions: &BTreeSet<&ObjectName>) -> Vec<String> {
        let pods = self.world.pods.iter().filter(|(_, pod)| pod.is_on_networks());
        let users = pods.filter(|(_, pod)| {
            let annotation = pod.metadata.annotation(POD_NETWORKS);
            let networks = annotation.and_then(|text| PodNetworks::decode(text).ok());
            networks.is_some_and(|it| it.definitions().any(|it| definitions.contains(&it)))
        });
        users.map(|(name, _)| name.to_string()).collect()
    }
}

/// The object that the affair is about.
fn object<'a>(
    world: &'a World,
    affair: &Affair,
) -> Option<(Target, Subject, &'a Metadata, &'a NetworkStatus)> {
    match affair {
        Affair::UserDefinedNetwork(name) => {
            let udn = world.networks.get(name)?;
            let (kind, namespace) = (Kind::UserDefinedNetwork, name.namespace.to_string());
            let target = Target { kind, namespace, name: name.name.to_string() };
            let subject = Subject::UserDefinedNetwork(name.clone());
            Some((target, subject, &udn.metadata, &udn.status))
        }
        Affair::ClusterUserDefinedNetwork(name) => {
            let cudn = world.cluster_networks.get(name)?;
            let (kind, namespace) = (Kind::ClusterUserDefinedNetwork, String::new());
            let target = Target { kind, namespace, name: name.clone() };
            let subject = Subject::ClusterUserDefinedNetwork(name.clone());
            Some((target, subject, &cudn.metadata, &cudn.status))
        }
        Affair::Written(_)
        | Affair::Node(_)
        | Affair::DefaultDefinition
        | Affair::Pod(_)
        | Affair::Claim(_) => None,
    }
}

/// Only the ledger speaks of networks by their names.
fn is_about_numbers(finding: &Finding) -> bool {
    matches!(finding.subject, Subject::Network(_))
}

/// Whether a NAD's annotations were unreadable when the turn began and no longer are: the office
/// writes them itself.
pub(super) fn is_mended(finding: &Finding, definition: &Definition) -> bool {
    finding.reason == Reason::InvalidAnnotation
        && NadAnnotations::decode(&definition.metadata.annotations).is_ok()
}

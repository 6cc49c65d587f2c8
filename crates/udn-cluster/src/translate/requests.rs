//! What UDNs and CUDNs ask for.
//!
//! Reads the manifests; returns a proposal for each that is in order, with the NADs that exist or
//! must exist for it.
//! Invariant: a NAD that a living pod still uses stays, whoever no longer wants it.

use std::collections::BTreeSet;

use udn_model::{ClusterSettings, Finding, Findings, Manifest, ObjectName, Reason, Subject};
use udn_wire::api::NetworkStatus;
use udn_wire::object::{ClusterUserDefinedNetwork, Metadata, Namespace, UserDefinedNetwork};
use udn_wire::refusal::Refusal;

use super::attachments::PodRequests;
use super::nads::{PublishedNetworks, ReadNads};
use super::owner::{Owner, owner};
use super::proposal::Proposal;
use super::statuses;
use crate::spec::{Asked, NamespaceIndex, ReadSpec, Selector, read_cudn, read_udn};
use crate::world::World;

/// All proposals of manifests.
pub(super) fn proposals(
    world: &World,
    settings: &ClusterSettings,
    (read_nads, published): (&ReadNads<'_>, &PublishedNetworks),
    pod_requests: &PodRequests<'_>,
    findings: &mut Findings,
) -> Vec<Proposal> {
    let namespaces = NamespaceIndex::of(&world.namespaces);
    let mut counter =
        Counter { world, settings, read_nads, published, pod_requests, namespaces, findings };
    let narrow = world.networks.iter();
    let mut proposals: Vec<Proposal> =
        narrow.filter_map(|(name, udn)| counter.propose_udn(name, udn)).collect();
    let wide = world.cluster_networks.iter();
    proposals.extend(wide.filter_map(|(name, cudn)| counter.propose_cudn(name, cudn)));
    proposals
}

struct Counter<'a> {
    world: &'a World,
    settings: &'a ClusterSettings,
    read_nads: &'a ReadNads<'a>,
    published: &'a PublishedNetworks,
    pod_requests: &'a PodRequests<'a>,
    namespaces: NamespaceIndex<'a>,
    findings: &'a mut Findings,
}

impl Counter<'_> {
    fn propose_udn(&mut self, name: &ObjectName, udn: &UserDefinedNetwork) -> Option<Proposal> {
        let maker = Owner::Manifest(Manifest::Udn(name.clone()));
        let settings = self.read_nads.settings_of(&maker, self.settings);
        let read = read_udn(name, &udn.spec, &settings);
        let asked = self.unless_refused(&maker, read)?;
        let is_wanted = wants_udn(self.world, name, udn);
        let wanted = is_wanted.then(|| name.clone()).into_iter().collect();
        Some(self.propose(&maker, (&udn.metadata, &udn.status), asked, wanted))
    }

    fn propose_cudn(&mut self, name: &str, cudn: &ClusterUserDefinedNetwork) -> Option<Proposal> {
        let maker = Owner::Manifest(Manifest::Cudn(name.to_owned()));
        let settings = self.read_nads.settings_of(&maker, self.settings);
        let read = read_cudn(name, &cudn.spec, &settings);
        let asked = self.unless_refused(&maker, read)?;
        let spec = ReadSpec::of_cudn(&cudn.spec);
        let selector = spec.selector.as_ref()?;
        let selected = self.namespaces.selected(selector).into_iter();
        let selected = selected.filter(|(_, it)| wants_cudn(cudn, selector, it));
        let wanted = selected.map(|(namespace, _)| ObjectName::new(namespace, name)).collect();
        Some(self.propose(&maker, (&cudn.metadata, &cudn.status), asked, wanted))
    }

    fn unless_refused<T>(&mut self, maker: &Owner, read: Result<T, Vec<Refusal>>) -> Option<T> {
        let subject = maker.subject().expect("a manifest can be told");
        let tell = |refusal: Refusal| refusal.about(subject.clone());
        read.map_err(|refusals| self.findings.extend(refusals.into_iter().map(tell))).ok()
    }

    fn propose(
        &mut self,
        maker: &Owner,
        (metadata, status): (&Metadata, &NetworkStatus),
        asked: Asked,
        wanted: Vec<ObjectName>,
    ) -> Proposal {
        let mut network = asked.read.network;
        let subject = maker.subject().expect("a manifest can be told");
        let kept = self.kept(maker, &subject, &wanted);
        let mut foreign = Vec::new();
        for nad in wanted {
            if self.is_foreign(maker, &nad) {
                let message = format!(
                    "NAD {nad} exists and was not made for this network; delete or rename it"
                );
                let reason = Reason::ForeignDefinition;
                let finding = Finding::new(subject.clone(), reason, message);
                self.findings.push(finding.at("metadata.name"));
                foreign.push(nad);
            } else {
                network.nads.push(nad);
            }
        }
        network.nads.extend(kept);
        let is_alive = self.read_nads.has_number(maker) || statuses::id(status).is_some();
        let standing = self.read_nads.made_for(maker).map(|it| (it.name.clone(), it.standing()));
        Proposal {
            id: is_alive.then(|| self.published.get(&network.name)?.id).flatten(),
            network,
            maker: Some(subject),
            place: Some(asked.place),
            created: metadata.creation_timestamp.clone(),
            standing: standing.collect(),
            foreign,
        }
    }

    fn is_foreign(&self, maker: &Owner, nad: &ObjectName) -> bool {
        let standing = self.world.nads.get(nad);
        standing.is_some_and(|it| owner(self.world, nad, it) != *maker)
    }

    /// NADs that are no longer wanted but still used.
    fn kept(&mut self, maker: &Owner, subject: &Subject, wanted: &[ObjectName]) -> Vec<ObjectName> {
        let wanted: BTreeSet<&ObjectName> = wanted.iter().collect();
        let made = self.read_nads.made_for(maker).map(|it| it.name);
        let used =
            made.filter(|name| !wanted.contains(name) && self.pod_requests.use_of(name).is_some());
        let used: Vec<ObjectName> = used.cloned().collect();
        for name in &used {
            let user = self.pod_requests.use_of(name).expect("only used ones are left");
            let message = format!(
                "NAD {name} is no longer wanted, but pod {user} still uses it; delete the pod"
            );
            self.findings.push(Finding::new(subject.clone(), Reason::Waiting, message));
        }
        used
    }
}

/// Whether a NAD is still wanted by who it was made for; `None` if the manifest does not tell.
pub(crate) fn wants(
    world: &World,
    settings: &ClusterSettings,
    maker: &Owner,
    nad: &ObjectName,
) -> Option<bool> {
    match maker {
        Owner::Nobody => None,
        Owner::Gone => Some(false),
        Owner::Manifest(Manifest::Udn(name)) => {
            Some(wants_udn(world, name, world.networks.get(name)?) && name == nad)
        }
        Owner::Manifest(Manifest::Cudn(name)) => {
            let cudn = world.cluster_networks.get(name)?;
            if cudn.metadata.is_leaving() {
                return Some(false);
            }
            read_cudn(name, &cudn.spec, settings).ok()?;
            let spec = ReadSpec::of_cudn(&cudn.spec);
            let selector = spec.selector.as_ref()?;
            let namespace = world.namespaces.get(&*nad.namespace);
            let is_selected = namespace.is_some_and(|it| wants_cudn(cudn, selector, it));
            Some(is_selected && **name == *nad.name)
        }
    }
}

fn wants_udn(world: &World, name: &ObjectName, udn: &UserDefinedNetwork) -> bool {
    let namespace = world.namespaces.get(&*name.namespace);
    !udn.metadata.is_leaving() && !namespace.is_some_and(|it| it.metadata.is_leaving())
}

fn wants_cudn(cudn: &ClusterUserDefinedNetwork, selector: &Selector, it: &Namespace) -> bool {
    !cudn.metadata.is_leaving()
        && !it.metadata.is_leaving()
        && selector.selects(&it.metadata.labels)
}

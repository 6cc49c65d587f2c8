//! NADs: those made for UDNs and CUDNs, and the numbers on all of them.
//!
//! Reads a network and its numbers; returns the writes that are missing.
//! Invariant: a NAD that somebody wrote gets annotations and nothing else.

use serde_json::{Map, Value, json};
use udn_model::{ClusterSettings, Manifest, Network, NetworkGrant, ObjectName, Origin};
use udn_wire::Target;
use udn_wire::addresses::list;
use udn_wire::keys::{FINALIZER, MADE_LABEL, PREFIX};
use udn_wire::kind::Kind;
use udn_wire::nad_annotations::NadAnnotations;
use udn_wire::nad_config::NetConf;
use udn_wire::object::{Metadata, Nad, OwnerReference};
use udn_wire::texts::Texts;

use crate::spec::{config_of_cudn, config_of_udn};
use crate::world::World;
use crate::write::{Act, Write};

/// The NADs of a network that are missing or not as they should be, and the numbers on those that
/// somebody wrote: requests that fail where a NAD is no longer as it was seen.
pub(super) fn of_network(
    world: &World,
    network: &Network,
    grant: &NetworkGrant,
    settings: &ClusterSettings,
) -> Vec<Write> {
    // A living network keeps its join subnets, whatever the settings say today.
    let join = network.primary().map_or(settings.join, |primary| primary.join);
    let settings = ClusterSettings { join, ..settings.clone() };
    match Maker::of(world, &network.origin, &settings) {
        Some(maker) => maker.make(world, network, grant),
        None => mark(world, network, grant),
    }
}

/// The NAD that a UDN or CUDN gets in a namespace, as far as no numbers are needed for it.
///
/// Also of a network that is not built yet, of which no NAD is written: this is what it will be.
pub fn preview(
    world: &World,
    origin: &Origin,
    nad: &ObjectName,
    settings: &ClusterSettings,
) -> Option<Value> {
    let maker = Maker::of(world, origin, settings)?;
    let net_attach_def_name = nad.to_string();
    let config = NetConf { net_attach_def_name, ..maker.config.clone() };
    Some(maker.draft(None, config, &Texts::default()).object(nad))
}

/// The numbers on NADs that somebody wrote.
fn mark(world: &World, network: &Network, grant: &NetworkGrant) -> Vec<Write> {
    let marks = marks(network, grant);
    let mark = |name: &ObjectName| {
        let seen = &world.nads.get(name)?.metadata;
        let is_marked = marks.iter().all(|(key, text)| seen.annotations.get(key) == Some(text));
        let metadata = Map::from_iter([("annotations".to_owned(), json!(marks))]);
        let write = || Write::patch(Target::nad(name), seen, metadata);
        (!is_marked && !seen.is_leaving()).then(write)
    };
    network.nads.iter().filter_map(mark).collect()
}

fn marks(network: &Network, grant: &NetworkGrant) -> Texts {
    let name = Some(network.name.clone());
    NadAnnotations { name, id: Some(grant.id), tunnel_keys: Some(grant.tunnel_keys.clone()) }
        .encode()
}

/// The UDN or CUDN that NADs are made for.
struct Maker<'a> {
    kind: Kind,
    metadata: &'a Metadata,
    config: NetConf,
}

impl<'a> Maker<'a> {
    fn of(world: &'a World, origin: &Origin, settings: &ClusterSettings) -> Option<Self> {
        match origin {
            Origin::Manifest(Manifest::Udn(name)) => {
                let udn = world.networks.get(name)?;
                let config = config_of_udn(name, &udn.spec, settings).ok()?;
                Some(Self { kind: Kind::UserDefinedNetwork, metadata: &udn.metadata, config })
            }
            Origin::Manifest(Manifest::Cudn(name)) => {
                let cudn = world.cluster_networks.get(name)?;
                let config = config_of_cudn(name, &cudn.spec, settings).ok()?;
                let kind = Kind::ClusterUserDefinedNetwork;
                Some(Self { kind, metadata: &cudn.metadata, config })
            }
            Origin::Nads | Origin::Settings => None,
        }
    }

    fn make(&self, world: &World, network: &Network, grant: &NetworkGrant) -> Vec<Write> {
        let transit = network.subnets.iter().filter_map(|it| grant.transit.of(it.family()));
        let transit = if network.is_primary() { list(transit) } else { String::new() };
        let marks = marks(network, grant);
        let made = network.nads.iter().filter_map(|name| {
            let standing = world.nads.get(name);
            let config = NetConf {
                net_attach_def_name: name.to_string(),
                transit_subnet: transit.clone(),
                ..self.config.clone()
            };
            let wanted = self.draft(standing, config, &marks);
            let is_right = standing.is_some_and(|it| it.metadata.is_leaving() || wanted.is(it));
            (!is_right).then(|| wanted.write(name, standing))
        });
        made.collect()
    }

    /// The NAD as it should be.
    // compat: pkg/clustermanager/userdefinednetwork/template/net-attach-def-template.go
    fn draft(&self, standing: Option<&Nad>, config: NetConf, marks: &Texts) -> Draft {
        let is_theirs = |(key, _): &(&str, &String)| !key.starts_with(PREFIX);
        let copied = self.metadata.annotations.iter().filter(is_theirs);
        let of_controllers = standing.iter().flat_map(|it| &it.metadata.annotations);
        let of_controllers = of_controllers.filter(|(key, _)| key.starts_with(PREFIX));
        let mut labels = Texts::from([(MADE_LABEL.to_owned(), String::new())]);
        labels.extend(self.metadata.labels.clone());
        let finalizers = standing.map_or(&[][..], |it| &it.metadata.finalizers);
        let others = finalizers.iter().filter(|it| *it != FINALIZER).cloned();
        Draft {
            labels,
            annotations: copied.chain(of_controllers).chain(marks).map(owned).collect(),
            finalizers: [FINALIZER.to_owned()].into_iter().chain(others).collect(),
            owner: OwnerReference {
                api_version: self.kind.api_version().to_owned(),
                kind: self.kind.as_str().to_owned(),
                name: self.metadata.name.clone(),
                uid: self.metadata.uid.clone(),
                controller: true,
                block_owner_deletion: true,
            },
            config: config.encode(),
        }
    }
}

fn owned((key, text): (&str, &String)) -> (String, String) {
    (key.to_owned(), text.clone())
}

/// A NAD of ours.
struct Draft {
    labels: Texts,
    annotations: Texts,
    finalizers: Vec<String>,
    owner: OwnerReference,
    config: String,
}

impl Draft {
    /// Whether a standing NAD is just so.
    fn is(&self, standing: &Nad) -> bool {
        let Metadata { labels, annotations, finalizers, owner_references, .. } = &standing.metadata;
        *labels == self.labels
            && *annotations == self.annotations
            && finalizers.contains(&self.finalizers[0])
            && *owner_references == [self.owner.clone()]
            && standing.spec.config == self.config
    }

    /// Creates the NAD, or replaces the one that was seen.
    fn write(&self, name: &ObjectName, standing: Option<&Nad>) -> Write {
        let (target, mut object) = (Target::nad(name), self.object(name));
        let Some(Nad { metadata: seen, .. }) = standing else {
            return Write { target, act: Act::Create(object) };
        };
        object["metadata"]["uid"] = seen.uid.clone().into();
        object["metadata"]["resourceVersion"] = seen.resource_version.clone().into();
        Write { target, act: Act::Replace(object) }
    }

    fn object(&self, name: &ObjectName) -> Value {
        let mut metadata = Map::new();
        metadata.insert("labels".to_owned(), json!(self.labels));
        metadata.insert("annotations".to_owned(), json!(self.annotations));
        metadata.insert("finalizers".to_owned(), json!(self.finalizers));
        let OwnerReference {
            api_version,
            kind,
            name: owner,
            uid,
            controller,
            block_owner_deletion,
        } = &self.owner;
        let owner = json!({
            "apiVersion": api_version,
            "kind": kind,
            "name": owner,
            "uid": uid,
            "controller": controller,
            "blockOwnerDeletion": block_owner_deletion,
        });
        metadata.insert("ownerReferences".to_owned(), Value::Array(vec![owner]));
        let mut object = Target::nad(name).object(metadata);
        object["spec"] = json!({ "config": self.config });
        object
    }
}

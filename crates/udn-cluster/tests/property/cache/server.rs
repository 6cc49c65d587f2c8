//! A server with a memory: what it tells may be told late, twice, or in a list of the past.

use std::collections::BTreeMap;

use serde_json::Value;
use udn_cluster::World;
use udn_model::{NodeName, ObjectName};
use udn_wire::object::AnyObject;
use udn_wire::{Kind, Target};

use super::drafts::Draft;

/// Something that was the case from a version on.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) version: u64,
    pub(crate) target: Target,
    /// `None` for a deletion.
    pub(crate) object: Option<Value>,
}

/// All that ever happened.
#[derive(Debug, Default)]
pub(crate) struct Server {
    pub(crate) log: Vec<Entry>,
}

impl Server {
    pub(crate) fn version(&self) -> u64 {
        self.log.len() as u64
    }

    pub(crate) fn write(&mut self, Draft { kind, mut object }: Draft) {
        let version = self.version() + 1;
        object["metadata"]["resourceVersion"] = version.to_string().into();
        let target = target(kind, &object);
        self.log.push(Entry { version, target, object: Some(object) });
    }

    /// Deletes one of the objects that there are.
    pub(crate) fn delete(&mut self, choose: impl Fn(usize) -> usize) {
        let present = self.at(self.version());
        if present.is_empty() {
            return;
        }
        let target = present.keys().nth(choose(present.len())).unwrap().clone();
        let version = self.version() + 1;
        self.log.push(Entry { version, target, object: None });
    }

    /// The objects that there were at a version.
    pub(crate) fn at(&self, version: u64) -> BTreeMap<Target, Value> {
        let mut present = BTreeMap::new();
        for entry in self.log.iter().filter(|it| it.version <= version) {
            match &entry.object {
                Some(object) => drop(present.insert(entry.target.clone(), object.clone())),
                None => drop(present.remove(&entry.target)),
            }
        }
        present
    }

    pub(crate) fn list(&self, kind: Kind, version: u64) -> Vec<AnyObject> {
        let present = self.at(version).into_iter().filter(|(target, _)| target.kind == kind);
        present.map(|(_, object)| decode(kind, object)).collect()
    }
}

/// What somebody knows who believes the newest that was told of each object.
#[derive(Debug, Default)]
pub(crate) struct Belief {
    /// What was told of an object, and at which version that was the case.
    told: BTreeMap<Target, (u64, Option<Value>)>,
    lists: BTreeMap<Kind, u64>,
}

impl Belief {
    pub(crate) fn hear(&mut self, entry: &Entry) {
        let Entry { version, target, object } = entry;
        // What a list did not have was told to be absent then.
        let listed = self.lists.get(&target.kind).copied().unwrap_or(0);
        let known = self.told.get(target).map_or(listed, |(at, _)| *at);
        if *version > known {
            self.told.insert(target.clone(), (*version, object.clone()));
        }
    }

    pub(crate) fn hear_list(
        &mut self,
        kind: Kind,
        present: &BTreeMap<Target, Value>,
        version: u64,
    ) {
        let newest = self.lists.entry(kind).or_default();
        if version < *newest {
            return;
        }
        *newest = version;
        for (target, told) in &mut self.told {
            if target.kind == kind && told.0 <= version {
                *told = (version, present.get(target).cloned());
            }
        }
        for (target, object) in present.iter().filter(|(it, _)| it.kind == kind) {
            let told = self.told.entry(target.clone());
            told.or_insert((version, Some(object.clone())));
        }
    }

    /// What is believed to be there, in an order that no name has.
    pub(crate) fn lists(&self) -> BTreeMap<Kind, Vec<AnyObject>> {
        let mut lists: BTreeMap<Kind, Vec<AnyObject>> = BTreeMap::new();
        for (target, (_, object)) in self.told.iter().rev() {
            let object = object.iter().map(|it| decode(target.kind, it.clone()));
            lists.entry(target.kind).or_default().extend(object);
        }
        lists
    }

    pub(crate) fn world(&self) -> World {
        let mut world = World::default();
        for (target, (_, object)) in &self.told {
            if let Some(object) = object {
                lay(&mut world, decode(target.kind, object.clone()));
            }
        }
        world
    }
}

pub(crate) fn decode(kind: Kind, object: Value) -> AnyObject {
    AnyObject::decode(kind, &object.to_string()).unwrap()
}

fn target(kind: Kind, object: &Value) -> Target {
    let text = |key: &str| object["metadata"][key].as_str().unwrap_or("").to_owned();
    Target { kind, namespace: text("namespace"), name: text("name") }
}

fn lay(world: &mut World, object: AnyObject) {
    let metadata = object.metadata();
    let name = metadata.name.clone();
    let (both, node) = (ObjectName::new(&metadata.namespace, &name), NodeName::new(&name));
    match object {
        AnyObject::Namespace(it) => drop(world.namespaces.insert(name, it)),
        AnyObject::Node(it) => drop(world.nodes.insert(node, it)),
        AnyObject::UserDefinedNetwork(it) => drop(world.networks.insert(both, it)),
        AnyObject::ClusterUserDefinedNetwork(it) => drop(world.cluster_networks.insert(name, it)),
        AnyObject::Nad(it) => drop(world.nads.insert(both, it)),
        AnyObject::Service(it) => drop(world.services.insert(both, it)),
        AnyObject::Pod(it) => drop(world.pods.insert(both, it)),
        AnyObject::Claim(it) => drop(world.claims.insert(both, it)),
        AnyObject::Machine(it) => drop(world.machines.insert(both, it)),
        AnyObject::Report(it) => drop(world.reports.insert(node, it)),
    }
}

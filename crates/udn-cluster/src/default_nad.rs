//! The NAD of the default network, which requests for addresses name; it always exists.
//!
//! Reads a view; returns the writes that are missing.
//! Invariant: a NAD or a namespace that is being deleted is left alone.

use serde_json::{Map, json};
use udn_model::{ClusterSettings, ObjectName};
use udn_wire::Target;
use udn_wire::keys::{CNI_TYPE, CNI_VERSION};
use udn_wire::kind::Kind;
use udn_wire::object::Metadata;

use crate::cache::Lookup;
use crate::world::World;
use crate::write::{Act, Write};

/// The small world of the default NAD: itself and its namespace.
pub(crate) fn view(lookup: Lookup<'_>, name: &ObjectName) -> World {
    let mut world = World::default();
    world.namespaces.share(&lookup.world.namespaces, &*name.namespace);
    world.nads.share(&lookup.world.nads, name);
    world
}

/// The NAD that requests for addresses name, and its namespace.
pub(crate) fn writes(world: &World, settings: &ClusterSettings) -> Vec<Vec<Write>> {
    let ObjectName { namespace, name } = &settings.default_nad;
    let home = match world.namespaces.get(&**namespace) {
        Some(it) if it.metadata.is_leaving() => return Vec::new(),
        Some(_) => None,
        None => {
            let (none, name) = (String::new(), namespace.to_string());
            let target = Target { kind: Kind::Namespace, namespace: none, name };
            let object = target.object(Map::new());
            Some(Write { target, act: Act::Create(object) })
        }
    };
    let target = Target::nad(&settings.default_nad);
    let config = json!({ "cniVersion": CNI_VERSION, "name": "ovn-kubernetes", "type": CNI_TYPE })
        .to_string();
    let nad = world.nads.get(&ObjectName::new(namespace, name));
    let nad = match nad {
        None => {
            let mut object = target.object(Map::new());
            object["spec"] = json!({ "config": config });
            Some(Write { target, act: Act::Create(object) })
        }
        Some(it) if it.metadata.is_leaving() || it.spec.config == config => None,
        Some(it) => Some(repaired(target, &it.metadata, config)),
    };
    [home, nad].map(|it| it.into_iter().collect()).into()
}

fn repaired(target: Target, seen: &Metadata, config: String) -> Write {
    let metadata = json!({ "uid": seen.uid, "resourceVersion": seen.resource_version });
    let act = Act::Patch(json!({ "metadata": metadata, "spec": { "config": config } }));
    Write { target, act }
}

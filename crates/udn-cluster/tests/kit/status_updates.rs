//! A cluster controller that has written everything and now tells about it, judged by our own CRDs.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube_schema::Catalog;
use serde_json::{Value, json};
use udn_cluster::dry_run::{Scope, dry_run, reconciler_of};
use udn_cluster::{Act, ClusterNodes, StatusUpdate, WorkItem, World};
use udn_model::{ClusterSettings, Manifest, NodeName};
use udn_wire::api::NetworkStatus;
use udn_wire::object::NodeNetworkReport;

/// Nodes and what their reports say.
pub(crate) type Nodes = BTreeMap<NodeName, Option<Arc<NodeNetworkReport>>>;

/// The version of all NADs.
pub(crate) const VERSION: &str = "100";

pub(crate) fn report(name: &str, status: &Value) -> (NodeName, Option<Arc<NodeNetworkReport>>) {
    let report = json!({"metadata": {"name": name}, "status": status});
    let report = serde_json::from_value(report).expect("a report is read whatever it says");
    (NodeName::new(name), Some(Arc::new(report)))
}

/// The world with the controller's NADs in it.
pub(crate) fn written(mut world: World, settings: &ClusterSettings) -> World {
    world.nads = dry_run(world.clone(), settings, Scope::Manifests).world.nads;
    for nad in world.nads.values_mut() {
        nad.metadata.resource_version = VERSION.to_owned();
    }
    world
}

pub(crate) fn status_update(
    world: &World,
    item: &WorkItem,
    nodes: &Nodes,
    settings: &ClusterSettings,
) -> StatusUpdate {
    let mut reconciler = reconciler_of(world, settings);
    let mut view = reconciler.view(item);
    view.cluster_nodes = Arc::new(ClusterNodes { nodes: nodes.clone(), ..ClusterNodes::default() });
    reconciler.decide(view).status_update("2026-11-16T07:00:00Z".to_owned())
}

/// Puts what is told into the world, as a server with our CRDs would; complains if it would refuse.
pub(crate) fn store(
    catalog: &Catalog,
    world: &mut World,
    item: &WorkItem,
    status_update: &StatusUpdate,
) -> NetworkStatus {
    let (spec, standing) = match item {
        WorkItem::Network(Manifest::Udn(name)) => {
            let udn = world.networks.get_mut(name).expect("the item is of this world");
            (&udn.spec, &mut udn.status)
        }
        WorkItem::Network(Manifest::Cudn(name)) => {
            let cudn = world.cluster_networks.get_mut(name).expect("the item is of this world");
            (&cudn.spec, &mut cudn.status)
        }
        WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad
        | WorkItem::Pod(_)
        | WorkItem::Claim(_) => panic!("{item}"),
    };
    if let Some(write) = &status_update.write {
        let Act::ApplyStatus(object) = &write.act else { panic!("{write:?}") };
        let mut new = object.clone();
        new["spec"] = spec.value();
        let mut old = new.clone();
        old.as_object_mut().expect("an object").remove("status");
        let verdict = catalog.update_status(new, &old);
        let wrong = verdict.errors.iter().filter(|it| it.to_string().contains("status"));
        assert_eq!(wrong.map(ToString::to_string).collect::<Vec<_>>(), Vec::<String>::new());
        assert_eq!(verdict.strict, []);
        assert_eq!(verdict.object["status"], object["status"], "nothing is pruned");
        *standing = serde_json::from_value(object["status"].clone()).expect("our own type");
    }
    standing.clone()
}

//! Follows the node's own report, so that what somebody changes in it is written again.
//!
//! Invariant: what is followed is one object; without a server or the CRD nothing is known of it.

use futures_util::{StreamExt, pin_mut};
use kube::Client;
use kube::api::{Api, DynamicObject};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, Event, watcher};
use tokio::sync::watch;
use tracing::debug;
use udn_model::NodeName;
use udn_wire::Kind;
use udn_wire::api::{PhysicalNetwork, ReportStatus, UnusablePhysicalNetwork};

/// What a report says, as far as the host writes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reported {
    /// The Node with which it goes.
    pub(super) uid: String,
    pub(super) physical: Vec<PhysicalNetwork>,
    pub(super) unusable: Vec<UnusablePhysicalNetwork>,
}

/// Follows the report of a node, until nobody is interested; must be called inside a tokio runtime.
pub(super) fn follow(client: Client, node: NodeName) -> watch::Receiver<Option<Reported>> {
    let (tell, told) = watch::channel(None);
    tokio::spawn(async move {
        tokio::select! {
            () = listen(client, &node, &tell) => {}
            () = tell.closed() => {}
        }
    });
    told
}

async fn listen(client: Client, node: &NodeName, tell: &watch::Sender<Option<Reported>>) {
    let (group, version) =
        Kind::Report.api_version().split_once('/').expect("our kinds have a group");
    let kind = GroupVersionKind::gvk(group, version, Kind::Report.as_str());
    let resource = ApiResource::from_gvk_with_plural(&kind, Kind::Report.plural());
    let api: Api<DynamicObject> = Api::all_with(client, &resource);
    let one = Config::default().fields(&format!("metadata.name={node}"));
    let events = watcher(api, one).default_backoff();
    pin_mut!(events);
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::Apply(object) | Event::InitApply(object)) => {
                tell.send_replace(Some(read(&object)));
            }
            Ok(Event::Delete(_)) => drop(tell.send_replace(None)),
            Ok(Event::Init | Event::InitDone) => {}
            Err(error) => debug!(%node, %error, "could not follow the report; trying again"),
        }
    }
}

fn read(object: &DynamicObject) -> Reported {
    let owners = object.metadata.owner_references.iter().flatten();
    let mut owners = owners.filter(|it| it.kind == Kind::Node.as_str());
    let status = serde_json::from_value::<ReportStatus>(object.data["status"].clone());
    let status = status.unwrap_or_default();
    Reported {
        uid: owners.next().map(|it| it.uid.clone()).unwrap_or_default(),
        physical: status.physical_networks.unwrap_or_default(),
        unusable: status.unusable_physical_networks.unwrap_or_default(),
    }
}

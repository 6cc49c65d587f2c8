//! What a node tells, at a server of its own.

use kube::api::PostParams;
use serde_json::json;
use udn_control::zone::Listing;
use udn_model::{GatewayMode, NodeName};
use udn_wire::Kind;
use udn_wire::api::{PhysicalNetwork, ReportStatus};

use super::{annotate, of, publish};
use crate::layout;
use crate::server::ApiServer;

#[tokio::test]
async fn the_same_facts_change_nothing() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let server = ApiServer::start(folder.path()).await.expect("a server starts");
    let (client, name) = (server.client(), NodeName::new("node-1"));
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "node-1" } });
    let node = serde_json::from_value(node).expect("it is an object");
    let node = of(&client, Kind::Node).create(&PostParams::default(), &node).await;
    let uid = node.expect("a node is made").metadata.uid.expect("objects have uids");
    let bridge = PhysicalNetwork { name: "a".into(), bridge: "b".into(), ..<_>::default() };
    let status = ReportStatus {
        physical_networks: Some(vec![bridge]),
        programmed_up_to: Some("7".to_owned()),
        not_programmed: Some(Vec::new()),
        not_programmed_count: Some(0),
        ..ReportStatus::default()
    };
    let mut seen = Vec::new();
    for _ in 0..2 {
        let report = layout::report(&layout::node(0, &name), GatewayMode::Shared);
        annotate(&client, &report).await.expect("a node tells of itself");
        publish(&client, &name, &uid, &status).await.expect("a node reports");
        let listing = Listing::read(&client, &[Kind::Node, Kind::Report]).await;
        seen.push(listing.expect("the server answers").versions);
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0].len(), 2);
}

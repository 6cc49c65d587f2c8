//! Events as kubectl shows them: sorted by when they were last seen, with their age and count.
//!
//! Invariant: what happens again is counted on the event that told of it first.

use std::process::Command;

use serde_json::{Value, json};
use udn_control::cluster::ControllerSettings;
use udn_model::ClusterSettings;
use udn_wire::Kind;

use crate::kit::objects::{cudn, localnet, namespace, node, report};
use crate::kit::running_controller::RunningController;
use crate::kit::server::Site;

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_sorts_and_counts_events_of_a_real_server() {
    let site = Site::real().await;
    let kubectl = || site.cluster().kubectl();
    let controller =
        RunningController::start(&site.client, ControllerSettings::new(ClusterSettings::default()));
    site.create(namespace("b", &[("team", "b")])).await;
    site.create(node("n1")).await;
    site.create(report("n1", unmapped())).await;
    site.create(cudn("lan", "b", localnet("tenant", 7, &["10.70.0.0/24"]))).await;
    let first = until_seen(&site, &kubectl, "NodesNotReady", 1).await;
    assert_eq!(first["firstTimestamp"], first["lastTimestamp"], "{first:#}");
    for count in [1, 2] {
        site.patch_status(Kind::Report, "", "n1", mapped()).await;
        until_seen(&site, &kubectl, "NodesReady", count).await;
        a_second_passes(&site).await;
        site.patch_status(Kind::Report, "", "n1", unmapped()).await;
        until_seen(&site, &kubectl, "NodesNotReady", count + 1).await;
    }

    let sorted = about_lan(&mut kubectl());
    let reasons: Vec<&str> = sorted.iter().filter_map(|it| it["reason"].as_str()).collect();
    assert_eq!(reasons, ["NodesReady", "NodesNotReady"], "the one that was seen last comes last");
    let last = &sorted[1];
    assert_eq!(last["metadata"]["name"], first["metadata"]["name"]);
    assert_eq!((&last["count"], &last["firstTimestamp"]), (&json!(3), &first["firstTimestamp"]));
    assert!(last["lastTimestamp"].as_str() > last["firstTimestamp"].as_str(), "{last:#}");
    assert_eq!(last["eventTime"], first["eventTime"]);

    let described = text(kubectl().args(["describe", "clusteruserdefinednetwork", "lan"]));
    let line = described.lines().find(|it| it.contains("NodesNotReady") && it.contains("(x3 over"));
    assert!(line.is_some_and(|it| it.contains("udn-cluster-controller")), "{described}");
    assert!(!described.contains("<unknown>"), "{described}");
    controller.stop().await;
}

fn unmapped() -> Value {
    json!({ "physicalNetworks": [], "programmedUpTo": "9007199254740991" })
}

fn mapped() -> Value {
    json!({ "physicalNetworks": [{ "name": "tenant", "bridge": "br1" }] })
}

/// Waits until an event about the network was seen so often; returns it.
async fn until_seen(
    site: &Site,
    kubectl: &impl Fn() -> Command,
    reason: &str,
    count: u64,
) -> Value {
    let mut seen = Vec::new();
    let is_seen = site.comes_about(async || {
        seen = about_lan(&mut kubectl());
        seen.iter().any(|it| it["reason"] == reason && it["count"] == count)
    });
    assert!(is_seen.await, "{reason} was not seen {count} times: {seen:#?}");
    seen.into_iter().find(|it| it["reason"] == reason).expect("it was seen just now")
}

/// The events about the network, in kubectl's order.
fn about_lan(kubectl: &mut Command) -> Vec<Value> {
    let words = ["get", "events", "--sort-by=.lastTimestamp", "-o", "json"];
    let selector = "--field-selector=involvedObject.name=lan";
    let list: Value = serde_json::from_str(&text(kubectl.args(words).arg(selector))).expect("JSON");
    list["items"].as_array().cloned().unwrap_or_default()
}

fn text(command: &mut Command) -> String {
    let output = command.output().expect("kubectl runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Times of events are whole seconds.
async fn a_second_passes(site: &Site) {
    let begun = jiff::Timestamp::now().as_second();
    site.until("the next second", async || jiff::Timestamp::now().as_second() > begun).await;
}

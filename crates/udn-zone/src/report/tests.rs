//! What a node says of its networks.

use udn_blueprint::names::Prefix;
use udn_model::{NetworkName, Reason};
use udn_wire::api::NotProgrammed;
use udn_wire::keys;

use super::not_programmed;
use crate::zone::tests::objects::{Draft, nad, namespace, node, secondary};
use crate::zone::tests::zone_of;
use crate::{Progress, Trouble};

/// Networks `net-0`, `net-1` and so on, which are not in the order of their numbers.
fn networks(number: u16) -> Vec<Draft> {
    let nads = (0..number).map(|it| {
        nad(&format!("c/net-{it}"), Some(it + 1), secondary(&format!("net-{it}"), "10.10.0.0/16"))
    });
    [namespace("c", false), node(1)].into_iter().chain(nads).collect()
}

fn trouble(progress: &mut Progress, network: &str) {
    let message = format!("no room for {network}");
    let trouble = Trouble { reason: Reason::PoolExhausted, message };
    progress.trouble(&Prefix::of(&NetworkName::new(network)), trouble);
}

#[test]
fn networks_in_order_are_not_named() {
    let mut progress = Progress::default();
    let report = not_programmed(&zone_of(&networks(3)), &progress);
    assert_eq!(report.programmed_up_to, None, "nothing is confirmed");
    assert_eq!((report.not_programmed, report.not_programmed_count), (Some(vec![]), Some(0)));
    progress.heard(12);
    progress.asked(1);
    progress.confirmed(1);
    let report = not_programmed(&zone_of(&networks(3)), &progress);
    assert_eq!(report.programmed_up_to.as_deref(), Some("12"));
    assert_eq!(report.physical_networks, None, "others write that");
}

#[test]
fn a_network_in_trouble_is_named_with_the_reason() {
    let mut progress = Progress::default();
    trouble(&mut progress, "net-1");
    // It is none of this zone's, or no longer.
    trouble(&mut progress, "gone");
    let report = not_programmed(&zone_of(&networks(3)), &progress);
    let entry = NotProgrammed {
        network: "net-1".to_owned(),
        reason: "PoolExhausted".to_owned(),
        message: Some("no room for net-1".to_owned()),
    };
    assert_eq!((report.not_programmed, report.not_programmed_count), (Some(vec![entry]), Some(1)));
}

#[test]
fn the_first_fifty_by_name_are_named_and_all_are_counted() {
    let mut progress = Progress::default();
    (0..60).rev().for_each(|it| trouble(&mut progress, &format!("net-{it}")));
    let report = not_programmed(&zone_of(&networks(60)), &progress);
    let named = report.not_programmed.expect("told");
    let named: Vec<&str> = named.iter().map(|it| it.network.as_str()).collect();
    assert_eq!(report.not_programmed_count, Some(60));
    assert_eq!(named.len(), 50);
    assert_eq!(named[..4], ["net-0", "net-1", "net-10", "net-11"]);
    assert_eq!(named[49], "net-53", "the last of fifty texts in order");
    assert!(named.is_sorted());
}

#[test]
fn a_refusal_names_all_networks() {
    let mut objects = networks(60);
    objects[1] = node(1).annotated(keys::NODE_ZONE, "global");
    let mut progress = Progress::default();
    trouble(&mut progress, "net-1");
    let report = not_programmed(&zone_of(&objects), &progress);
    let named = report.not_programmed.expect("told");
    assert_eq!((named.len(), report.not_programmed_count), (50, Some(60)));
    assert!(named.iter().all(|it| it.reason == "NotSupported"));
    let message = named[1].message.as_deref().expect("a sentence");
    assert!(message.contains("is in zone global"), "{message}");
}

//! Who keeps a namespace, a name and a number.

use udn_model::{ClusterSettings, Intent, NetworkName, Reason};

use super::{cudn, nad, namespace, told, world};
use crate::translate::cluster;

/// A CUDN with a uid, for all namespaces.
fn wide(name: &str, created: &str) -> String {
    let metadata = format!("uid: u-{name}, creationTimestamp: '{created}', name: {name}");
    cudn(name, "10.10.0.0/16").replace(&format!("name: {name}"), &metadata)
}

/// The same for one namespace, which is marked for that.
fn only(namespace: &str, wide: &str) -> String {
    wide.replace(
        "namespaceSelector: {}",
        &format!("namespaceSelector: {{matchLabels: {{is: {namespace}}}}}"),
    )
}

fn marked(name: &str) -> String {
    namespace(name, true).replace("labels: {", &format!("labels: {{is: {name}, "))
}

/// A NAD that was made for it.
fn made(name: &str, id: &str) -> String {
    let (_, cudn) = name.split_once('/').unwrap();
    let config = format!(
        r#""name":"cluster_udn_{cudn}","topology":"layer2","role":"primary","subnets":"10.10.0.0/16""#
    );
    let number = format!("k8s.ovn.org/network-id: '{id}'");
    let annotations = if id.is_empty() { "" } else { &number };
    let owner = format!(
        "ownerReferences: [{{controller: true, apiVersion: k8s.ovn.org/v1, kind: \
         ClusterUserDefinedNetwork, name: {cudn}, uid: u-{cudn}}}], annotations"
    );
    nad(name, annotations, &config).replace("annotations", &owner)
}

fn written(name: &str, network: &str, id: &str) -> String {
    let config = format!(
        r#""name":"{network}","topology":"layer2","role":"primary","subnets":"10.10.0.0/16""#
    );
    let annotations = format!("k8s.ovn.org/network-id: '{id}'");
    nad(name, if id.is_empty() { "" } else { &annotations }, &config)
}

fn translated(texts: &[String]) -> (Intent, Vec<String>) {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let result = cluster(&world(&texts), &ClusterSettings::default());
    let findings = told(&result);
    (result.value, findings)
}

/// Compares the NADs that lead somewhere, and who is told why not.
fn check(texts: &[String], seats: &[&str], losers: &[&str]) {
    let (intent, findings) = translated(texts);
    let mut kept: Vec<String> = Vec::new();
    for network in intent.networks.values() {
        kept.extend(network.nads.iter().map(ToString::to_string));
    }
    kept.sort();
    assert_eq!(kept, seats, "{findings:#?}");
    assert_eq!(findings.len(), losers.len(), "{findings:#?}");
    for loser in losers {
        assert!(findings.iter().any(|it| it.starts_with(loser)), "{loser}: {findings:#?}");
    }
}

#[test]
fn a_nad_that_stands_keeps_its_namespace_against_a_lower_id() {
    let (a, b) = (namespace("a", true), namespace("b", true));
    let texts = [a, b, wide("red", ""), wide("blue", ""), made("a/red", "7"), made("b/blue", "3")];
    let losers = [
        "ClusterUserDefinedNetwork red: PrimaryConflict",
        "ClusterUserDefinedNetwork blue: PrimaryConflict",
    ];
    check(&texts, &["a/red", "b/blue"], &losers);
}

#[test]
fn a_nad_that_stands_without_a_number_keeps_its_namespace_too() {
    let (a, b) = (namespace("a", true), namespace("b", true));
    let texts = [a, b, wide("red", ""), wide("blue", ""), made("a/red", ""), made("b/blue", "3")];
    let losers = [
        "ClusterUserDefinedNetwork red: PrimaryConflict",
        "ClusterUserDefinedNetwork blue: PrimaryConflict",
    ];
    check(&texts, &["a/red", "b/blue"], &losers);
}

#[test]
fn a_new_nad_of_an_old_network_takes_no_namespace() {
    let (a, b) = (marked("a"), namespace("b", true));
    let (old, new) = (written("b/old", "old", "1"), written("a/old", "old", ""));
    let texts = [a, b, only("a", &wide("red", "")), made("a/red", "7"), old, new];
    let losers = ["NetworkAttachmentDefinition a/old: PrimaryConflict"];
    check(&texts, &["a/red", "b/old"], &losers);
}

#[test]
fn of_two_that_stand_the_lower_id_stays() {
    let texts = [
        namespace("a", true),
        wide("red", ""),
        wide("blue", ""),
        made("a/red", "3"),
        made("a/blue", "7"),
    ];
    check(&texts, &["a/red"], &["ClusterUserDefinedNetwork blue: PrimaryConflict"]);
}

#[test]
fn a_written_nad_keeps_its_namespace_against_a_newcomer() {
    let texts = [namespace("a", true), wide("red", ""), written("a/main", "main", "")];
    check(&texts, &["a/main"], &["ClusterUserDefinedNetwork red: PrimaryConflict"]);
}

#[test]
fn no_second_primary_nad_is_made_beside_one_in_disorder() {
    let broken = wide("blue", "").replace("10.10.0.0/16", "nonsense");
    let losers = [
        "ClusterUserDefinedNetwork blue: InvalidSpec",
        "ClusterUserDefinedNetwork red: PrimaryConflict",
    ];
    let texts = [namespace("a", true), wide("red", ""), broken, made("a/blue", "7")];
    check(&texts, &[], &losers);
    let texts = [namespace("a", true), wide("red", ""), made("a/blue", "7")];
    check(&texts, &[], &losers[1..]);
    let texts = [namespace("a", true), wide("red", "")];
    check(&texts, &["a/red"], &[]);
}

#[test]
fn of_two_newcomers_the_older_stays_and_one_without_age_goes() {
    let a = || namespace("a", true);
    let (early, late) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    let loser = ["ClusterUserDefinedNetwork blue: PrimaryConflict"];
    check(&[a(), wide("red", early), wide("blue", late)], &["a/red"], &loser);
    check(&[a(), wide("red", late), wide("blue", "")], &["a/red"], &loser);
    let loser = ["ClusterUserDefinedNetwork red: PrimaryConflict"];
    check(&[a(), wide("red", early), wide("blue", early)], &["a/blue"], &loser);
}

#[test]
fn a_network_that_lives_elsewhere_goes_before_an_older_newcomer() {
    let (a, b) = (namespace("a", true), namespace("b", true));
    let texts = [a, b, wide("red", ""), wide("blue", "2026-01-01T00:00:00Z"), made("b/red", "7")];
    let losers = ["ClusterUserDefinedNetwork blue: PrimaryConflict"; 2];
    check(&texts, &["a/red", "b/red"], &losers);
}

#[test]
fn a_network_that_stands_keeps_its_name_in_ovn() {
    let (a, b) = (namespace("a", true), namespace("b", true));
    let texts = [a, b, wide("x-y", "2026-01-01T00:00:00Z"), wide("x.y", ""), made("a/x.y", "7")];
    let losers = ["ClusterUserDefinedNetwork x-y: NameConflict"];
    check(&texts, &["a/x.y", "b/x.y"], &losers);
}

#[test]
fn a_name_is_kept_by_who_was_there_whatever_becomes_of_its_namespaces() {
    let texts = [
        marked("a"),
        marked("b"),
        written("a/main", "main", "1"),
        only("a", &wide("x-y", "2026-01-01T00:00:00Z")),
        only("b", &wide("x.y", "2026-01-02T00:00:00Z")),
    ];
    let losers = [
        "ClusterUserDefinedNetwork x-y: PrimaryConflict",
        "ClusterUserDefinedNetwork x.y: NameConflict",
    ];
    check(&texts, &["a/main"], &losers);
}

#[test]
fn a_network_with_a_number_keeps_its_name_while_it_is_for_nobody() {
    let away = only("nowhere", &wide("x-y", "")).replace("spec:", "status: {networkID: 9}, spec:");
    let texts = [namespace("a", true), away, wide("x.y", "2026-01-01T00:00:00Z")];
    check(&texts, &[], &["ClusterUserDefinedNetwork x.y: NameConflict"]);
    let new = only("nowhere", &wide("x-y", ""));
    let texts = [namespace("a", true), new, wide("x.y", "2026-01-01T00:00:00Z")];
    check(&texts, &["a/x.y"], &["ClusterUserDefinedNetwork x-y: NameConflict"]);
}

#[test]
fn a_status_keeps_the_numbers_of_a_network_without_nads() {
    let status = "status: {networkID: 9, tunnelKeys: [16711692, 16715800], transitSubnets: \
                  [100.89.0.0/16]}, spec:";
    let red = wide("red", "").replace("spec:", status);
    let (intent, _) = translated(std::slice::from_ref(&red));
    let published = &intent.published.networks[&NetworkName::new("cluster_udn_red")];
    assert_eq!(published.id.unwrap().get(), 9);
    assert_eq!(published.tunnel_keys.as_ref().unwrap()[1].get(), 16_715_800);
    assert_eq!(published.transit.v4.unwrap().to_string(), "100.89.0.0/16");
    let (a, written) = (namespace("a", true), written("a/n", "cluster_udn_red", "5"));
    let (intent, _) = translated(&[a.clone(), red.clone(), written]);
    let published = &intent.published.networks[&NetworkName::new("cluster_udn_red")];
    assert_eq!(published.id.unwrap().get(), 9, "a NAD that somebody wrote knows less");
    let (intent, _) = translated(&[a, red.clone(), made("a/red", "4")]);
    let published = &intent.published.networks[&NetworkName::new("cluster_udn_red")];
    assert_eq!(published.id.unwrap().get(), 4, "a NAD of its own knows more");
    let (a, b) = (namespace("a", true), namespace("b", true));
    let (intent, _) = translated(&[a, b, red, made("a/red", "4"), made("b/red", "9")]);
    let published = &intent.published.networks[&NetworkName::new("cluster_udn_red")];
    assert_eq!(published.id.unwrap().get(), 9, "unless another confirms the status");
}

#[test]
fn numbers_stay_with_their_network_whatever_becomes_of_the_configuration() {
    let made = made("a/red", "7");
    for drifted in [
        made.clone(),
        made.replace("cluster_udn_red", "other"),
        made.replace("ovn-k8s-cni-overlay", "bridge"),
        made.replace("layer2", ""),
        made.replace("\"name\"", "name"),
    ] {
        let texts = [namespace("a", true), wide("red", ""), drifted];
        let (intent, findings) = translated(&texts);
        assert_eq!(findings, [] as [&str; 0]);
        let red = NetworkName::new("cluster_udn_red");
        assert_eq!(intent.published.networks[&red].id.unwrap().get(), 7);
        assert_eq!(intent.published.networks.len(), 1);
        assert_eq!(intent.networks[&red].nads.len(), 1);
    }
}

#[test]
fn a_status_that_tells_the_impossible_tells_nothing() {
    let status = "status: {networkID: 70000, tunnelKeys: [-1, 3], transitSubnets: [x]}, spec:";
    let (intent, _) = translated(&[wide("red", "").replace("spec:", status)]);
    assert!(intent.published.networks.is_empty());
}

/// A network keeps its name in OVN whether it loses its last NAD in this reconcile or lost it before;
/// otherwise a second reconcile would make what the first one refused.
#[test]
fn who_lost_every_namespace_keeps_its_name_in_the_next_reconcile() {
    let namespace = namespace("a", true);
    let (first, second) = (cudn("x-y", "10.1.0.0/16"), cudn("x.y", "10.2.0.0/16"));
    let foreign = nad("a/x-y", "", "\"name\":\"theirs\",\"topology\":\"layer2\"");
    let foreign = foreign.replace("ovn-k8s-cni-overlay", "bridge");
    let world = world(&[&namespace, &first, &second, &foreign]);
    let result = cluster(&world, &ClusterSettings::default());
    assert!(result.value.networks.is_empty(), "{:?}", result.value.networks.keys());
    let reasons: Vec<Reason> = result.findings.iter().map(|it| it.reason).collect();
    assert_eq!(reasons, [Reason::ForeignDefinition, Reason::NameConflict]);
}

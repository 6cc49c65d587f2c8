//! The example that comes with the product, on three nodes with real OVN: everybody reaches whom
//! they must, a second time changes nothing, and a tenant comes and goes without a trace.

use std::collections::BTreeSet;

use udn_model::Family;
use udn_sandbox::Matrix;
use udn_sandbox::matrix::{Expectation, Target};

use crate::rig::manifests::{first_light, first_light_without};
use crate::rig::site::Site;
use crate::rig::snapshot::Snapshot;
use crate::rig::{Print, Stand};

// proves: X-17 with bench sandbox
pub(crate) async fn first_light_is_green_and_stays(site: &Site) {
    let mut stand = Stand::new(site, &first_light()).await;
    let matrix = stand.green_matrix().await;
    println!("{matrix}");
    assert_eq!(kinds(&matrix), every_kind());
    let again = stand.sandbox.apply(&first_light(), &mut Print).await.expect("it applies again");
    assert!(again.is_empty(), "{again:#?}");
    stand.applied = again;
    stand.green_matrix().await;
}

pub(crate) async fn a_tenant_comes_and_goes_without_a_trace(site: &Site) {
    let without_blue = first_light_without("blue");
    let mut stand = Stand::new(site, without_blue.path()).await;
    stand.green_matrix().await;
    let before = Snapshot::take(&stand).await;

    stand.apply(&first_light()).await;
    stand.green_matrix().await;
    let with_blue = Snapshot::take(&stand).await;
    assert_eq!(rest_of(&with_blue, &before), "", "another tenant's things changed");
    assert_every_kind_is_new(&with_blue, &before);

    stand.apply(without_blue.path()).await;
    Snapshot::wait_forgotten(&stand, "blue");
    let after = Snapshot::take(&stand).await;
    assert_eq!(before.difference(&after), "", "a removed tenant left traces");
    assert_eq!(stand.sandbox.pod(&udn_model::ObjectName::new("blue", "blue-1")).map(|_| ()), None);
    let matrix = stand.green_matrix().await;
    assert!(matrix.cells.iter().all(|(probe, _)| &*probe.from.pod.namespace != "blue"));

    stand.apply(&first_light()).await;
    assert_eq!(kinds(&stand.green_matrix().await), every_kind());
}

/// The kinds of a matrix's cells: what was asked, of what, in which family.
fn kinds(matrix: &Matrix) -> BTreeSet<(Expectation, String, Family)> {
    let kind = |target: &Target| match target {
        Target::Pod(_) => "pod".to_owned(),
        Target::Gateway => "gateway".to_owned(),
        Target::Host(name) => name.clone(),
    };
    let cells = matrix.cells.iter();
    cells.map(|(probe, _)| (probe.expectation, kind(&probe.to), probe.family())).collect()
}

fn every_kind() -> BTreeSet<(Expectation, String, Family)> {
    let kinds = [
        (Expectation::SameNode, "pod"),
        (Expectation::AcrossNodes, "pod"),
        (Expectation::Gateway, "gateway"),
        (Expectation::Outside, "outside"),
        (Expectation::Outside, "vlan42-host"),
        (Expectation::Silence, "pod"),
        (Expectation::Silence, "outside"),
        (Expectation::Silence, "vlan42-host"),
    ];
    let of = |(expectation, target): (Expectation, &str)| {
        Family::BOTH.map(|family| (expectation, target.to_owned(), family))
    };
    kinds.into_iter().flat_map(of).collect()
}

/// The lines of `before` that `now` lacks, but for those that list all networks of a node.
fn rest_of(now: &Snapshot, before: &Snapshot) -> String {
    let lists = before.of("flow").union(&before.of("switch Bridge")).copied().collect();
    let lost = before.lines.difference(&now.lines).collect::<BTreeSet<_>>();
    lost.difference(&lists).map(|line| format!("{line}\n")).collect()
}

/// Sees to it that the snapshot would tell: a tenant leaves something in every place, each node.
fn assert_every_kind_is_new(now: &Snapshot, before: &Snapshot) {
    let new = Snapshot { lines: now.lines.difference(&before.lines).cloned().collect() };
    let places = ["northbound", "southbound Port_Binding", "switch Port", "flow", "link", "rule"];
    for place in places.into_iter().chain(["route", "address"]) {
        for node in ["node-1", "node-2", "node-3"] {
            let is_there = new.of(place).iter().any(|line| line.starts_with(node));
            assert!(is_there, "a tenant left nothing in {place} of {node}");
        }
    }
    assert!(!new.of("object").is_empty());
}

//! The batches of a zone hold what the zone's parts are, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use udn_blueprint::{owners, parts};
use udn_model::{ClusterSettings, NodeName};

use super::{StandingOwners, batches, sheets};
use crate::Directory;
use crate::rehearsal::{rehearse_cluster, rehearse_zone};

/// Compares owners of sheets with owners of parts, on a golden case.
fn check(case: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases").join(case);
    let settings = ClusterSettings::default();
    let world = Directory::new(folder).read().expect("the case can be read").world;
    let cluster = rehearse_cluster(world, &settings);
    let zone = rehearse_zone(&cluster.world, &NodeName::new("node-a"), &settings);
    let (input, nobody) = (zone.input(&settings), StandingOwners::new());
    let each = batches(&input, &nobody);
    let drawn: Vec<_> = each.iter().flat_map(|batch| sheets(batch, &input, &nobody)).collect();
    let got: BTreeSet<_> = drawn.iter().map(|sheet| sheet.owner.clone()).collect();
    let want: BTreeSet<_> = parts(&input).iter().map(owners::owner).collect();
    assert_eq!(got, want, "{case}");
    assert_eq!(drawn.len(), got.len(), "{case}: an owner has one sheet");
}

#[test]
fn batches_hold_every_part_once_and_nothing_else() {
    check("layer2-primary-dual-stack");
    check("layer2-secondary");
    // No router is there to be protected.
    check("localnet");
}

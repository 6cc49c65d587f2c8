//! The batches of a zone hold what the zone's parts are, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use udn_blueprint::{owners, parts};
use udn_cluster::World;
use udn_cluster::dry_run::{Scope, dry_run};
use udn_model::{ClusterSettings, NodeName};

use super::{StandingOwners, batches, sheets};
use crate::zone::ZoneDryRun;

/// Compares owners of sheets with owners of parts, on a golden case.
fn check(case: &str) {
    let settings = ClusterSettings::default();
    let cluster = dry_run(world_of(case), &settings, Scope::Manifests);
    let zone = ZoneDryRun::new(&cluster.world, &NodeName::new("node-a"), &settings);
    let (input, nobody) = (zone.input(&settings), StandingOwners::new());
    let each = batches(&input, &nobody);
    let drawn: Vec<_> = each.iter().flat_map(|batch| sheets(batch, &input, &nobody)).collect();
    let got: BTreeSet<_> = drawn.iter().map(|sheet| sheet.owner.clone()).collect();
    let want: BTreeSet<_> = parts(&input).iter().map(owners::owner).collect();
    assert_eq!(got, want, "{case}");
    assert_eq!(drawn.len(), got.len(), "{case}: an owner has one sheet");
}

fn world_of(case: &str) -> World {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases").join(case);
    let entries = fs::read_dir(folder).expect("the case can be listed");
    let paths = entries.map(|entry| entry.expect("the case can be listed").path());
    let manifests = paths.filter(|path| path.extension().is_some_and(|it| it == "yaml"));
    let texts: Vec<Vec<u8>> =
        manifests.map(|path| fs::read(path).expect("the case can be read")).collect();
    World::read(texts.iter().map(|text| (case, text.as_slice()))).world
}

#[test]
fn batches_hold_every_part_once_and_nothing_else() {
    check("layer2-primary-dual-stack");
    check("layer2-secondary");
    // No router is there to be protected.
    check("localnet");
}

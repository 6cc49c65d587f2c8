//! Measures one size: the cluster controller's stages, then those of one zone, then the commit.

use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use ovn::{SimulatedDatabase, compare_all};
use serde::{Deserialize, Serialize};
use udn_blueprint::owners;
use udn_cluster::World;
use udn_cluster::dry_run::{Scope, dry_run};
use udn_control::zone::{Database, ZoneDryRun, commit};
use udn_lab::ovn_root::{Database as Schema, OvnRoot};
use udn_lab::ovsdb_server::OvsdbServer;
use udn_model::{ClusterSettings, NodeName};

use crate::manifests::{NODES, pods};

/// The figures of one size, in order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) figures: Vec<(String, f64)>,
}

impl Measured {
    fn put(&mut self, name: &str, figure: f64) {
        self.figures.push((name.to_owned(), figure));
    }

    /// Runs a stage and puts its milliseconds.
    fn time<T>(&mut self, name: &str, stage: impl FnOnce() -> T) -> (T, Duration) {
        let start = Instant::now();
        let value = stage();
        let took = start.elapsed();
        self.put(name, took.as_secs_f64() * 1000.0);
        (value, took)
    }
}

pub(crate) fn measure(networks: usize, folder: &Path) -> Result<Measured, Box<dyn Error>> {
    let settings = ClusterSettings::default();
    let mut measured = Measured::default();
    measured.put("networks", networks as f64);
    measured.put("nodes", NODES as f64);
    measured.put("pods", pods(networks) as f64);
    let (world, _) = measured.time("read manifests, ms", || read(folder));
    let (run, _) = measured.time("cluster: until nothing is left to write, ms", || {
        world.map(|world| dry_run(world, &settings, Scope::Manifests))
    });
    let run = run?;
    measured.put("cluster: writes", run.writes.len() as f64);
    let world = run.world;
    let node = NodeName::new("node-0");
    let zone = measure_zone(&mut measured, &world, &node, &settings)?;
    measured.put("peak memory until here, MB", peak_megabytes());
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(measure_commit(&mut measured, &zone))?;
    Ok(measured)
}

fn read(folder: &Path) -> io::Result<World> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        texts.push((path.display().to_string(), fs::read(&path)?));
    }
    texts.sort();
    let texts = texts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    Ok(World::read(texts).world)
}

/// Draws and compares network by network, as the controller does, against an empty database.
fn measure_zone(
    measured: &mut Measured,
    world: &World,
    node: &NodeName,
    settings: &ClusterSettings,
) -> Result<ZoneDryRun, Box<dyn Error>> {
    let (zone, first) =
        measured.time("zone: read and draw, ms", || ZoneDryRun::new(world, node, settings));
    let standing = SimulatedDatabase::new(owners::northbound(node));
    let (rows, second) = measured.time("zone: compare, ms", || {
        let mut rows = 0;
        for (_, sheets) in zone.sheets() {
            standing.plan(sheets)?;
            rows += sheets.iter().map(ovn::Sheet::len).sum::<usize>();
        }
        Ok::<usize, Box<dyn Error>>(rows)
    });
    measured.put("zone: all pure stages, ms", (first + second).as_secs_f64() * 1000.0);
    measured.put("zone: rows", rows? as f64);
    Ok(zone)
}

/// Commits the zone into a real northbound database, and then once more.
async fn measure_commit(measured: &mut Measured, zone: &ZoneDryRun) -> Result<(), Box<dyn Error>> {
    let root = OvnRoot::find()?;
    let server = OvsdbServer::start(&root, Schema::Northbound)?;
    let database = Database::connect(server.remote().parse()?, owners::northbound(zone.node()))?;
    database.client.wait_synced().await?;
    for name in ["commit into a real database, ms", "second pass, nothing to do, ms"] {
        let start = Instant::now();
        let written = commit_all(zone, &database).await?;
        measured.put(name, start.elapsed().as_secs_f64() * 1000.0);
        if name.starts_with("second") && written > 0 {
            return Err(format!("the second pass wrote {written} plans").into());
        }
    }
    Ok(())
}

/// How many plans are sent before their answers are waited for.
const MOST_UNDER_WAY: usize = 32;

/// Commits network by network, after what they share; returns how many plans were not empty.
async fn commit_all(zone: &ZoneDryRun, database: &Database) -> Result<usize, Box<dyn Error>> {
    let (mut written, mut under_way) = (0, Vec::new());
    for (number, (_, sheets)) in zone.sheets().iter().enumerate() {
        let plan = database.client.with_cache(|rows| compare_all(sheets, rows, &database.rules))?;
        written += usize::from(!plan.is_empty());
        under_way.push(commit::begin(&plan, database)?);
        if number == 0 || under_way.len() > MOST_UNDER_WAY {
            for commitment in under_way.drain(..) {
                commitment.finish().await?;
            }
        }
    }
    for commitment in under_way {
        commitment.finish().await?;
    }
    Ok(written)
}

/// The most memory that this process ever had.
fn peak_megabytes() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kibibytes = line.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    kibibytes.unwrap_or_default() / 1000.0 * 1.024
}

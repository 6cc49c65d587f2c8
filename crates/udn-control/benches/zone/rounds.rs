//! One size: a cold start, then pods, networks and nodes one after the other, then a start anew.
//!
//! With many networks northd thinks for half a minute about one more pod, on one of few cores. So it
//! ends after the cold start, and OVN confirms nothing afterwards.
//! Invariant: one more object is created only after the controller has come to rest.

use std::time::Instant;

use ovn::compare_all;
use serde_json::Value;
use udn_blueprint::owners;
use udn_control::zone::{Database, Listing, ZoneDryRun};
use udn_lab::janitor::Janitor;
use udn_lab::ovn_daemons::{Databases, Northd, Workplace};
use udn_lab::ovn_root::{Database as Schema, OvnRoot};
use udn_lab::ovsdb_server::OvsdbServer;
use udn_model::NodeName;
use udn_wire::Kind;
use udn_zone::KINDS;

use crate::Outcome;
use crate::program::{NODE, Program};
use crate::server::Ground;
use crate::shape::Shape;

/// What a size took.
#[derive(Debug, Clone)]
pub(crate) struct Round {
    pub(crate) shape: Shape,
    pub(crate) pods: usize,
    pub(crate) cold: Start,
    pub(crate) peak: f64,
    pub(crate) pod: Added,
    pub(crate) network: Added,
    pub(crate) node: Added,
    pub(crate) anew: Start,
}

/// What a start took, from the program's first instruction on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) seconds: f64,
    pub(crate) busy: f64,
    pub(crate) transactions: f64,
}

/// What one more object took, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Added {
    /// From the watch's event until the rows stood: the middle, and nine of ten.
    pub(crate) half: f64,
    pub(crate) most: f64,
    /// Of that, from drawing until the commit: the middle.
    pub(crate) commit: f64,
    /// From the client's request until nothing was left to do: the middle.
    pub(crate) all: f64,
    pub(crate) busy: f64,
    pub(crate) transactions: f64,
}

pub(crate) async fn measure(ground: &Ground) -> Outcome<Round> {
    let mut zone = Zone::start()?;
    let (mut program, cold) = zone.start_program(ground, false)?;
    let peak = program.peak()?;
    let database = zone.database(ground.shape)?;
    check(ground, &database).await?;
    zone.northd = None;
    let objects = &ground.objects;
    let mut adding = Adding { ground, program: &mut program };
    let pod = adding.one_by_one(&objects.late_pods).await?;
    let network = adding.one_by_one(&objects.late_networks).await?;
    let node = adding.one_by_one(&objects.late_nodes).await?;
    drop(program);
    let (_program, anew) = zone.start_program(ground, true)?;
    if anew.transactions > 0.0 {
        return Err(format!("a start anew wrote {} times", anew.transactions).into());
    }
    let (shape, pods) = (ground.shape, objects.pods);
    Ok(Round { shape, pods, cold, peak, pod, network, node, anew })
}

/// NB, SB and northd of one node, empty.
struct Zone {
    northd: Option<Northd>,
    northbound: OvsdbServer,
    southbound: OvsdbServer,
}

impl Zone {
    fn start() -> Outcome<Self> {
        let (root, janitor) = (OvnRoot::find()?, Janitor::hire()?);
        let start = |database| OvsdbServer::builder(&root, database).janitor(&janitor).start();
        let (northbound, southbound) = (start(Schema::Northbound)?, start(Schema::Southbound)?);
        let databases =
            Databases { northbound: northbound.remote(), southbound: southbound.remote() };
        let folder = janitor.folder()?;
        let workplace = Workplace { root: root.clone(), janitor, folder, entrance: None };
        let northd = Some(Northd::start(&workplace, &databases)?);
        Ok(Self { northd, northbound, southbound })
    }

    fn start_program(&self, ground: &Ground, shows_plans: bool) -> Outcome<(Program, Start)> {
        let versions: Vec<(Kind, u64)> = ground.versions.clone().into_iter().collect();
        let begun = Instant::now();
        let (northbound, southbound) = (self.northbound.remote(), self.southbound.remote());
        let mut program = Program::start(ground, [&northbound, &southbound], shows_plans)?;
        let counts = program.settled(&versions)?;
        let (seconds, busy) = (begun.elapsed().as_secs_f64(), program.busy()?);
        Ok((program, Start { seconds, busy, transactions: counts.commits }))
    }

    /// A replica of ours, beside the controller's.
    fn database(&self, shape: Shape) -> Outcome<Database> {
        let rules = owners::northbound_of(&NodeName::new(NODE), &shape.kind.settings());
        Ok(Database::connect(self.northbound.remote().parse()?, rules)?)
    }
}

/// What stands is what a dry run draws.
async fn check(ground: &Ground, database: &Database) -> Outcome<()> {
    let world = Listing::read(&ground.client, &KINDS).await?.world;
    let drawn = ZoneDryRun::new(&world, &NodeName::new(NODE), &ground.shape.kind.settings());
    database.client.wait_synced().await?;
    for (title, sheets) in drawn.sheets() {
        let plan = database.client.with_cache(|rows| compare_all(sheets, rows, &database.rules))?;
        if !plan.is_empty() {
            return Err(format!("{title} is not complete:\n{plan}").into());
        }
    }
    Ok(())
}

/// Creates objects one by one, and lets the controller come to rest after each.
struct Adding<'a> {
    ground: &'a Ground,
    program: &'a mut Program,
}

impl Adding<'_> {
    async fn one_by_one(&mut self, objects: &[Value]) -> Outcome<Added> {
        let count = objects.len() as f64;
        let (mut lags, mut commits, mut all) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = self.program.settled(&[])?;
        let (first, idle) = (before, self.program.busy()?);
        for object in objects {
            let begun = Instant::now();
            let version = self.ground.post(object).await?;
            let counts = self.program.settled(&[version])?;
            all.push(begun.elapsed().as_secs_f64() * 1e3);
            let (lag, heard) = (counts.lag_seconds - before.lag_seconds, counts.lags - before.lags);
            lags.push(lag * 1e3 / heard.max(1.0));
            let took = counts.commit_seconds - before.commit_seconds;
            commits.push(took * 1e3 / (counts.commits - before.commits).max(1.0));
            before = counts;
        }
        let busy = (self.program.busy()? - idle) * 1e3 / count;
        let transactions = (before.commits - first.commits) / count;
        let (half, most) = (part(&mut lags, 50), part(&mut lags, 90));
        let (commit, all) = (part(&mut commits, 50), part(&mut all, 50));
        Ok(Added { half, most, commit, all, busy, transactions })
    }
}

/// The figure below which so many of a hundred lie.
pub(crate) fn part(figures: &mut [f64], percent: usize) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() * percent / 100).copied().unwrap_or_default()
}

//! How soon all ports of a node's pods are up: rows from the zone controller, and the same rows in
//! one raw transaction.
//!
//! Few ports are up within two seconds, in which OVN's daemons work once more or less by chance; so small
//! sizes are measured several times, by turns, and the middle counts.
//! Invariant: both begin on a node that is new, whose switch has the pods' interfaces already.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Instant;

use ovn::drawn::Record;
use ovn::northbound::LogicalSwitchPort;
use ovn::{Sheet, compare_all};
use ovsdb::cache::Table;
use ovsdb::{Cache, Datum};
use udn_blueprint::names;
use udn_control::zone::{Databases, Listing, Remotes, ZoneDryRun, commit};
use udn_lab::fabric::{Addresses, Fabric};
use udn_lab::node::{Node, NodeSettings};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::run::run;
use udn_model::NodeName;
use udn_zone::KINDS;

use crate::Outcome;
use crate::program::{NODE, Program};
use crate::rounds::part;
use crate::server::Ground;
use crate::shape::Kind;

/// How often a size is measured: about as long altogether for each.
const fn rounds(networks: usize) -> usize {
    if networks < 200 { 5 } else { 1 }
}

/// What both took, in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ups {
    pub(crate) networks: usize,
    pub(crate) ports: usize,
    pub(crate) ours: f64,
    pub(crate) raw: f64,
}

pub(crate) async fn measure(ground: &Ground) -> Outcome<Ups> {
    let (node, settings) = (NodeName::new(NODE), ground.shape.kind.settings());
    let world = Listing::read(&ground.client, &KINDS).await?.world;
    let zone = ZoneDryRun::new(&world, &node, &settings);
    let ports = ports(&zone, &world);
    let networks = ground.shape.networks;
    let (mut ours, mut raw) = (Vec::new(), Vec::new());
    for _ in 0..rounds(networks) {
        raw.push(Site::start(&ports)?.write_at_once(&zone, &ports).await?);
        ours.push(Site::start(&ports)?.run_program(ground, &ports).await?);
    }
    eprintln!(
        "{networks} networks: ports up after {ours:.2?} s; from one raw transaction {raw:.2?} s"
    );
    let (ours, raw) = (middle(&mut ours), middle(&mut raw));
    Ok(Ups { networks, ports: ports.len(), ours, raw })
}

fn middle(seconds: &mut [f64]) -> f64 {
    part(seconds, 50)
}

/// The logical ports of the node's pods, and the uids of their pods.
type Ports = BTreeMap<String, String>;

fn ports(zone: &ZoneDryRun, world: &udn_cluster::World) -> Ports {
    let all = zone.intent().attachments.values().flatten();
    let local = all.filter(|(_, attachment)| attachment.node == *zone.node());
    let named = local.filter_map(|(key, _)| {
        let pod = world.pods.get(&key.pod)?;
        Some((names::pod_port(key), pod.metadata.uid.clone()))
    });
    named.collect()
}

/// A node with real OVN and OVS, and the fabric that it is on.
struct Site {
    node: Node,
    _fabric: Fabric,
}

impl Site {
    fn start(ports: &Ports) -> Outcome<Self> {
        let (root, fabric) = (OvnRoot::find()?, Fabric::create()?);
        let (v4, v6) = (Ipv4Addr::new(172, 18, 0, 11), "fd00:172:18::11".parse::<Ipv6Addr>()?);
        let node =
            Node::start_with(&root, &fabric, NodeSettings::new(NODE, Addresses::dual(v4, v6)))?;
        let mut command = node.vsctl();
        for (number, (port, uid)) in ports.iter().enumerate() {
            let link = format!("pod{number}");
            command.args(["--", "add-port", "br-int", &link, "--", "set", "Interface", &link]);
            command.arg("type=internal").arg(format!("external_ids:iface-id=\"{port}\""));
            command.arg(format!("external_ids:iface-id-ver=\"{uid}\""));
        }
        run(&mut command)?;
        Ok(Self { node, _fabric: fabric })
    }

    fn remotes(&self) -> Outcome<Remotes> {
        let (northbound, southbound) = (self.node.northbound(), self.node.southbound());
        Ok(Remotes {
            northbound: northbound.remote().parse()?,
            southbound: southbound.remote().parse()?,
        })
    }

    async fn databases(&self) -> Outcome<Databases> {
        let databases =
            Databases::connect(&NodeName::new(NODE), &Kind::Layer2.settings(), self.remotes()?)?;
        databases.northbound.client.wait_synced().await?;
        databases.southbound.client.wait_synced().await?;
        Ok(databases)
    }

    /// From the program's first instruction until all ports are up.
    async fn run_program(&self, ground: &Ground, ports: &Ports) -> Outcome<f64> {
        let databases = self.databases().await?;
        let begun = Instant::now();
        let (northbound, southbound) = (self.node.northbound(), self.node.southbound());
        let remotes = [&*northbound.remote(), &*southbound.remote()];
        let _program = Program::start(ground, remotes, false)?;
        until_up(&databases, ports).await?;
        Ok(begun.elapsed().as_secs_f64())
    }

    /// From one transaction until all ports are up.
    async fn write_at_once(&self, zone: &ZoneDryRun, ports: &Ports) -> Outcome<f64> {
        let Databases { northbound, southbound } = self.databases().await?;
        let sheets: Vec<Sheet> = zone.sheets().iter().flat_map(|(_, it)| it).cloned().collect();
        let rows =
            northbound.client.with_cache(|rows| compare_all(&sheets, rows, &northbound.rules))?;
        let chassis = [zone.southbound()];
        let chassis =
            southbound.client.with_cache(|rows| compare_all(&chassis, rows, &southbound.rules))?;
        let begun = Instant::now();
        let both = [commit::begin(&chassis, &southbound)?, commit::begin(&rows, &northbound)?];
        for commitment in both {
            commitment.finish().await?;
        }
        until_up(&Databases { northbound, southbound }, ports).await?;
        Ok(begun.elapsed().as_secs_f64())
    }
}

/// Waits until northd says of all ports that they are up.
async fn until_up(databases: &Databases, ports: &Ports) -> Outcome<()> {
    let client = &databases.northbound.client;
    let mut changes = client.changes();
    while client.with_cache(|rows| up(rows, ports)) < ports.len() {
        // More than the channel holds is no harm: the rows are looked at anew.
        drop(changes.next().await);
    }
    Ok(())
}

/// How many of these ports are up.
fn up(rows: &Cache, ports: &Ports) -> usize {
    let table = rows.table(LogicalSwitchPort::TABLE.name);
    let up = Datum::set([true]);
    let all = table.into_iter().flat_map(Table::rows);
    let named = all.filter(|row| row.text("name").is_some_and(|name| ports.contains_key(name)));
    named.filter(|row| row.get("up") == Some(&up)).count()
}

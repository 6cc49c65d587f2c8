//! How many single-port transactions a client commits in a second.

use std::time::Instant;

use anyhow::{Result, bail};
use ovn::{Sheet, compare};
use ovsdb::Operation;
use ovsdb::session::{Outcome, SessionSettings};
use ovsdb_net::client::Pending;
use ovsdb_net::{Client, ClientSettings};
use serde_json::json;
use udn_lab::ovn_root::{Database, OvnRoot};
use udn_lab::ovsdb_server::OvsdbServer;

use crate::network;
use crate::wire::Wire;
use crate::{per_second, report};

/// Ports of each measurement.
const COUNT: usize = 8_000;
/// Ports of one switch here; a node has some dozens of a network.
const PORTS: usize = 100;
/// Measurements taken; the median is reported.
const ROUNDS: usize = 3;

pub(crate) async fn measure() -> Result<()> {
    println!("transactions, each one port of a switch, against a real ovsdb-server");
    let server = OvsdbServer::start(&OvnRoot::find()?, Database::Northbound)?;
    let client = connect(&server.remote()).await?;
    let mut first = 0;
    let (mut bare, mut sequential, mut pipelined) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for figures in [&mut bare, &mut sequential, &mut pipelined] {
            let switches = first..first + COUNT / PORTS;
            let backbones: Vec<Sheet> = switches.clone().map(network::backbone).collect();
            commit_all(&client, &backbones).await?;
            figures.push(switches);
            first += COUNT / PORTS;
        }
    }
    let mut wire = Wire::connect(server.socket())?;
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        let operations = ports(&client, bare[round].clone())?;
        times[0].push(run_bare(&mut wire, &operations)?);
        let operations = ports(&client, sequential[round].clone())?;
        times[1].push(run_sequential(&client, &operations).await?);
        let operations = ports(&client, pipelined[round].clone())?;
        times[2].push(run_pipelined(&client, &operations).await?);
    }
    let [bare, sequential, pipelined] = times.map(median);
    report("bare socket, one at a time (baseline)", &per_second(COUNT, bare));
    report("client, one at a time (floor 4,000 /s)", &per_second(COUNT, sequential));
    report("client, pipelined", &per_second(COUNT, pipelined));
    let ratio = bare.as_secs_f64() / sequential.as_secs_f64();
    report("client one at a time, relative to the bare socket", &format!("{ratio:>9.2}"));
    Ok(())
}

fn median(mut times: Vec<std::time::Duration>) -> std::time::Duration {
    times.sort();
    times[times.len() / 2]
}

pub(crate) async fn connect(remote: &str) -> Result<Client> {
    let mut session = SessionSettings::new("OVN_Northbound");
    session.indexes = network::rules().indexes();
    let client = Client::connect(ClientSettings::new(vec![remote.parse()?], session))?;
    client.wait_synced().await?;
    Ok(client)
}

/// Plans and commits sheets in one transaction.
pub(crate) async fn commit_all(client: &Client, sheets: &[Sheet]) -> Result<()> {
    let rules = network::rules();
    let plan = client.with_cache(|rows| ovn::compare_all(sheets, rows, &rules))?;
    match client.transact(&plan.operations(rules.database)).await? {
        Outcome::Committed(_) => Ok(()),
        other => bail!("not committed: {other:?}; {:?}", *client.status().borrow()),
    }
}

/// One guarded transaction per port.
fn ports(client: &Client, switches: std::ops::Range<usize>) -> Result<Vec<Vec<Operation>>> {
    let rules = network::rules();
    let numbers = switches.flat_map(|switch| (0..PORTS).map(move |port| (switch, port)));
    numbers
        .map(|(switch, port)| {
            let sheet = network::pod(switch * PORTS + port, switch, "node-1");
            let plan = client.with_cache(|rows| compare(&sheet, rows, &rules))?;
            Ok(plan.operations(rules.database))
        })
        .collect()
}

fn run_bare(wire: &mut Wire, transactions: &[Vec<Operation>]) -> Result<std::time::Duration> {
    let requests: Vec<String> = transactions
        .iter()
        .enumerate()
        .map(|(id, operations)| {
            let mut params = vec![json!("OVN_Northbound")];
            params.extend(operations.iter().map(|operation| json!(operation)));
            json!({ "id": id, "method": "transact", "params": params }).to_string()
        })
        .collect();
    let start = Instant::now();
    for request in &requests {
        wire.call(request)?;
    }
    Ok(start.elapsed())
}

async fn run_sequential(
    client: &Client,
    transactions: &[Vec<Operation>],
) -> Result<std::time::Duration> {
    let start = Instant::now();
    for operations in transactions {
        check(&client.transact(operations).await?)?;
    }
    Ok(start.elapsed())
}

async fn run_pipelined(
    client: &Client,
    transactions: &[Vec<Operation>],
) -> Result<std::time::Duration> {
    let start = Instant::now();
    for batch in transactions.chunks(1_000) {
        let pending: Vec<Pending> =
            batch.iter().map(|operations| client.submit(operations)).collect::<Result<_, _>>()?;
        for outcome in pending {
            check(&outcome.await)?;
        }
    }
    Ok(start.elapsed())
}

fn check(outcome: &Outcome) -> Result<()> {
    match outcome {
        Outcome::Committed(_) => Ok(()),
        other => bail!("not committed: {other:?}"),
    }
}

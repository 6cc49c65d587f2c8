//! How many single-port transactions a client commits in a second.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use ovn::{Sheet, compare};
use ovsdb::Operation;
use ovsdb::cache::Table;
use ovsdb::session::{Outcome, SessionSettings};
use ovsdb_net::client::Pending;
use ovsdb_net::{Client, ClientSettings};
use serde_json::{Value, json};
use udn_lab::ovn_root::{Database, OvnRoot};
use udn_lab::ovsdb_server::OvsdbServer;

use crate::network;
use crate::wire::Wire;
use crate::{per_second, report};

/// Ports of each measurement.
const COUNT: usize = 4_000;
/// Ports of one switch here; a node has some dozens of a network.
const PORTS: usize = 100;
/// Measurements taken; the median is reported.
const ROUNDS: usize = 5;
/// Messages that a transaction brings to a bare connection, and to one that follows the database.
const ANSWER: usize = 1;
const UPDATE_AND_ANSWER: usize = 2;

/// How long the rounds of a measurement took, and each of their transactions.
#[derive(Default)]
struct Times {
    rounds: Vec<Duration>,
    each: Vec<Duration>,
}

impl Times {
    fn add(&mut self, each: Vec<Duration>) {
        self.rounds.push(each.iter().sum());
        self.each.extend(each);
    }
}

pub(crate) async fn measure() -> Result<()> {
    println!("transactions, each one port of a switch, against a real ovsdb-server");
    let server = OvsdbServer::start(&OvnRoot::find()?, Database::Northbound)?;
    let mut wire = Wire::connect(server.socket())?;
    let [mut bare, mut following, mut sequential] = <[Times; 3]>::default();
    let mut pipelined = Vec::new();
    for round in 0..ROUNDS {
        let client = connect(&server.remote()).await?;
        let made = prepare(&client, round).await?;
        bare.add(run_bare(&mut wire, &made[0], ANSWER)?);
        sequential.add(run_sequential(&client, &made[1]).await?);
        pipelined.push(run_pipelined(&client, &made[2]).await?);
        // The server is to send each update to one connection, as in the other measurements.
        let request = follow(&client);
        client.close().await;
        let mut wire = Wire::connect(server.socket())?;
        wire.call(&request)?;
        following.add(run_bare(&mut wire, &made[3], UPDATE_AND_ANSWER)?);
    }
    report("client, pipelined", &per_second(COUNT, median(pipelined)));
    tell("", bare.rounds, following.rounds, sequential.rounds, COUNT);
    // Whatever else the machine does lengthens some transactions a lot, and most not at all.
    tell("median: ", bare.each, following.each, sequential.each, 1);
    Ok(())
}

/// Tells how the client compares to both bare sockets; each time is that of so many transactions.
fn tell(
    kind: &str,
    bare: Vec<Duration>,
    following: Vec<Duration>,
    sequential: Vec<Duration>,
    count: usize,
) {
    let [bare, following, sequential] = [bare, following, sequential].map(median);
    let speed = |what: &str, time| report(&format!("{kind}{what}"), &per_second(count, time));
    speed("bare socket, one at a time (baseline)", bare);
    speed("bare socket that also receives its updates", following);
    speed("client, one at a time (floor 4,000 /s)", sequential);
    let ratio = |what: &str, one: Duration, other: Duration| {
        let ratio = one.as_secs_f64() / other.as_secs_f64();
        report(&format!("{kind}{what}"), &format!("{ratio:>9.2}"));
    };
    ratio("client relative to the bare socket", bare, sequential);
    ratio("client relative to the one that receives updates", following, sequential);
    ratio("the one that receives updates, to the bare socket", bare, following);
}

/// Makes the switches of a round; returns the transactions of each of its measurements.
async fn prepare(client: &Client, round: usize) -> Result<[Vec<Vec<Operation>>; 4]> {
    let mut made: [Vec<Vec<Operation>>; 4] = Default::default();
    for (part, transactions) in made.iter_mut().enumerate() {
        let first = (round * 4 + part) * (COUNT / PORTS);
        let switches = first..first + COUNT / PORTS;
        let backbones: Vec<Sheet> = switches.clone().map(network::backbone).collect();
        commit_all(client, &backbones).await?;
        *transactions = ports(client, switches)?;
    }
    Ok(made)
}

/// Asks for all that the client asks for.
fn follow(client: &Client) -> String {
    let tables: BTreeMap<String, Value> = client.with_cache(|cache| {
        let whole = |table: &Table| (table.schema().name.to_string(), json!([{}]));
        cache.tables().map(whole).collect()
    });
    let last = "00000000-0000-0000-0000-000000000000";
    let params = json!(["OVN_Northbound", "bench", tables, last]);
    json!({ "id": 0, "method": "monitor_cond_since", "params": params }).to_string()
}

fn median(mut times: Vec<Duration>) -> Duration {
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

fn run_bare(
    wire: &mut Wire,
    transactions: &[Vec<Operation>],
    messages: usize,
) -> Result<Vec<Duration>> {
    let requests: Vec<String> = transactions
        .iter()
        .enumerate()
        .map(|(id, operations)| {
            let mut params = vec![json!("OVN_Northbound")];
            params.extend(operations.iter().map(|operation| json!(operation)));
            json!({ "id": id, "method": "transact", "params": params }).to_string()
        })
        .collect();
    let timed = |request: &String| {
        let start = Instant::now();
        wire.exchange(request, messages)?;
        Ok(start.elapsed())
    };
    requests.iter().map(timed).collect()
}

async fn run_sequential(client: &Client, transactions: &[Vec<Operation>]) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(transactions.len());
    for operations in transactions {
        let start = Instant::now();
        check(&client.transact(operations).await?)?;
        times.push(start.elapsed());
    }
    Ok(times)
}

async fn run_pipelined(client: &Client, transactions: &[Vec<Operation>]) -> Result<Duration> {
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

//! How long a comparison takes: of everything, and of one changed row among ever more.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ovn::{Sheet, SimulatedDatabase, compare};
use ovsdb::cache::{RowUpdate, TableUpdates};
use ovsdb::{Cache, Datum, Row, Uuid};

use crate::network::{self, PORTS};
use crate::report;

/// Repetitions of the one-row comparison.
const TRIES: usize = 2_000;

pub(crate) fn measure(rows: usize) -> Result<()> {
    println!("\na replica, in memory");
    for members in [100, 1_000, 10_000] {
        one_member(members)?;
    }
    println!("\ncompare and plan, in memory");
    for size in [rows / 100, rows / 10, rows] {
        let database = fill(size)?;
        one_row(&database, size)?;
        if size == rows {
            everything(&database, size)?;
        }
    }
    Ok(())
}

/// A switch gains and loses one port among many.
fn one_member(members: usize) -> Result<()> {
    let rules = network::rules();
    let mut cache =
        Cache::new(SimulatedDatabase::new(rules.clone()).rows().schema().clone(), &rules.indexes());
    let table = cache.table("Logical_Switch").context("a table of the schema")?.schema().clone();
    let ports = table.column_id("ports").context("a column of the schema")?;
    let switch = Uuid::from_u128(1);
    let update = |numbers: &mut dyn Iterator<Item = usize>| {
        Row::new(&table, [(ports, Datum::set(numbers.map(|it| Uuid::from_u128(it as u128))))])
    };
    let one = |update| TableUpdates(vec![("Logical_Switch".into(), vec![(switch, update)])]);
    cache.apply(one(RowUpdate::Insert(update(&mut (0..members).map(|it| it * 2)))))?;
    let mut times: Vec<Duration> = Vec::with_capacity(TRIES);
    for number in 0..TRIES {
        let port = (number / 2 * 7_919 % members) * 2 + 1;
        let update = one(RowUpdate::Modify(update(&mut std::iter::once(port))));
        let start = Instant::now();
        let changes = cache.apply(update)?;
        times.push(start.elapsed());
        anyhow::ensure!(black_box(changes).len() == 1, "one switch changed");
    }
    let what = format!("one member of a list of {members} comes or goes");
    report_times(&what, times);
    Ok(())
}

fn fill(rows: usize) -> Result<SimulatedDatabase> {
    let mut database = SimulatedDatabase::new(network::rules());
    let sheets = network::whole(rows);
    for batch in sheets.chunks(10 * PORTS) {
        let plan = database.plan(batch)?;
        database.apply(&plan).context("filling the database")?;
    }
    Ok(database)
}

/// A pod moves to another chassis: one column of one row.
fn one_row(database: &SimulatedDatabase, size: usize) -> Result<()> {
    let mut times: Vec<Duration> = Vec::with_capacity(TRIES);
    for number in 0..TRIES {
        let pod = number * size / TRIES;
        let sheet = network::pod(pod, pod / PORTS, "node-2");
        let start = Instant::now();
        let plan = compare(&sheet, database.rows(), database.rules())?;
        let operations = plan.operations(database.rules().database);
        times.push(start.elapsed());
        anyhow::ensure!(black_box(operations).len() == 2 && plan.updates.len() == 1, "{plan}");
    }
    report_times(&format!("one changed row among {size} (floor 50 µs)"), times);
    Ok(())
}

fn report_times(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let (median, late) = (micros(times[TRIES / 2]), micros(times[TRIES * 99 / 100]));
    report(what, &format!("{median:>9.1} µs, 99 %: {late:.1} µs"));
}

fn everything(database: &SimulatedDatabase, rows: usize) -> Result<()> {
    let sheets = network::whole(rows);
    let start = Instant::now();
    let plan = database.plan(&sheets)?;
    let unchanged = start.elapsed();
    anyhow::ensure!(plan.is_empty(), "nothing changed");
    let moved: Vec<Sheet> =
        (0..rows).map(|number| network::pod(number, number / PORTS, "node-2")).collect();
    let start = Instant::now();
    let plan = database.plan(&moved)?;
    let operations = plan.operations(database.rules().database);
    let changed = start.elapsed();
    anyhow::ensure!(plan.updates.len() == rows && !operations.is_empty(), "every port changed");
    let figure = |time: Duration| format!("{:>9.2} s", time.as_secs_f64());
    report(&format!("all {rows} rows, none changed"), &figure(unchanged));
    report(&format!("all {rows} rows, each changed, with its operations"), &figure(changed));
    Ok(())
}

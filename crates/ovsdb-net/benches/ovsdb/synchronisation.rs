//! How long a new client needs for a large database, and how much memory.

use std::fs;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use ovn::Sheet;
use ovsdb::cache::Table;
use udn_lab::ovn_root::{Database, OvnRoot};
use udn_lab::ovsdb_server::OvsdbServer;

use crate::network::{self, PORTS};
use crate::report;
use crate::transactions::{commit_all, connect};
use crate::wire::Wire;

/// The word that makes this program the client that is measured.
pub(crate) const CHILD: &str = "synchronise";

pub(crate) async fn measure(rows: usize) -> Result<()> {
    measure_ports(rows, "ports with a name and addresses", network::plain).await?;
    let pod = |number, switch| network::pod(number, switch, "node-1");
    measure_ports(rows, "ports with all that a pod's has", pod).await
}

async fn measure_ports(
    rows: usize,
    what: &str,
    draw: impl Fn(usize, usize) -> Sheet,
) -> Result<()> {
    println!("\ninitial synchronisation of {rows} rows from a real ovsdb-server: {what}");
    let server = OvsdbServer::start(&OvnRoot::find()?, Database::Northbound)?;
    fill(&server, rows, draw).await?;
    let request = r#"{"id":0,"method":"monitor_cond_since","params":["OVN_Northbound","bench",
        {"Logical_Switch":[{}],"Logical_Switch_Port":[{}]},"00000000-0000-0000-0000-000000000000"]}"#;
    let start = Instant::now();
    let bytes = Wire::connect(server.socket())?.call(request)?;
    report("bare socket, the same answer unread (baseline)", &seconds(start.elapsed()));
    report("text of the answer", &format!("{:>9.1} MB", bytes as f64 / 1e6));
    let child = Command::new(std::env::current_exe()?).args([CHILD, &server.remote()]).status()?;
    anyhow::ensure!(child.success(), "the measured client failed");
    Ok(())
}

/// Synchronises once in a fresh process and tells time and memory.
pub(crate) async fn report_memory(remote: String, rows: usize) -> Result<()> {
    let before = memory("VmRSS:")?;
    let start = Instant::now();
    let client = connect(&remote).await?;
    let elapsed = start.elapsed();
    let (peak, after) = (memory("VmHWM:")?, memory("VmRSS:")?);
    let synced = client.with_cache(|cache| cache.tables().map(Table::len).sum::<usize>());
    anyhow::ensure!(synced >= rows, "only {synced} rows arrived");
    report("client, replica with all indexes (floor 3 s)", &seconds(elapsed));
    let per_row = |bytes: usize| format!("{:>9} bytes/row", bytes / rows);
    report("memory at the peak", &per_row(peak.saturating_sub(before)));
    report("memory afterwards", &per_row(after.saturating_sub(before)));
    Ok(())
}

async fn fill(
    server: &OvsdbServer,
    rows: usize,
    draw: impl Fn(usize, usize) -> Sheet,
) -> Result<()> {
    let client = connect(&server.remote()).await?;
    for switch in 0..rows / PORTS {
        let ports = (0..PORTS).map(|port| draw(switch * PORTS + port, switch));
        let sheets: Vec<Sheet> = std::iter::once(network::backbone(switch)).chain(ports).collect();
        commit_all(&client, &sheets).await?;
    }
    client.close().await;
    Ok(())
}

fn seconds(elapsed: std::time::Duration) -> String {
    format!("{:>9.2} s", elapsed.as_secs_f64())
}

/// A line of this process's status, in bytes.
fn memory(line: &str) -> Result<usize> {
    let status = fs::read_to_string("/proc/self/status")?;
    let found = status.lines().find_map(|text| text.strip_prefix(line));
    let kilobytes = found.and_then(|rest| rest.split_whitespace().next());
    let kilobytes: usize = kilobytes.context("no such line in the process status")?.parse()?;
    Ok(kilobytes * 1024)
}

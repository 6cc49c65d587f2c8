//! Transactions per second, synchronisation and comparison, in one run against a real server.
//!
//! Every figure stands beside a baseline of the same run: a bare socket that sends ready-made text
//! and looks at no answer. `cargo xtask bench ovsdb` runs it all, `cargo xtask bench ovsdb -- comparison`
//! one part. Figures are printed, never asserted.

use std::time::Duration;

use anyhow::Result;

mod comparison;
mod network;
mod synchronisation;
mod transactions;
mod wire;

/// Rows of the large tables.
const ROWS: usize = 100_000;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            spawned(transactions::measure())?;
            spawned(synchronisation::measure(ROWS))?;
            comparison::measure(ROWS)
        }
        ["transactions"] => spawned(transactions::measure()),
        ["synchronisation"] => spawned(synchronisation::measure(ROWS)),
        ["comparison"] => comparison::measure(ROWS),
        // Not for people: a process of its own, so that its memory is its own.
        [synchronisation::CHILD, remote] => {
            spawned(synchronisation::report_memory((*remote).to_owned(), ROWS))
        }
        _ => anyhow::bail!("the parts are transactions, synchronisation and comparison"),
    }
}

/// Runs where a controller's work runs: spawned, beside the connection's own task.
fn spawned(work: impl Future<Output = Result<()>> + Send + 'static) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async { tokio::spawn(work).await? })
}

/// One line of the report.
fn report(what: &str, figure: &str) {
    println!("  {what:<58} {figure}");
}

fn per_second(count: usize, elapsed: Duration) -> String {
    format!("{:>9.0} /s", count as f64 / elapsed.as_secs_f64())
}

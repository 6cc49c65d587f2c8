//! From a directory of manifests to committed rows: how long each stage takes, at three sizes.
//!
//! `cargo xtask bench pipeline` prints 50, 150 and 450 primary networks side by side, for six nodes
//! and one zone; `cargo xtask bench pipeline -- 450 1350` prints other sizes. Each runs in a
//! process of its own, so that its peak of memory is its own.

use std::env;
use std::error::Error;
use std::process::Command;

use measure::{Measured, measure};

mod manifests;
mod measure;

/// Networks, with as many pods for each as in the largest.
const SIZES: [usize; 3] = [50, 150, 450];
/// Set for the process that measures one size: how many networks, and where the manifests are.
const SIZE: &str = "UDN_BENCH_NETWORKS";
const FOLDER: &str = "UDN_BENCH_FOLDER";

fn main() -> Result<(), Box<dyn Error>> {
    if let (Ok(networks), Ok(folder)) = (env::var(SIZE), env::var(FOLDER)) {
        let measured = measure(networks.parse()?, folder.as_ref())?;
        println!("{}", serde_json::to_string(&measured)?);
        return Ok(());
    }
    let chosen: Vec<usize> = env::args().filter_map(|word| word.parse().ok()).collect();
    let sizes = if chosen.is_empty() { SIZES.to_vec() } else { chosen };
    let mut columns = Vec::new();
    for networks in sizes {
        let folder = tempfile::tempdir()?;
        manifests::write(networks, folder.path())?;
        let mut command = Command::new(env::current_exe()?);
        command.env(SIZE, networks.to_string()).env(FOLDER, folder.path());
        let output = command.output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("{networks} networks: {}: {said}", output.status).into());
        }
        columns.push(serde_json::from_slice::<Measured>(&output.stdout)?);
    }
    print!("{}", table(&columns));
    Ok(())
}

/// One line for each figure, one column for each size, and how it grew from the first to the last.
fn table(columns: &[Measured]) -> String {
    let mut out = String::new();
    for (row, (name, _)) in columns[0].figures.iter().enumerate() {
        let values: Vec<f64> = columns.iter().map(|column| column.figures[row].1).collect();
        let cells: String = values.iter().map(|value| format!("{value:>12.1}")).collect();
        let growth = values[values.len() - 1] / values[0].max(0.001);
        out.push_str(&format!("{name:<44}{cells}   × {growth:.1}\n"));
    }
    out
}

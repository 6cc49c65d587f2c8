//! `udn validate` over a folder of manifests: how long it takes, and how much memory.
//!
//! `cargo xtask bench validate` prints 1,000 and 10,000 manifests side by side, all on one core;
//! `cargo xtask bench validate -- 100 1000` prints other sizes. It fails if the largest takes more
//! than two seconds of the core, or if memory grows by more than the review keeps of each.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

mod manifests;

/// Manifests, one in each file.
const SIZES: [usize; 2] = [1_000, 10_000];
/// The longest that the last size may take.
const LIMIT: Duration = Duration::from_secs(2);
/// How much more memory one more manifest may take: what the review of all together keeps of it.
const BYTES_FOR_EACH: usize = 6 << 10;

/// What one size took.
struct Measured {
    manifests: usize,
    seconds: f64,
    /// Of them, on the processor.
    busy: f64,
    /// The largest amount of memory at any time, in bytes.
    peak: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let chosen: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let is_usual = chosen.is_empty();
    let sizes = if is_usual { SIZES.to_vec() } else { chosen };
    let mut all = Vec::new();
    for size in sizes {
        let folder = tempfile::tempdir()?;
        manifests::write(size, folder.path())?;
        all.push(measure(size, folder.path())?);
    }
    println!("{:>10} {:>10} {:>10} {:>12}", "manifests", "seconds", "busy", "peak MiB");
    for Measured { manifests, seconds, busy, peak } in &all {
        let peak = *peak as f64 / f64::from(1 << 20);
        println!("{manifests:>10} {seconds:>10.3} {busy:>10.3} {peak:>12.1}");
    }
    if is_usual { judge(&all) } else { Ok(()) }
}

/// Runs the program once, bound to one core.
fn measure(manifests: usize, folder: &Path) -> Result<Measured, Box<dyn Error>> {
    let start = Instant::now();
    let mut child = Command::new("taskset")
        .args(["--cpu-list", "0", env!("CARGO_BIN_EXE_udn"), "validate", "-f"])
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()?;
    let (mut peak, mut busy) = (0, 0.0);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak = peak.max(high_water_mark(child.id()));
        busy = processor_seconds(child.id()).unwrap_or(busy);
        // waits: both figures are gone once the program has ended
        std::thread::sleep(Duration::from_millis(1));
    };
    let seconds = start.elapsed().as_secs_f64();
    if !status.success() {
        return Err(format!("{manifests} manifests: {status}").into());
    }
    Ok(Measured { manifests, seconds, busy, peak })
}

/// How long the program has been on the core, which other programs share.
fn processor_seconds(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks: Vec<f64> =
        fields.split(' ').skip(11).take(2).filter_map(|it| it.parse().ok()).collect();
    Some(ticks.iter().sum::<f64>() / 100.0)
}

fn high_water_mark(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
    kibibytes.unwrap_or(0) << 10
}

fn judge(all: &[Measured]) -> Result<(), Box<dyn Error>> {
    let [first, .., last] = all else { return Ok(()) };
    // One core's time; how long it took besides depends on who else wanted the core.
    if last.busy > LIMIT.as_secs_f64() {
        return Err(format!("{} manifests took {:.3} s", last.manifests, last.busy).into());
    }
    let more = last.peak.saturating_sub(first.peak) / (last.manifests - first.manifests);
    println!("each manifest more takes {more} bytes");
    if more > BYTES_FOR_EACH {
        return Err(format!("each manifest more takes {more} bytes of memory").into());
    }
    Ok(())
}

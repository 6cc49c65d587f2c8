//! `udn sandbox` on the first-light example: how long until a pod answers, and until all is shown.
//!
//! `cargo xtask bench sandbox` starts it three times with the set-up done, and each time asks
//! `udn sandbox ping` until the first ping between two nodes is answered; `-- 5` starts it as often.
//! It fails if the slowest takes longer than the goal. Needs root.
//! Invariant: every start is a fresh program with a folder of its own, which is gone afterwards.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often it is started.
const RUNS: usize = 3;
/// The longest that the first ping may take, in seconds.
const GOAL: f64 = 15.0;
/// How often a ping is tried.
const PAUSE: Duration = Duration::from_millis(50);
/// After this long there is nothing to wait for.
const LIMIT: Duration = Duration::from_secs(120);

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What one start took, in seconds.
struct Measured {
    first_ping: f64,
    /// Until all pings were tried and everything was removed.
    total: f64,
}

fn main() -> Outcome<()> {
    let chosen = std::env::args().find_map(|word| word.parse().ok());
    println!("{:>6} {:>14} {:>10}", "run", "first ping, s", "total, s");
    let mut all = Vec::new();
    for run in 1..=chosen.unwrap_or(RUNS) {
        let Measured { first_ping, total } = measure()?;
        println!("{run:>6} {first_ping:>14.1} {total:>10.1}");
        all.push(Measured { first_ping, total });
    }
    let slowest = |of: fn(&Measured) -> f64| all.iter().map(of).fold(0.0, f64::max);
    let (first_ping, total) = (slowest(|it| it.first_ping), slowest(|it| it.total));
    println!("figure: first_ping {first_ping:.1} s goal <= {GOAL:.0}");
    println!("figure: sandbox_total {total:.1} s");
    if first_ping > GOAL {
        return Err(format!("the first ping took {first_ping:.1} s").into());
    }
    Ok(())
}

/// Starts a sandbox, and waits for its first ping and its end.
fn measure() -> Outcome<Measured> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path().join("sandbox");
    let start = Instant::now();
    let sandbox = udn(&folder).arg("--once").arg("-f").arg(example()).spawn()?;
    let mut sandbox = Running(sandbox);
    let first_ping = first_ping(&mut sandbox, &folder, start)?;
    let status = sandbox.0.wait()?;
    if !status.success() {
        return Err(format!("the sandbox ended with {status}").into());
    }
    Ok(Measured { first_ping, total: start.elapsed().as_secs_f64() })
}

fn first_ping(sandbox: &mut Running, folder: &Path, start: Instant) -> Outcome<f64> {
    while start.elapsed() < LIMIT {
        if udn(folder).args(["ping", "-4", "red-1", "red-3"]).status()?.success() {
            return Ok(start.elapsed().as_secs_f64());
        }
        if let Some(status) = sandbox.0.try_wait()? {
            return Err(
                format!("the sandbox ended with {status} before a ping was answered").into()
            );
        }
        // waits: nobody tells when the first ping would be answered
        std::thread::sleep(PAUSE);
    }
    Err("no ping was answered".into())
}

fn udn(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    command.arg("sandbox").env("UDN_SANDBOX", folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/first-light")
}

/// A sandbox that ends with this value; what it made its janitor removes.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Ended already in the ordinary case.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

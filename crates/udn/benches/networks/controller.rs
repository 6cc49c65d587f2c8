//! A program beside the bench, and what it has used.
//!
//! Invariant: it ends with its handle.

#![allow(dead_code, reason = "each bench needs another part of it")]

use std::process::{Child, Command, Stdio};

use crate::Outcome;
use crate::cluster::Ground;

/// A running program.
pub(crate) struct Controller {
    child: Child,
}

impl Controller {
    /// `udn controller` as users run it.
    pub(crate) fn start(ground: &Ground) -> Outcome<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
        command.arg("controller").arg("--kubeconfig").arg(ground.cluster.kubeconfig());
        Self::spawn(command)
    }

    /// This bench itself, with a word that makes it something else.
    pub(crate) fn start_as(word: &str, ground: &Ground) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(word).arg(ground.cluster.kubeconfig());
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Outcome<Self> {
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Self { child })
    }

    /// Seconds of processor time so far.
    pub(crate) fn busy(&self) -> Outcome<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: Vec<u64> = fields.skip(11).take(2).filter_map(|it| it.parse().ok()).collect();
        let ticks: u64 = ticks.iter().sum();
        // Linux counts in hundredths of a second, whatever the machine.
        Ok(f64::from(u32::try_from(ticks)?) / 100.0)
    }

    /// The most memory that it held, in MiB.
    pub(crate) fn peak(&self) -> Outcome<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes: u32 = line.ok_or("it ended")?.trim().trim_end_matches(" kB").parse()?;
        Ok(f64::from(kibibytes) / 1024.0)
    }
}

/// The middle of some figures; machines have bad moments.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

impl Drop for Controller {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

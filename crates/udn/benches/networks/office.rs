//! The controller as a program of its own, and what it has used.
//!
//! Invariant: it ends with its handle.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use kube::Client;
use tokio::sync::watch;
use udn_control::cluster::server::{OfficeSettings, run};
use udn_control::meters::Meters;
use udn_kube::Affair;
use udn_model::ClusterSettings;

use crate::Outcome;
use crate::cluster::Ground;

/// The word that makes this bench an office with a network that panics.
pub(crate) const WORK: &str = "--work-with-a-mishap";

/// The network whose turns panic.
pub(crate) const CURSED: &str = "cursed";

/// A running controller.
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

    /// The same loop with a network whose turns panic.
    pub(crate) fn start_with_a_mishap(ground: &Ground) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(WORK).arg(ground.cluster.kubeconfig());
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

impl Drop for Controller {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn mishap(affair: &Affair) {
    assert_ne!(*affair, Affair::ClusterUserDefinedNetwork(CURSED.to_owned()), "a rehearsed mishap");
}

/// Works until it is killed.
pub(crate) async fn work(words: &[String]) -> Outcome<()> {
    let config = kube::config::Kubeconfig::read_from(words.first().ok_or("no kubeconfig")?)?;
    let options = kube::config::KubeConfigOptions::default();
    let client = Client::try_from(kube::Config::from_custom_kubeconfig(config, &options).await?)?;
    let cluster = ClusterSettings::default();
    let settings =
        OfficeSettings { rehearsed_mishap: Some(mishap), ..OfficeSettings::new(cluster) };
    let (ready, _) = watch::channel(false);
    let (_keep, stop) = watch::channel(false);
    run(client, settings, Arc::new(Meters::default()), ready, stop).await;
    Ok(())
}

//! Flows and port settings of bridges, through `ovs-ofctl`.
//!
//! Reads a [`BridgePlan`] or a [`GuardPlan`]; returns how much was changed. All flows change in one bundle, so no
//! packet ever meets half of a plan.
//! Invariant: nothing is written that stands already.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ovsdb::Retry;
use tracing::debug;
use udn_host::guard::{self, GUARD_COOKIE, GuardChange};
use udn_host::revision::Revision;
use udn_host::{BridgePlan, GuardPlan, PortNumber};
use udn_model::MacAddress;

use crate::program::{Program, ProgramError};

mod connection;
mod connections;
mod leftovers;
#[cfg(test)]
mod tests;

use connection::{Connection, Guard, Requests};

/// Where switches have their sockets, if the tool's environment does not say otherwise.
const FOLDER: &str = "/var/run/openvswitch";

/// The newest protocol, which alone knows bundles.
const MODERN: &str = "--protocols=OpenFlow15";
/// The only protocol that knows quiet ports; newer ones take the setting and forget it.
const ANCIENT: &str = "--protocols=OpenFlow10";

/// Why a bridge does not stand as planned.
#[derive(Debug, thiserror::Error)]
pub enum OpenflowError {
    #[error("could not read the ports of {bridge}")]
    ReadPorts { bridge: String, source: ProgramError },
    #[error("could not keep floods from port {port} of {bridge}")]
    Quiet { bridge: String, port: PortNumber, source: ProgramError },
    #[error("could not compare the flows of {bridge}")]
    Compare { bridge: String, source: ProgramError },
    #[error("could not change the flows of {bridge}")]
    Change { bridge: String, source: ProgramError },
    #[error("could not read or change the guards of {bridge}")]
    Guard { bridge: String, source: io::Error },
    #[error("could not have {bridge} forget connections")]
    Forget { bridge: String, source: io::Error },
}

impl OpenflowError {
    /// What the caller should do next: the switch may be starting, or a port may have gone.
    pub fn retry(&self) -> Retry {
        match self {
            Self::ReadPorts { .. }
            | Self::Quiet { .. }
            | Self::Compare { .. }
            | Self::Change { .. }
            | Self::Guard { .. }
            | Self::Forget { .. } => Retry::AfterBackoff,
        }
    }
}

/// The way to a switch's bridges.
#[derive(Debug, Clone)]
pub struct Openflow {
    ofctl: Program,
    /// Connections of our own that nobody uses now, by their bridges.
    idle: Arc<Mutex<BTreeMap<String, Connection>>>,
}

impl Openflow {
    /// `ovs-ofctl` as it reaches the switch's bridges by their names.
    pub fn new(ofctl: Program) -> Self {
        Self { ofctl, idle: Arc::default() }
    }

    /// Makes a bridge stand as planned; returns how many things were changed.
    pub async fn apply(&self, plan: &BridgePlan) -> Result<usize, OpenflowError> {
        // Ports first: with the flows, networks begin to speak.
        let quieted = self.quiet(plan).await?;
        let revision = self.compare(plan).await?;
        if !revision.is_empty() {
            let arguments = [MODERN, "--bundle", "add-flows", &plan.name, "-"];
            let change = self.ofctl.run(&arguments, &revision.bundle, &[0]).await;
            let bridge = || plan.name.clone();
            change.map_err(|source| OpenflowError::Change { bridge: bridge(), source })?;
        }
        let Revision { added, removed, .. } = revision;
        debug!(bridge = plan.name, added, removed, quieted, "applied flows");
        Ok(quieted + added + removed)
    }

    /// Keeps floods from a bridge's ports that are planned so; returns from how many.
    pub async fn quiet(&self, plan: &BridgePlan) -> Result<usize, OpenflowError> {
        let bridge = || plan.name.clone();
        let ports = self.ofctl.run(&[ANCIENT, "dump-ports-desc", &plan.name], "", &[0]).await;
        let ports =
            ports.map_err(|source| OpenflowError::ReadPorts { bridge: bridge(), source })?;
        let loud = loud_ports(&ports);
        let wanted: Vec<PortNumber> = plan.quiet.intersection(&loud).copied().collect();
        for port in &wanted {
            let number = port.to_string();
            let arguments = [ANCIENT, "mod-port", &plan.name, &number, "no-flood"];
            let change = self.ofctl.run(&arguments, "", &[0]).await;
            let refused = |source| OpenflowError::Quiet { bridge: bridge(), port: *port, source };
            change.map_err(refused)?;
        }
        Ok(wanted.len())
    }

    /// Lets a bridge drop the router advertisements of more pods; returns of how many.
    pub async fn guard(&self, plan: &GuardPlan) -> Result<usize, OpenflowError> {
        let standing = self.guarded(plan).await?;
        self.change_guard(plan, plan.missing(&standing)).await
    }

    /// Forgets pods that a bridge need not guard any more; returns how many.
    pub async fn unguard(&self, plan: &GuardPlan) -> Result<usize, OpenflowError> {
        let standing = self.guarded(plan).await?;
        self.change_guard(plan, plan.surplus(&standing)).await
    }

    /// The pods whose router advertisements a bridge drops now.
    pub async fn guarded_macs(&self, bridge: &str) -> Result<BTreeSet<MacAddress>, OpenflowError> {
        match self.ask(bridge, &Requests::list()).await {
            Ok(answers) => Ok(connection::guarded(&answers)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let plan = GuardPlan { bridge: bridge.to_owned(), macs: BTreeSet::new() };
                Ok(guard::macs(&self.guarded(&plan).await?))
            }
            Err(source) => Err(OpenflowError::Guard { bridge: bridge.to_owned(), source }),
        }
    }

    /// Lets a bridge guard some pods more and others no longer, whoever stands there.
    pub async fn exchange_guards(
        &self,
        bridge: &str,
        come: &BTreeSet<MacAddress>,
        go: &BTreeSet<MacAddress>,
    ) -> Result<usize, OpenflowError> {
        if come.is_empty() && go.is_empty() {
            return Ok(0);
        }
        let guards = come.iter().copied().map(Guard::Added);
        let guards: Vec<Guard> = guards.chain(go.iter().copied().map(Guard::Removed)).collect();
        match self.ask(bridge, &Requests::change(&guards)).await {
            Ok(_) => Ok(guards.len()),
            // A switch with sockets elsewhere: the tool knows where.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let plan = GuardPlan { bridge: bridge.to_owned(), macs: BTreeSet::new() };
                self.change_guard(&plan, guard::exchange(come, go)).await
            }
            Err(source) => Err(OpenflowError::Guard { bridge: bridge.to_owned(), source }),
        }
    }

    /// Asks a bridge over a connection of our own, by one that stands if there is one.
    async fn ask(&self, bridge: &str, requests: &Requests) -> io::Result<Vec<Vec<u8>>> {
        let kept = self.idle().remove(bridge);
        if let Some(mut connection) = kept
            && let Ok(answers) = connection.ask(requests).await
        {
            self.idle().insert(bridge.to_owned(), connection);
            return Ok(answers);
        }
        // A switch that began anew has closed what it had.
        let mut connection = Connection::open(&self.socket(bridge)).await?;
        let answers = connection.ask(requests).await?;
        self.idle().insert(bridge.to_owned(), connection);
        Ok(answers)
    }

    fn idle(&self) -> MutexGuard<'_, BTreeMap<String, Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a bridge listens.
    // compat: vswitchd/bridge.c, bridge_configure_remotes
    fn socket(&self, bridge: &str) -> PathBuf {
        let folder = self.ofctl.variable("OVS_RUNDIR").unwrap_or_else(|| FOLDER.into());
        Path::new(&folder).join(format!("{bridge}.mgmt"))
    }

    async fn guarded(&self, plan: &GuardPlan) -> Result<String, OpenflowError> {
        let ours = format!("cookie={GUARD_COOKIE:#x}/-1");
        let arguments = [MODERN, "--no-stats", "dump-flows", &plan.bridge, &ours];
        let standing = self.ofctl.run(&arguments, "", &[0]).await;
        standing.map_err(|source| OpenflowError::Compare { bridge: plan.bridge.clone(), source })
    }

    async fn change_guard(
        &self,
        plan: &GuardPlan,
        change: GuardChange,
    ) -> Result<usize, OpenflowError> {
        if change.count > 0 {
            let arguments = [MODERN, "--bundle", "add-flows", &plan.bridge, "-"];
            let done = self.ofctl.run(&arguments, &change.bundle, &[0]).await;
            let bridge = || plan.bridge.clone();
            done.map_err(|source| OpenflowError::Change { bridge: bridge(), source })?;
        }
        Ok(change.count)
    }

    async fn compare(&self, plan: &BridgePlan) -> Result<Revision, OpenflowError> {
        let arguments = [MODERN, "diff-flows", &plan.name, "/dev/stdin"];
        // The tool ends with 2 when it finds a difference.
        let difference = self.ofctl.run(&arguments, &plan.flows.to_string(), &[0, 2]).await;
        let bridge = || plan.name.clone();
        let difference =
            difference.map_err(|source| OpenflowError::Compare { bridge: bridge(), source })?;
        Ok(Revision::of(&difference))
    }
}

/// The ports that floods reach, from what `ovs-ofctl dump-ports-desc` prints.
fn loud_ports(text: &str) -> BTreeSet<PortNumber> {
    let mut loud = BTreeSet::new();
    let mut port = None;
    for line in text.lines().map(str::trim) {
        if let Some((number, _)) = line.split_once('(') {
            port = number.parse().ok().and_then(PortNumber::new);
        } else if let Some(config) = line.strip_prefix("config:")
            && !config.contains("NO_FLOOD")
        {
            loud.extend(port);
        }
    }
    loud
}

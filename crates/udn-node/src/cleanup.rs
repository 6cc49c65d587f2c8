//! Takes away what outlives our programs on a node: `udn node --cleanup`.
//!
//! Looks at the switch, the kernel and the files; returns whether nothing of ours is left, and tells
//! each thing that it took. Neither an API server nor a switch that runs is needed.
//! Invariant: nothing is taken while a program of ours runs, or from pods that run unless that is
//! asked for; a second run takes nothing.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use ovsdb::Retry;
use ovsdb_net::Remote;
use tokio::time::timeout;

use crate::causes::with_causes;
use crate::kernel::{Kernel, KernelError, KernelLeftovers};
use crate::openflow::Openflow;
use crate::program::Program;
use crate::switch::{Switch, SwitchRows};

mod files;
mod removal;

pub use files::{Leftover, Places, answers};
pub use removal::{Identity, Removal, running_pods};

/// How long a switch's database that takes connections may take to tell what it has.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is cleaned up, and how.
#[derive(Debug, Clone)]
pub struct CleanupSettings {
    pub identity: Identity,
    pub places: Places,
    /// The database of the node's switch.
    pub open_vswitch: Remote,
    pub ofctl: Program,
    /// The node's network namespace, by its file.
    pub namespace: PathBuf,
    /// Pods that run are cut off.
    pub is_forced: bool,
    /// Nothing is taken, only told.
    pub is_rehearsal: bool,
}

/// Why nothing was taken.
#[derive(Debug, thiserror::Error)]
pub enum CleanupError {
    #[error(
        "the agent of this node runs: it answers on {socket}; take the programs away first \
         (kubectl delete -f deploy/manifests, or stop udn node)"
    )]
    AgentRuns { socket: PathBuf },
    #[error(
        "the OVN of this node runs: its southbound database answers on {socket}; end \
         ovn-controller, ovn-northd and both databases first"
    )]
    OvnRuns { socket: PathBuf },
    #[error(
        "the switch that keeps its database in {state} runs; take the DaemonSet udn-openvswitch \
         away first"
    )]
    SwitchRuns { state: PathBuf },
    #[error(
        "pods of this node are still plugged in: {}; delete or drain them first, or cut them off \
         with --force", pods.join(", ")
    )]
    PodsRun { pods: Vec<String> },
    #[error("could not look at the node's kernel")]
    Kernel {
        #[from]
        source: KernelError,
    },
}

impl CleanupError {
    /// What the caller should do next: a person has to do something first.
    pub fn retry(&self) -> Retry {
        match self {
            Self::AgentRuns { .. }
            | Self::OvnRuns { .. }
            | Self::SwitchRuns { .. }
            | Self::PodsRun { .. } => Retry::Never,
            Self::Kernel { source } => source.retry(),
        }
    }
}

/// What is told while it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// This is gone.
    Taken(String),
    /// This would go.
    Found(String),
    /// This stays, because it is somebody else's.
    Left(String),
    /// This could not be done, or looked at, and why.
    Failed(String),
}

/// Takes away all that is ours; returns whether nothing is left, as far as could be seen.
pub async fn clean_up(
    settings: &CleanupSettings,
    tell: &mut (dyn FnMut(Told) + Send),
) -> Result<bool, CleanupError> {
    refuse_while_programs_run(settings)?;
    let kernel = Kernel::enter(&settings.namespace).await?;
    let mut cleaning = Cleaning {
        settings,
        kernel,
        openflow: Openflow::new(settings.ofctl.clone()),
        switch: None,
        tell,
        is_clean: true,
    };
    cleaning.connect().await;
    let seen = cleaning.look().await?;
    let pods = seen.rows.as_ref().map(|rows| running_pods(rows, &seen.kernel)).unwrap_or_default();
    if !pods.is_empty() && !settings.is_forced {
        return Err(CleanupError::PodsRun { pods: pods.into_values().collect() });
    }
    cleaning.clean(&seen).await;
    if cleaning.is_clean && !settings.is_rehearsal {
        let seen = cleaning.look().await?;
        for line in cleaning.removal(&seen).lines() {
            cleaning.fail(format!("{line} is still there"));
        }
    }
    Ok(cleaning.is_clean)
}

fn refuse_while_programs_run(settings: &CleanupSettings) -> Result<(), CleanupError> {
    let places = &settings.places;
    let socket = places.here(&places.cni_socket);
    if answers(&socket) {
        return Err(CleanupError::AgentRuns { socket });
    }
    let southbound = settings.identity.southbound.strip_prefix("unix:");
    let southbound = southbound.map(|it| places.here(it.as_ref()));
    if let Some(socket) = southbound.filter(|it| answers(it)) {
        return Err(CleanupError::OvnRuns { socket });
    }
    if places.own_switch_runs() {
        return Err(CleanupError::SwitchRuns { state: places.here(&places.state) });
    }
    Ok(())
}

/// What was seen at one look.
struct Seen {
    kernel: KernelLeftovers,
    /// Absent where no switch answers.
    rows: Option<SwitchRows>,
}

/// A node that is being cleaned up.
struct Cleaning<'a> {
    settings: &'a CleanupSettings,
    kernel: Kernel,
    openflow: Openflow,
    switch: Option<Switch>,
    tell: &'a mut (dyn FnMut(Told) + Send),
    is_clean: bool,
}

impl Cleaning<'_> {
    /// Finds the switch, if there is one that has anything to be taken away.
    async fn connect(&mut self) {
        let CleanupSettings { places, open_vswitch, .. } = self.settings;
        if let Remote::Unix(path) = open_vswitch
            && !answers(path)
        {
            // What a switch of our own knew goes with its folder.
            let is_missed = !places.has_own_switch();
            if is_missed && (places.host_switch().is_some() || path.exists()) {
                self.fail(format!(
                    "Open vSwitch does not answer on {open_vswitch}, and what it keeps was not \
                     looked at; start it and run this again"
                ));
            }
            return;
        }
        let connected = async {
            let switch = Switch::connect(vec![open_vswitch.clone()])?;
            switch.wait_synced().await.map(|()| switch)
        };
        match timeout(PATIENCE, connected).await {
            Ok(Ok(switch)) => self.switch = Some(switch),
            Ok(Err(error)) => self.fail(with_causes(&error)),
            Err(_) => self.fail(format!("{open_vswitch} does not tell what the switch has")),
        }
    }

    async fn look(&self) -> Result<Seen, KernelError> {
        let rows = self.switch.as_ref().map(Switch::leftovers);
        Ok(Seen { kernel: self.kernel.leftovers().await?, rows })
    }

    fn removal(&self, seen: &Seen) -> Removal {
        Removal::of(&self.settings.identity, seen.rows.as_ref(), &seen.kernel)
    }

    /// Takes all that was seen, what needs something else before that.
    async fn clean(&mut self, seen: &Seen) {
        let removal = self.removal(seen);
        removal.left.iter().for_each(|it| (self.tell)(Told::Left(it.clone())));
        self.clean_flows(seen).await;
        if self.settings.is_rehearsal {
            removal.lines().into_iter().for_each(|it| (self.tell)(Told::Found(it)));
        } else {
            self.take(&removal).await;
        }
        for leftover in self.settings.places.leftovers() {
            // What a switch of ours knew tells a later run what was ours.
            if !self.is_clean && !matches!(leftover, Leftover::File(_)) {
                continue;
            }
            let line = leftover.to_string();
            match self.settings.is_rehearsal {
                true => (self.tell)(Told::Found(line)),
                false => self.note(vec![line], leftover.take()),
            }
        }
    }

    /// The external bridge stays, and is an ordinary switch again.
    async fn clean_flows(&mut self, seen: &Seen) {
        let bridge = self.settings.identity.external_bridge.as_str();
        let is_there = seen.rows.as_ref().is_some_and(|it| it.bridges.contains_key(bridge));
        if !is_there {
            return;
        }
        let count = match self.openflow.count_own(bridge).await {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) => return self.fail(with_causes(&error)),
        };
        let line = format!("{count} flows of {bridge}");
        match self.settings.is_rehearsal {
            true => (self.tell)(Told::Found(line)),
            false => {
                let taken = self.openflow.take_own(bridge).await;
                self.note(vec![line], taken);
            }
        }
    }

    async fn take(&mut self, removal: &Removal) {
        let Removal { switch, links, rules, routes, neighbours, filters, left: _ } = removal;
        if !rules.is_empty() {
            let taken = self.kernel.take_rules().await;
            self.note(rules.clone(), taken);
        }
        if !routes.is_empty() {
            let taken = self.kernel.take_routes().await;
            self.note(routes.clone(), taken);
        }
        for neighbour in neighbours {
            let taken = self.kernel.take_neighbour(neighbour).await;
            self.note(vec![neighbour.to_string()], taken);
        }
        if let Some(connected) = &self.switch {
            let taken = connected.take(switch).await;
            self.note(switch.lines(), taken);
        }
        for link in links {
            let taken = self.kernel.remove_link(link).await;
            self.note(vec![format!("link {link}")], taken);
        }
        for table in filters {
            let taken = self.kernel.take_filter(table).await;
            self.note(vec![format!("table {} of nf_tables", table.name)], taken);
        }
    }

    /// Tells what became of some things.
    fn note<T, E: Error + 'static>(&mut self, lines: Vec<String>, outcome: Result<T, E>) {
        match outcome {
            Ok(_) => lines.into_iter().for_each(|it| (self.tell)(Told::Taken(it))),
            Err(error) => self.fail(format!("{}: {}", lines.join(", "), with_causes(&error))),
        }
    }

    fn fail(&mut self, line: String) {
        self.is_clean = false;
        (self.tell)(Told::Failed(line));
    }
}

//! The host of one node, as a whole: makes it look as a [`HostPlan`] says.
//!
//! Reads a plan; returns how much was changed.
//! Invariant: what a step needs was made by a step before it: quiet ports before all, cables and guards
//! before ports, ports before links of the switch's own, links before routes.

use std::path::PathBuf;

use ovn::{Owner, Sheet};
use ovsdb::Retry;
use ovsdb_net::Remote;
use udn_host::{GuardPlan, HostPart, HostPlan, PodLink};

use crate::kernel::{Kernel, KernelError};
use crate::openflow::{Openflow, OpenflowError};
use crate::program::Program;
use crate::switch::{Switch, SwitchError};

mod connections;
mod isolation;

use connections::Forgetting;
pub use isolation::{Isolation, KubeletPlace};

/// Where a host is, and what serves it.
#[derive(Debug, Clone)]
pub struct HostSettings {
    /// The host's network namespace, by its file.
    pub namespace: PathBuf,
    /// The database of its switch.
    pub open_vswitch: Vec<Remote>,
    pub ofctl: Program,
    pub ethtool: Program,
}

/// Why a host does not look as planned.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error("could not bring the switch's ports in order")]
    Switch {
        #[from]
        source: SwitchError,
    },
    #[error("could not bring the switch's flows in order")]
    Openflow {
        #[from]
        source: OpenflowError,
    },
    #[error("could not bring links and routes in order")]
    Kernel {
        #[from]
        source: KernelError,
    },
}

impl HostError {
    /// What the caller should do next.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Switch { source } => source.retry(),
            Self::Openflow { source } => source.retry(),
            Self::Kernel { source } => source.retry(),
        }
    }
}

/// The host of one node.
#[derive(Debug, Clone)]
pub struct Host {
    switch: Switch,
    openflow: Openflow,
    kernel: Kernel,
    ethtool: Program,
    forgetting: Forgetting,
    isolation: Isolation,
}

impl Host {
    /// Begins to serve a host. Must be called inside a tokio runtime.
    pub async fn new(settings: HostSettings) -> Result<Self, HostError> {
        let HostSettings { namespace, open_vswitch, ofctl, ethtool } = settings;
        let switch = Switch::connect(open_vswitch)?;
        let kernel = Kernel::enter(&namespace).await?;
        let (openflow, forgetting) = (Openflow::new(ofctl), Forgetting::default());
        let isolation = Isolation::new(kernel.clone());
        Ok(Self { switch, openflow, kernel, ethtool, forgetting, isolation })
    }

    /// Makes the whole host look as planned; what is not in the plan goes.
    pub async fn apply(&self, plan: &HostPlan) -> Result<usize, HostError> {
        // OVN announces every new network by a flood, and each flood passes all that are not quiet.
        let mut changes = self.openflow.quiet(&plan.bridge).await?;
        for pod in &plan.pods {
            changes += self.kernel.apply_pod(pod, &self.ethtool).await?;
        }
        changes += self.openflow.guard(&plan.guard).await?;
        let ports = self.switch.commit_all(&plan.ports).await?;
        changes += ports.changes;
        changes += self.openflow.unguard(&plan.guard).await?;
        for link in &ports.removed {
            changes += self.kernel.remove_link(link).await?;
        }
        Ok(changes + self.apply_rest(plan).await?)
    }

    /// Makes everything but pods look as planned: their ports, cables and guards stay as they are.
    pub async fn apply_networks(&self, plan: &HostPlan) -> Result<usize, HostError> {
        let mut changes = self.openflow.quiet(&plan.bridge).await?;
        let is_of_network =
            |owner: &Owner| !matches!(HostPart::parse(owner.as_str()), Some(HostPart::Pod(_)));
        let drawn = plan.ports.iter().filter(|sheet| is_of_network(&sheet.owner));
        let mut sheets: Vec<Sheet> = drawn.cloned().collect();
        let standing = self.switch.owners().into_iter().filter(is_of_network);
        let gone: Vec<Owner> =
            standing.filter(|owner| sheets.iter().all(|sheet| sheet.owner != *owner)).collect();
        sheets.extend(gone.into_iter().map(Sheet::new));
        let ports = self.switch.commit(&sheets).await?;
        changes += ports.changes;
        for link in &ports.removed {
            changes += self.kernel.remove_link(link).await?;
        }
        Ok(changes + self.apply_rest(plan).await?)
    }

    /// Makes what needs ports look as planned.
    async fn apply_rest(&self, plan: &HostPlan) -> Result<usize, HostError> {
        for link in &plan.links {
            self.switch.wait_link(&link.name).await?;
        }
        let mut changes = self.kernel.apply_links(&plan.links).await?;
        changes += self.kernel.apply_parameters(&plan.parameters).await?;
        changes += self.kernel.apply_routing(&plan.routing).await?;
        Ok(changes + self.openflow.apply(&plan.bridge).await?)
    }

    /// Connects one pod and waits until OVN has wired it; `ports` is the sheet of its part.
    pub async fn connect(&self, pod: &PodLink, ports: &Sheet) -> Result<usize, HostError> {
        let mut changes = self.kernel.apply_pod(pod, &self.ethtool).await?;
        if let Some(bridge) = pod.guarding_bridge.clone() {
            changes += self.openflow.guard(&GuardPlan { bridge, macs: [pod.mac].into() }).await?;
        }
        let committed = self.switch.commit(std::slice::from_ref(ports)).await?;
        self.switch.wait_installed(&pod.link).await?;
        Ok(changes + committed.changes)
    }

    /// Takes one pod's port and cable away; its guard goes when the whole host is applied next.
    ///
    /// `ports` is the empty sheet of its part.
    pub async fn disconnect(&self, link: &str, ports: &Sheet) -> Result<usize, HostError> {
        let committed = self.switch.commit(std::slice::from_ref(ports)).await?;
        Ok(committed.changes + self.kernel.remove_link(link).await?)
    }

    /// The switch, for whoever waits for something that it says.
    pub fn switch(&self) -> &Switch {
        &self.switch
    }

    /// The host's own network namespace.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Who is kept from locked pods.
    pub fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    pub(crate) fn openflow(&self) -> &Openflow {
        &self.openflow
    }

    pub(crate) fn ethtool(&self) -> &Program {
        &self.ethtool
    }
}

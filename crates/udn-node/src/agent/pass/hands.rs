//! Makes a host look as planned, as far as that is possible now.
//!
//! Invariant: what a step needs was made by a step before it; a step that fails keeps no later one from
//! being tried, unless that needs what it makes.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ovn::Sheet;
use tokio::time::Instant;
use tracing::warn;
use udn_host::chassis::KernelSeen;
use udn_host::links::Parameter;
use udn_host::routing::Way;
use udn_host::{BridgePlan, HostLink, HostPart, HostPlan, Routing};
use udn_model::NetworkName;

use super::{Causes, Done, PassError};
use crate::host::Host;

/// How long a link of the switch's own may be missing before its port is made anew.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long the switch may take to do what it was told again, before it is told once more.
const LONG_PATIENCE: Duration = Duration::from_secs(10);

/// What is to be, and what is known of what is.
pub(super) struct Wanted {
    pub(super) plan: HostPlan,
    /// Whether OVN has made all ports that lead to networks.
    pub(super) patches: bool,
    pub(super) causes: Causes,
    /// Whether the switch runs.
    pub(super) switch_is_here: bool,
    pub(super) kernel: KernelSeen,
}

/// What the kernel was to have.
type KernelPlan = (Vec<HostLink>, Vec<Parameter>, Routing);

/// The hands, and what they did last: what cannot have changed since is not compared again.
pub(super) struct Hands {
    host: Host,
    kernel: Option<KernelPlan>,
    bridge: Option<BridgePlan>,
    /// Since when links of the switch's own are missing or wrong.
    wrong: BTreeMap<String, Instant>,
}

impl Hands {
    pub(super) fn new(host: Host) -> Self {
        Self { host, kernel: None, bridge: None, wrong: BTreeMap::new() }
    }

    /// Changes what differs.
    pub(super) async fn apply(&mut self, wanted: Wanted, done: &mut Done) -> Result<(), PassError> {
        let Wanted { plan, patches, causes, switch_is_here, kernel } = wanted;
        // OVN announces every new network by a flood, and each flood passes all that are not quiet.
        let quieted = match self.bridge.as_ref().map(|it| &it.quiet) == Some(&plan.bridge.quiet) {
            true => Ok(0),
            false => self.host.openflow().quiet(&plan.bridge).await,
        };
        done.changes += self.commit_ports(&plan).await?;
        let missing = self.mend_links(&plan, &kernel, switch_is_here, done).await?;
        let HostPlan { links, parameters, mut routing, bridge, .. } = plan;
        let links = links.into_iter().filter(|it| !missing.contains(&it.name)).collect();
        let routes = routing.routes.len();
        leave_out(&mut routing, |link| !kernel.links.contains_key(link) || missing.contains(link));
        done.is_whole = patches && missing.is_empty() && routing.routes.len() == routes;
        let routed = self.apply_kernel((links, parameters, routing), causes).await;
        let flowed = self.apply_flows(bridge, causes).await;
        done.changes += quieted?;
        for changes in [routed, flowed] {
            done.changes += changes?;
        }
        Ok(())
    }

    async fn apply_kernel(
        &mut self,
        wanted: KernelPlan,
        causes: Causes,
    ) -> Result<usize, PassError> {
        if self.kernel.as_ref() == Some(&wanted) && !causes.has(Causes::KERNEL) {
            return Ok(0);
        }
        self.kernel = None;
        let (links, parameters, routing) = &wanted;
        let kernel = self.host.kernel();
        let mut changes = kernel.apply_links(links).await?;
        changes += kernel.apply_parameters(parameters).await?;
        changes += kernel.apply_routing(routing).await?;
        self.kernel = Some(wanted);
        Ok(changes)
    }

    async fn apply_flows(
        &mut self,
        wanted: BridgePlan,
        causes: Causes,
    ) -> Result<usize, PassError> {
        if self.bridge.as_ref() == Some(&wanted) && !causes.has(Causes::FLOWS) {
            return Ok(0);
        }
        self.bridge = None;
        let changes = self.host.openflow().apply(&wanted).await?;
        self.bridge = Some(wanted);
        Ok(changes)
    }

    /// Makes the networks' ports those that are planned; pods' ports are not looked at.
    async fn commit_ports(&self, plan: &HostPlan) -> Result<usize, PassError> {
        let switch = self.host.switch();
        let drawn: BTreeSet<_> = plan.ports.iter().map(|it| &it.owner).collect();
        let is_gone = |owner: &ovn::Owner| {
            matches!(HostPart::parse(owner.as_str()), Some(HostPart::Network(_)))
                && !drawn.contains(owner)
        };
        let gone = switch.owners().into_iter().filter(is_gone).map(Sheet::new);
        let sheets: Vec<Sheet> = plan.ports.iter().cloned().chain(gone).collect();
        if sheets.is_empty() {
            return Ok(0);
        }
        Ok(switch.commit(&sheets).await?.changes)
    }

    /// Looks whether the switch's own links are in the kernel as they should be, and has those made
    /// anew that are not; returns those that are missing.
    async fn mend_links(
        &mut self,
        plan: &HostPlan,
        kernel: &KernelSeen,
        switch_is_here: bool,
        done: &mut Done,
    ) -> Result<BTreeSet<String>, PassError> {
        let (mut missing, mut wrong) = (BTreeSet::new(), BTreeMap::new());
        let (mut is_nudge_due, now) = (false, Instant::now());
        for link in &plan.links {
            let Some(row) = self.host.switch().own_link(&link.name) else {
                missing.insert(link.name.clone());
                continue;
            };
            let standing = kernel.links.get(&link.name);
            if standing.is_none() {
                missing.insert(link.name.clone());
            }
            // A switch that is away needs no reminder.
            if !switch_is_here || standing.is_some_and(|it| row.fits(it)) {
                continue;
            }
            let patience = if row.is_judged { PATIENCE } else { LONG_PATIENCE };
            let since = self.wrong.get(&link.name).copied().unwrap_or(now + patience);
            let is_due = since <= now;
            wrong.insert(link.name.clone(), if is_due { now + LONG_PATIENCE } else { since });
            if !is_due {
                continue;
            }
            done.changes += 1;
            match standing {
                Some(_) => is_nudge_due = true,
                None => self.replug(plan, &link.network).await?,
            }
        }
        if is_nudge_due {
            self.host.switch().nudge().await?;
        }
        let next = wrong.values().min().map(|it| it.saturating_duration_since(now));
        done.look_again(next);
        self.wrong = wrong;
        Ok(missing)
    }

    /// Takes a network's port away and puts it back, so that the switch makes its link anew.
    async fn replug(&self, plan: &HostPlan, network: &NetworkName) -> Result<(), PassError> {
        let part = HostPart::Network(network.clone());
        warn!(%network, "the host's link into the network is gone, and is made anew");
        self.host.switch().commit(&[part.empty()]).await?;
        // A switch that hears of both at once keeps the port that it has.
        self.host.switch().nudge().await?;
        let sheets: Vec<Sheet> =
            plan.ports.iter().filter(|it| it.owner == part.owner()).cloned().collect();
        self.host.switch().commit(&sheets).await?;
        Ok(())
    }
}

/// Leaves out what needs links that are not there.
fn leave_out(routing: &mut Routing, is_missing: impl Fn(&String) -> bool) {
    routing.routes.retain(|route| match &route.way {
        Way::Link { link } | Way::NextHop { link, .. } => !is_missing(link),
        Way::Unreachable => true,
    });
    routing.neighbours.retain(|it| !is_missing(&it.link));
}

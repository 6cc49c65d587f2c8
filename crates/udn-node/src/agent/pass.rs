//! One look at a host: gathers what is seen, decides, and changes what differs.
//!
//! Invariant: what a step needs was made by a step before it; what cannot be made yet waits for the
//! event that makes it possible, and holds up nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::BitOrAssign;
use std::sync::Arc;
use std::time::Duration;

use ovn::Sheet;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::{info, warn};
use udn_blueprint::DrawingInput;
use udn_control::zone::{Ended, ZoneHandle};
use udn_host::chassis::{ChassisPlan, KernelSeen, OwnFacts, SwitchSeen};
use udn_host::routing::Way;
use udn_host::survey::{Seen, patch_ports, survey};
use udn_host::{BridgePlan, HostLink, HostPart, HostPlan, Routing};
use udn_zone::HostView;

use super::AgentSettings;
use super::kernel_watch::KernelWatch;
use super::losses::Losses;
use crate::host::{Host, HostError};
use crate::publish::Telling;
use crate::switch::SwitchError;

/// How long a link of the switch's own may be missing before its port is made anew.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long the switch may take to do what it was told again, before it is told once more.
const LONG_PATIENCE: Duration = Duration::from_secs(10);

/// What may have changed since the last look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Causes(u8);

impl Causes {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ZONE: Self = Self(1);
    pub(super) const SWITCH: Self = Self(2);
    pub(super) const KERNEL: Self = Self(4);
    pub(super) const FLOWS: Self = Self(8);
    pub(super) const EVERYTHING: Self = Self(15);

    pub(super) fn is_empty(self) -> bool {
        self == Self::NONE
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOrAssign for Causes {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// Why a host could not be brought in order.
#[derive(Debug, thiserror::Error)]
pub(super) enum PassError {
    #[error("the switch's database is away")]
    NoSwitch,
    #[error("could not read what the kernel has")]
    Kernel { source: rtnetlink::Error },
    #[error(transparent)]
    Host(#[from] HostError),
    #[error(transparent)]
    Zone(#[from] Ended),
}

impl PassError {
    /// The error with what caused it.
    pub(super) fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        text
    }
}

impl From<SwitchError> for PassError {
    fn from(source: SwitchError) -> Self {
        Self::Host(source.into())
    }
}

impl From<crate::kernel::KernelError> for PassError {
    fn from(source: crate::kernel::KernelError) -> Self {
        Self::Host(source.into())
    }
}

impl From<crate::openflow::OpenflowError> for PassError {
    fn from(source: crate::openflow::OpenflowError) -> Self {
        Self::Host(source.into())
    }
}

/// What a look came to.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) changes: usize,
    /// The revision of the zone's view that the host was looked at with, once everything was listed.
    pub(super) revision: Option<u64>,
    /// Nothing of that view is still to be made.
    pub(super) is_whole: bool,
    pub(super) own: Option<OwnFacts>,
    /// When to look again though nothing happened.
    pub(super) look_again: Option<Duration>,
}

impl Done {
    /// There is something to look at in a while; the earliest counts.
    fn look_again(&mut self, after: Option<Duration>) {
        self.look_again = self.look_again.into_iter().chain(after).min();
    }
}

/// What was applied last, so that what cannot have changed is not compared again.
#[derive(Debug, Default, PartialEq)]
struct Applied {
    kernel: Option<(Vec<HostLink>, Vec<udn_host::links::Parameter>, Routing)>,
    bridge: Option<BridgePlan>,
}

/// What is needed to look at a host.
pub(super) struct Pass {
    settings: Arc<AgentSettings>,
    zone: ZoneHandle,
    host: Host,
    kernel: Arc<KernelWatch>,
    tellings: watch::Sender<Option<Telling>>,
    applied: Applied,
    /// Since when links of the switch's own are missing or wrong.
    wrong: BTreeMap<String, Instant>,
    /// What the node told and has no longer.
    losses: Losses,
    complaints: BTreeSet<String>,
}

impl Pass {
    pub(super) fn new(
        settings: &Arc<AgentSettings>,
        zone: ZoneHandle,
        host: Host,
        kernel: Arc<KernelWatch>,
        tellings: watch::Sender<Option<Telling>>,
    ) -> Self {
        let (applied, wrong, losses, complaints) = Default::default();
        let settings = Arc::clone(settings);
        Self { settings, zone, host, kernel, tellings, applied, wrong, losses, complaints }
    }

    /// Looks at the host, and changes what differs.
    pub(super) async fn run(
        &mut self,
        causes: Causes,
        switch_is_here: bool,
    ) -> Result<Done, PassError> {
        if !self.host.switch().is_synced() {
            return Err(PassError::NoSwitch);
        }
        let (view, revision) = self.view().await?;
        let kernel = self.kernel.seen().await.map_err(|source| PassError::Kernel { source })?;
        let mut done = Done { revision, ..Done::default() };
        let seen = self.host.switch().seen(&self.settings.chassis.integration_bridge);
        let own = self.own_facts((&view, &seen), &kernel, switch_is_here, &mut done);
        done.changes += self.introduce(&seen, &own).await?;
        self.complain(&own);
        if revision.is_some() {
            let telling = Telling { node: view.node.clone(), facts: own.clone() };
            self.tellings.send_if_modified(|it| {
                let is_news = it.as_ref() != Some(&telling);
                *it = Some(telling);
                is_news
            });
            self.apply(&view, &own, (causes, switch_is_here), &kernel, &mut done).await?;
        }
        done.own = Some(own);
        Ok(done)
    }

    /// What the zone controller knows, if everything was listed.
    async fn view(&self) -> Result<(HostView, Option<u64>), Ended> {
        let news = *self.zone.host_news().borrow();
        if !news.is_synced {
            return Ok((HostView::default(), None));
        }
        // Asked for after its revision, so that it is at least as new.
        Ok((self.zone.host_view().await?, Some(news.revision)))
    }

    /// Lets the switch and OVN know who the node is.
    async fn introduce(&self, seen: &SwitchSeen, own: &OwnFacts) -> Result<usize, PassError> {
        let plan = ChassisPlan::of(&self.settings.chassis, seen, own.gateway.as_ref());
        for (key, change) in &plan.entries {
            info!(key, wanted = change.wanted, standing = change.standing, "sets who the node is");
        }
        Ok(self.host.switch().apply_chassis(&plan).await?)
    }

    /// What the node knows of itself; what it lost a moment ago counts for a while.
    fn own_facts(
        &mut self,
        (view, seen): (&HostView, &SwitchSeen),
        kernel: &KernelSeen,
        switch_is_here: bool,
        done: &mut Done,
    ) -> OwnFacts {
        let chassis = &self.settings.chassis;
        let told = view.intent.nodes.get(&chassis.node);
        let gateway = told.and_then(|it| it.gateway.as_ref());
        let own = OwnFacts::of(chassis, seen, kernel, gateway);
        let Some(told) = told.filter(|_| false) else { return own };
        let held = self.losses.hold(own, told, switch_is_here, Instant::now());
        done.look_again(held.look_again);
        held.facts
    }

    /// Tells what is wrong with the node, once.
    fn complain(&mut self, own: &OwnFacts) {
        for complaint in own.complaints.difference(&self.complaints) {
            warn!(complaint, "something is wrong with the node");
        }
        for mended in self.complaints.difference(&own.complaints) {
            info!(complaint = mended, "mended");
        }
        self.complaints.clone_from(&own.complaints);
    }

    async fn apply(
        &mut self,
        view: &HostView,
        own: &OwnFacts,
        (causes, switch_is_here): (Causes, bool),
        kernel: &KernelSeen,
        done: &mut Done,
    ) -> Result<(), PassError> {
        let Some((plan, patches)) = self.plan(view, own) else { return Ok(()) };
        // OVN announces every new network by a flood, and each flood passes all that are not quiet.
        if self.applied.bridge.as_ref().map(|it| &it.quiet) != Some(&plan.bridge.quiet) {
            done.changes += self.host.openflow().quiet(&plan.bridge).await?;
        }
        done.changes += self.commit_ports(&plan).await?;
        let missing = self.mend_links(&plan, kernel, switch_is_here, done).await?;
        let HostPlan { links, parameters, mut routing, bridge, .. } = plan;
        let links: Vec<HostLink> =
            links.into_iter().filter(|it| !missing.contains(&it.name)).collect();
        let is_there = |link: &String| kernel.links.contains_key(link) && !missing.contains(link);
        let all_routes = routing.routes.len();
        routing.routes.retain(|route| match &route.way {
            Way::Link { link } | Way::NextHop { link, .. } => is_there(link),
            Way::Unreachable => true,
        });
        routing.neighbours.retain(|it| is_there(&it.link));
        done.is_whole = patches && missing.is_empty() && routing.routes.len() == all_routes;
        let wanted = Some((links, parameters, routing));
        if self.applied.kernel != wanted || causes.has(Causes::KERNEL) {
            self.applied.kernel = None;
            if let Some((links, parameters, routing)) = &wanted {
                done.changes += self.host.kernel().apply_links(links).await?;
                done.changes += self.host.kernel().apply_parameters(parameters).await?;
                done.changes += self.host.kernel().apply_routing(routing).await?;
            }
            self.applied.kernel = wanted;
        }
        if self.applied.bridge.as_ref() != Some(&bridge) || causes.has(Causes::FLOWS) {
            self.applied.bridge = None;
            done.changes += self.host.openflow().apply(&bridge).await?;
            self.applied.bridge = Some(bridge);
        }
        Ok(())
    }

    /// How the host must look, and whether OVN has made all ports that lead to networks; `None` while
    /// the node has no way out.
    fn plan(&self, view: &HostView, own: &OwnFacts) -> Option<(HostPlan, bool)> {
        let AgentSettings { chassis, cluster, .. } = &*self.settings;
        let HostView { intent, grants, .. } = view;
        let input = DrawingInput { intent, grants, settings: cluster, zone: &chassis.node };
        let named = patch_ports(&input, &chassis.integration_bridge);
        let number = |port: &String| self.host.switch().port_number(port);
        let patches: BTreeMap<_, _> = named
            .iter()
            .filter_map(|(network, port)| Some((network.clone(), number(port)?)))
            .collect();
        let is_whole = patches.len() == named.len();
        let seen = Seen {
            integration_bridge: chassis.integration_bridge.clone(),
            uplink: own.uplink?,
            datapath: own.datapath?,
            patches,
        };
        let facts = survey(&input, &|_| None, &seen, &BTreeMap::new())?;
        Some((HostPlan::of(&facts), is_whole))
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
    async fn replug(
        &self,
        plan: &HostPlan,
        network: &udn_model::NetworkName,
    ) -> Result<(), PassError> {
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

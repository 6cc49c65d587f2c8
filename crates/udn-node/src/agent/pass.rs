//! One look at a host: gathers what is seen, decides, and changes what differs.
//!
//! Invariant: what a step needs was made by a step before it; what cannot be made yet waits for the
//! event that makes it possible, and holds up nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::BitOrAssign;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tracing::{info, warn};
use udn_blueprint::DrawingInput;
use udn_control::zone::{Ended, ZoneHandle};
use udn_host::HostPlan;
use udn_host::chassis::{ChassisPlan, KernelSeen, OwnFacts, SwitchSeen};
use udn_host::survey::{Seen, patch_ports, survey};
use udn_zone::HostView;

use super::AgentSettings;
use super::kernel_watch::KernelWatch;
use super::losses::Losses;
use crate::causes::with_causes;
use crate::host::{Host, HostError};
use crate::publish::Telling;
use crate::switch::SwitchError;

mod hands;

use hands::{Hands, Wanted};

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
        with_causes(self)
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
    /// Why not everything could be done.
    pub(super) failure: Option<PassError>,
}

impl Done {
    /// There is something to look at in a while; the earliest counts.
    fn look_again(&mut self, after: Option<Duration>) {
        self.look_again = self.look_again.into_iter().chain(after).min();
    }
}

/// What is needed to look at a host.
pub(super) struct Pass {
    settings: Arc<AgentSettings>,
    zone: ZoneHandle,
    host: Host,
    kernel: Arc<KernelWatch>,
    tellings: watch::Sender<Option<Telling>>,
    hands: Hands,
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
        let (losses, complaints) = Default::default();
        let (settings, hands) = (Arc::clone(settings), Hands::new(host.clone()));
        Self { settings, zone, host, kernel, tellings, hands, losses, complaints }
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
            if let Some((plan, patches)) = self.plan(&view, &own) {
                let wanted = Wanted { plan, patches, causes, switch_is_here, kernel };
                let applied = self.hands.apply(wanted, &mut done).await;
                done.failure = applied.err();
            }
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
        let Some(told) = told else { return own };
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
}

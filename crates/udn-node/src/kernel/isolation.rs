//! Keeps the host's programs from locked pods, save for the kubelet: chains of the packet filter, and
//! the sets that they look into.
//!
//! Reads [`IsolationFacts`]; returns how much was changed.
//! Invariant: what others have in the table stays, and so do elements of pods that did not change; an address is
//! dropped from before its pod is reachable until the pod is gone.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::thread;

use nix::sched::{CloneFlags, setns};
use udn_host::isolation::{
    AddressSet, IsolationChange, IsolationPlan, Knowledge, Kubelet, LockedPod, changes,
};

use super::netlink::{attribute, each_message};
use super::nftables::{Change, HEADER, INET, SUBSYSTEM, change};
use super::{Kernel, KernelError};

mod messages;
mod seen;
#[cfg(test)]
mod tests;

use messages::{Chain, TABLE, additions, awake, fresh, no_rules, removals, rules, unmake};
use seen::Found;

/// How many messages of elements are sent at once; a socket takes only so much.
const AT_ONCE: usize = 8;

/// What the isolation of pods from their host follows from.
#[derive(Debug, Clone)]
pub struct IsolationFacts {
    pub pods: Vec<LockedPod>,
    pub kubelet: Kubelet,
    pub knowledge: Knowledge,
    /// The namespace from whose root levels of control groups are counted, where it is not the process' own.
    pub control_groups: Option<Arc<File>>,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isolated {
    pub changes: usize,
    /// The kubelet, given what an earlier agent left.
    pub kubelet: Kubelet,
}

impl Kernel {
    /// Makes the host's packet filter one that isolates these pods.
    pub async fn isolate(&self, facts: IsolationFacts) -> Result<Isolated, KernelError> {
        // Beside the look at the host's links, which takes its time.
        let done = self.beside(move |_| {
            // Somebody else may change it meanwhile; then what stands is another.
            isolate(&facts).or_else(|_| isolate(&facts))
        });
        done.await?.map_err(|source| KernelError::Isolation { source })
    }
}

/// Whether what the kernel told of its packet filter may concern the isolation of pods.
pub(crate) fn concerns(told: &[u8]) -> bool {
    each_message(told).any(|message| {
        let Some((kind, body)) = message else { return true };
        let table = body.get(HEADER..).and_then(|it| attribute(it, 1));
        let is_ours = table.is_some_and(|it| it.strip_suffix(&[0]) == Some(TABLE.as_bytes()));
        kind >> 8 == SUBSYSTEM && body.first() == Some(&INET) && is_ours
    })
}

fn isolate(facts: &IsolationFacts) -> io::Result<Isolated> {
    let found = match seen::find() {
        // A kernel without such filters has none of ours.
        Err(error) if facts.pods.is_empty() && super::nftables::is_unknown(&error) => None,
        found => found?,
    };
    let kubelet = facts.kubelet.given(found.is_some());
    let plan = IsolationPlan::of(&facts.pods, kubelet);
    let seen = match &found {
        Some(found) => Some(found.read(plan.as_ref().and_then(|it| it.kubelet))?),
        None => None,
    };
    let is_asleep = plan.is_some() && found.as_ref().is_some_and(|it| it.is_dormant);
    if is_asleep {
        // The kernel does nothing else at once with it.
        change(INET, [awake()])?;
    }
    let changes = changes(plan, seen.as_ref(), facts.knowledge);
    let mut steps = Steps::default();
    changes.iter().for_each(|it| steps.take(it, found.as_ref()));
    match &facts.control_groups {
        Some(namespace) => inside(namespace, || steps.send())?,
        None => steps.send()?,
    }
    Ok(Isolated { changes: changes.len() + usize::from(is_asleep), kubelet })
}

/// Does something in a namespace of control groups: the kernel counts levels from the root of the one that
/// the rule's author is in.
fn inside<T: Send>(namespace: &File, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    // The thread inherits the network namespace.
    let within = || {
        setns(namespace, CloneFlags::CLONE_NEWCGROUP)?;
        work()
    };
    thread::scope(|scope| scope.spawn(within).join())
        .unwrap_or_else(|_| Err(io::Error::other("the thread was lost")))
}

/// Messages, in the order in which they are sent.
#[derive(Debug, Default)]
struct Steps {
    /// What closes, and whom it does not close out: at once.
    closing: Vec<Change>,
    /// What opens, of which there may be much.
    opening: Vec<Change>,
}

impl Steps {
    fn take(&mut self, change: &IsolationChange, found: Option<&Found>) {
        match change {
            IsolationChange::Make(plan) => {
                self.closing.extend(fresh(found));
                for (set, elements) in &plan.sets {
                    self.of(*set).extend(additions(*set, elements));
                }
                self.closing.extend(rules(plan.kubelet));
            }
            IsolationChange::Rule(kubelet) => {
                self.closing.extend(Chain::ALL.map(no_rules));
                self.closing.extend(rules(*kubelet));
            }
            IsolationChange::Add(set, elements) => {
                self.of(*set).extend(additions(*set, elements));
            }
            IsolationChange::Remove(set, elements) => {
                self.of(*set).extend(removals(*set, elements));
            }
            IsolationChange::Clear => self.closing.extend(found.into_iter().flat_map(unmake)),
        }
    }

    fn of(&mut self, set: AddressSet) -> &mut Vec<Change> {
        match set {
            AddressSet::Locked(_) => &mut self.closing,
            AddressSet::OpenPorts(_) | AddressSet::OpenIcmp(_) => &mut self.opening,
        }
    }

    fn send(self) -> io::Result<()> {
        let opening = self.opening.chunks(AT_ONCE);
        let all = [&self.closing[..]].into_iter().chain(opening);
        all.filter(|it| !it.is_empty()).try_for_each(|it| change(INET, it.iter().cloned()))
    }
}

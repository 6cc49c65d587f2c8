//! A pod's cable, and its end in the pod.
//!
//! Reads [`PodLink`]s; returns what was changed, or how the pod differs from what is planned.
//! Invariant: nothing is changed in a namespace that is the host's own.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;

use rtnetlink::Handle;
use tracing::warn;
use udn_host::PodLink;
use udn_host::links::{Checksums, Parameter};
use udn_host::survey::PRIMARY_INTERFACE;
use udn_model::MacAddress;

use super::{Inside, Kernel, KernelError, addresses, checksums, links, namespace, router_filter};
use super::{parameters, routes, rules};
use crate::program::Program;

/// How much of a pod's cable is to be as planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Both ends: the pod begins.
    Whole,
    /// The host's end: the pod runs, and what it makes of its own end is its own affair.
    Host,
}

/// The host's end of a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Laid {
    pub mac: Option<MacAddress>,
    /// Whether it was not there before.
    pub is_new: bool,
    pub changes: usize,
}

/// In what a pod's link is not as it was made, as sentences.
pub type Differences = Vec<String>;

impl Kernel {
    /// Whether a path leads to a namespace, without entering it.
    pub fn look(path: &Path) -> Result<(), KernelError> {
        namespace::open(path).map(drop)
    }

    /// Enters the namespace of a pod of this host.
    pub async fn enter_pod(&self, path: &Path) -> Result<Self, KernelError> {
        let pod = Self::enter(path).await?;
        let refused = |source| KernelError::Enter { namespace: path.to_owned(), source };
        if namespace::are_same(&pod.file, &self.file).map_err(refused)? {
            return Err(KernelError::HostNamespace { namespace: path.to_owned() });
        }
        Ok(pod)
    }

    /// Lays a pod's cable, and makes both ends look as planned.
    pub async fn apply_pod(&self, pod: &PodLink, ethtool: &Program) -> Result<usize, KernelError> {
        let inside = self.enter_pod(&pod.namespace).await?;
        let laid = self.lay(vec![pod.clone()], &inside, Reach::Whole).await?;
        let laid: usize = laid.iter().map(|it| it.changes).sum();
        Ok(laid + inside.settle(pod, ethtool).await?)
    }

    /// Lays cables of one pod, and brings the host's ends up; `inside` is the pod's namespace.
    pub async fn lay(
        &self,
        pods: Vec<PodLink>,
        inside: &Self,
        reach: Reach,
    ) -> Result<Vec<Laid>, KernelError> {
        let interfaces = pods.iter().map(|pod| pod.interface.clone());
        let there = match reach {
            Reach::Whole => inside.standing(interfaces.collect()).await?,
            // A machine may have given it another name.
            Reach::Host => interfaces.collect(),
        };
        let file = Arc::clone(&inside.file);
        // In one piece: each way from thread to thread takes longer than what is done there.
        let lay = async move |handle: &Handle| {
            let mut all = Vec::with_capacity(pods.len());
            for pod in &pods {
                let is_there = there.contains(&pod.interface);
                all.push(lay(handle, pod, (is_there, &file)).await?);
            }
            Ok(all)
        };
        self.beside(move |inside| inside.block_on(lay)).await?
    }

    /// Which of these links are there.
    async fn standing(&self, names: Vec<String>) -> Result<BTreeSet<String>, KernelError> {
        let look = async move |handle: &Handle| {
            let mut standing = BTreeSet::new();
            for name in names {
                if links::find(handle, &name).await?.is_some() {
                    standing.insert(name);
                }
            }
            Ok(standing)
        };
        self.inside(move |inside| inside.block_on(look)).await?
    }

    /// Makes a pod's end of its cable look as planned; this is the pod's namespace.
    pub async fn settle(&self, pod: &PodLink, ethtool: &Program) -> Result<usize, KernelError> {
        let (pod, ethtool) = (pod.clone(), ethtool.clone());
        self.inside(move |inside| inside.settle(&pod, &ethtool)).await?
    }

    /// How a pod's end differs from what is planned; this is the pod's namespace.
    pub async fn differences(&self, pod: &PodLink) -> Result<Differences, KernelError> {
        let pod = pod.clone();
        let look = async move |handle: &Handle| differences(handle, &pod).await;
        self.inside(move |inside| inside.block_on(look)).await?
    }

    /// Whether a link is there and up.
    pub async fn is_up(&self, link: &str) -> Result<bool, KernelError> {
        let link = link.to_owned();
        let look = async move |handle: &Handle| links::find(handle, &link).await;
        let found = self.beside(move |inside| inside.block_on(look)).await??;
        Ok(found.is_some_and(|link| link.is_up))
    }

    /// Takes a pod's end of a cable away, with all that was made for it; this is the pod's
    /// namespace. A link that is no cable is nobody's business here.
    pub async fn remove_pod_end(&self, interface: &str) -> Result<usize, KernelError> {
        let interface = interface.to_owned();
        let remove = async move |handle: &Handle| {
            let found = links::find(handle, &interface).await?.filter(|link| link.is_cable);
            let Some(link) = found else { return Ok(0) };
            if interface == PRIMARY_INTERFACE {
                let gone = router_filter::remove();
                let refused = |source| KernelError::RouterFilter { interface, source };
                gone.or_else(|it| if router_filter::is_unknown(&it) { Ok(()) } else { Err(it) })
                    .map_err(refused)?;
            }
            rules::apply(handle, &BTreeSet::new(), |it| it == routes::table_of(&link)).await?;
            links::remove(handle, &link.name).await
        };
        self.inside(move |inside| inside.block_on(remove)).await?
    }
}

/// Lays one cable into a namespace, where the pod's end may be already.
async fn lay(
    handle: &Handle,
    pod: &PodLink,
    (is_there, namespace): (bool, &File),
) -> Result<Laid, KernelError> {
    let here = links::find(handle, &pod.link).await?;
    let (mut changes, is_new) = (0, here.is_none() || !is_there);
    if is_new {
        if here.is_some() {
            // A cable of which one end is missing leads elsewhere.
            changes += links::remove(handle, &pod.link).await?;
        }
        links::lay(handle, pod, namespace.as_fd()).await?;
        changes += 1;
    }
    changes += parameters::apply(&pod.host_parameters)?;
    let link = links::require(handle, &pod.link).await?;
    changes += links::bring_up(handle, &link).await?;
    Ok(Laid { mac: link.mac, is_new, changes })
}

impl Inside {
    fn settle(&self, wanted: &PodLink, ethtool: &Program) -> Result<usize, KernelError> {
        let mut changes = self.prepare(&wanted.interface, &wanted.parameters)?;
        match wanted.checksums {
            Checksums::Deferred => {}
            Checksums::Immediate => checksums::complete(&wanted.interface, ethtool)?,
        }
        changes += filter_advertisements(wanted)?;
        let rest = self.block_on(async |handle| {
            let link = links::require(handle, &wanted.interface).await?;
            let shaped = links::shape(handle, &link, wanted.mac, wanted.mtu).await?;
            let kind = addresses::PrefixRoute::With;
            let addressed = addresses::apply(handle, &link, &wanted.addresses, kind).await?;
            let up = links::bring_up(handle, &link).await?;
            let routed = routes::apply_pod(handle, &link, wanted).await?;
            let wanted = routes::rules_in_pod(&link, wanted);
            let ruled = rules::apply(handle, &wanted, |it| it == routes::table_of(&link)).await?;
            Ok(shaped + addressed + up + routed + ruled)
        });
        Ok(changes + rest?)
    }
}

/// Lets a pod hear no other router than its gateway; where the kernel cannot, it hears none.
fn filter_advertisements(wanted: &PodLink) -> Result<usize, KernelError> {
    let Some(router) = wanted.router else { return Ok(0) };
    match router_filter::apply(&wanted.interface, router) {
        Err(KernelError::RouterFilter { source, .. }) if router_filter::is_unknown(&source) => {
            warn!(pod = %wanted.attachment, "no nf_tables, so the pod hears no router at all");
            let path = format!("ipv6/conf/{}/accept_ra", wanted.interface);
            parameters::apply(&[Parameter { path, value: "0" }])
        }
        outcome => outcome.map(|()| 0),
    }
}

async fn differences(handle: &Handle, wanted: &PodLink) -> Result<Differences, KernelError> {
    let interface = &wanted.interface;
    let Some(link) = links::find(handle, interface).await? else {
        return Ok(vec![format!("there is no link {interface}")]);
    };
    let mut all = Differences::new();
    if link.mac != Some(wanted.mac) {
        let has = link.mac.map_or_else(|| "none".to_owned(), |mac| mac.to_string());
        all.push(format!("{interface} has the MAC {has} and not {}", wanted.mac));
    }
    if link.mtu != Some(wanted.mtu.get()) {
        let has = link.mtu.unwrap_or_default();
        all.push(format!("{interface} has the MTU {has} and not {}", wanted.mtu));
    }
    if !link.is_up {
        all.push(format!("{interface} is down"));
    }
    let standing = addresses::of(handle, &link).await?;
    let missing = wanted.addresses.iter().filter(|it| !standing.contains(it));
    all.extend(missing.map(|it| format!("{interface} has no address {it}")));
    let surplus = standing.iter().filter(|it| !wanted.addresses.contains(it));
    // An address that the pod's own kernel or its machine has made is nobody's mistake.
    let surplus = surplus.filter(|it| it.addr().is_ipv4());
    all.extend(surplus.map(|it| format!("{interface} has the address {it}, which is not its own")));
    let routes = routes::missing_in_pod(handle, &link, wanted).await?;
    all.extend(routes.iter().map(|it| format!("there is no {it}")));
    Ok(all)
}

//! The kernel's links, addresses, routes and rules in one network namespace.
//!
//! Each [`Kernel`] is a thread that entered the namespace once and never leaves it; it takes one
//! piece of work after the other. So no other thread is ever in the wrong namespace. Cables of pods have
//! a second such thread, because a look at the links of hundreds of networks takes half a second.
//! Invariant: every verb compares first, changes only what differs, and returns how much that was.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use nix::sched::{CloneFlags, setns};
use ovsdb::Retry;
use rtnetlink::Handle;
use tokio::runtime::Runtime;
use tokio::sync::{OnceCell, mpsc, oneshot};
use udn_host::links::Parameter;
use udn_host::routing::HostRoute;
use udn_host::{HostLink, Routing};

use crate::program::ProgramError;

mod addresses;
mod checksums;
mod connections;
mod isolation;
mod leftovers;
mod links;
mod namespace;
mod neighbours;
mod netlink;
mod nftables;
mod parameters;
mod pods;
#[cfg(test)]
mod replies;
mod router_filter;
mod routes;
mod rules;

pub(crate) use isolation::concerns;
pub use isolation::{Isolated, IsolationFacts};
pub use leftovers::{FilterFamily, FilterTable, KernelLeftovers};
pub use pods::{Differences, Laid, Reach};

/// The namespace of the thread that asks.
const OWN_NAMESPACE: &str = "/proc/thread-self/ns/net";
/// How many pieces of work may wait.
const WAITING: usize = 64;
/// Shows that a route or a rule is ours.
// compat: pkg/types/const.go, the kernel's protocol id of the other project
pub(crate) const PROTOCOL: u8 = 85;

/// Why a namespace does not look as planned.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    #[error("could not enter the network namespace {namespace}")]
    Enter { namespace: PathBuf, source: io::Error },
    #[error("the thread in the network namespace {namespace} is gone")]
    Gone { namespace: PathBuf },
    #[error("could not {deed}")]
    Refused { deed: String, source: rtnetlink::Error },
    #[error("could not set the kernel's parameter {path} to {value}")]
    Parameter { path: String, value: &'static str, source: io::Error },
    #[error("the {route} leads to a next hop of the other family")]
    MixedFamilies { route: HostRoute },
    #[error("there is no link {link}")]
    NoLink { link: String },
    #[error("could not make {interface} fill in checksums")]
    Checksums { interface: String, source: ProgramError },
    #[error("could not make {interface} fill in checksums")]
    Features { interface: String, source: io::Error },
    #[error("could not keep strange router advertisements from {interface}")]
    RouterFilter { interface: String, source: io::Error },
    #[error("could not have the kernel forget connections")]
    Connections { source: io::Error },
    #[error("could not keep the host's programs from locked pods")]
    Isolation { source: io::Error },
    #[error("could not list or take tables of nf_tables")]
    Filters { source: io::Error },
    #[error("{namespace} is not a network namespace")]
    NotANamespace { namespace: PathBuf },
    #[error("{namespace} is the network namespace of the host, and not a pod's")]
    HostNamespace { namespace: PathBuf },
}

impl KernelError {
    /// What the caller should do next.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Refused { .. }
            | Self::Parameter { .. }
            | Self::NoLink { .. }
            | Self::Checksums { .. }
            | Self::Features { .. }
            | Self::RouterFilter { .. }
            | Self::Connections { .. }
            | Self::Isolation { .. }
            | Self::Filters { .. } => Retry::AfterBackoff,
            // A namespace that is gone does not come back, nor does a wrong route become right.
            Self::Enter { .. }
            | Self::Gone { .. }
            | Self::MixedFamilies { .. }
            | Self::NotANamespace { .. }
            | Self::HostNamespace { .. } => Retry::Never,
        }
    }
}

impl KernelError {
    /// Whether the kernel lacks what was asked of its packet filter.
    pub(crate) fn is_unsupported(&self) -> bool {
        matches!(self, Self::Isolation { source } if nftables::is_unknown(source))
    }
}

/// A network namespace to work in.
#[derive(Debug, Clone)]
pub struct Kernel {
    work: mpsc::Sender<Work>,
    /// For cables, from the first one on.
    cables: Arc<OnceCell<mpsc::Sender<Work>>>,
    namespace: PathBuf,
    file: Arc<File>,
}

type Work = Box<dyn FnOnce(&Inside) + Send>;

/// What work is done with, inside.
struct Inside {
    runtime: Runtime,
    handle: Handle,
}

impl Kernel {
    /// Enters a network namespace, by its file.
    pub async fn enter(namespace: &Path) -> Result<Self, KernelError> {
        let file = Arc::new(namespace::open(namespace)?);
        let work = begin(namespace, &file).await?;
        Ok(Self { work, cables: Arc::default(), namespace: namespace.to_owned(), file })
    }

    /// Makes the host's links look as planned; they must exist.
    pub async fn apply_links(&self, wanted: &[HostLink]) -> Result<usize, KernelError> {
        let wanted = wanted.to_vec();
        self.inside(move |inside| wanted.iter().map(|link| inside.apply_host_link(link)).sum())
            .await?
    }

    /// Sets the kernel's parameters that are of no link.
    pub async fn apply_parameters(&self, wanted: &[Parameter]) -> Result<usize, KernelError> {
        let wanted = wanted.to_vec();
        self.inside(move |_| parameters::apply(&wanted)).await?
    }

    /// Makes the rules and routes of ours those that are planned.
    pub async fn apply_routing(&self, wanted: &Routing) -> Result<usize, KernelError> {
        let wanted = wanted.clone();
        self.inside(move |inside| {
            inside.block_on(async |handle| {
                let rules = rules::apply(handle, &wanted.rules, |_| true).await?;
                let neighbours = neighbours::apply(handle, &wanted.neighbours).await?;
                Ok(rules + neighbours + routes::apply_host(handle, &wanted).await?)
            })
        })
        .await?
    }

    /// Takes a link away, if it is there; the other end of a cable goes with it.
    pub async fn remove_link(&self, link: &str) -> Result<usize, KernelError> {
        let link = link.to_owned();
        let remove =
            move |inside: &Inside| inside.block_on(async |it| links::remove(it, &link).await);
        self.beside(remove).await?
    }

    /// Does a piece of work inside.
    async fn inside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inside) -> T + Send + 'static,
    ) -> Result<T, KernelError> {
        self.order(&self.work, work).await
    }

    /// Does a piece of work inside that is about one cable, whatever else is under way.
    async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inside) -> T + Send + 'static,
    ) -> Result<T, KernelError> {
        let begin = async || begin(&self.namespace, &self.file).await;
        self.order(self.cables.get_or_try_init(begin).await?, work).await
    }

    async fn order<T: Send + 'static>(
        &self,
        thread: &mpsc::Sender<Work>,
        work: impl FnOnce(&Inside) -> T + Send + 'static,
    ) -> Result<T, KernelError> {
        let (told, hears) = oneshot::channel();
        // Whoever asked may have lost interest; then the answer is of no use.
        let work: Work = Box::new(move |inside| drop(told.send(work(inside))));
        let gone = || KernelError::Gone { namespace: self.namespace.clone() };
        thread.send(work).await.map_err(|_| gone())?;
        hears.await.map_err(|_| gone())
    }
}

/// Begins a thread inside.
async fn begin(namespace: &Path, file: &Arc<File>) -> Result<mpsc::Sender<Work>, KernelError> {
    let refused = |source| KernelError::Enter { namespace: namespace.to_owned(), source };
    let (work, orders) = mpsc::channel(WAITING);
    let (told, hears) = oneshot::channel();
    let (within, thread) = (Arc::clone(file), thread::Builder::new().name("namespace".to_owned()));
    thread.spawn(move || live(&within, orders, told)).map_err(refused)?;
    match hears.await {
        Ok(Ok(())) => Ok(work),
        Ok(Err(source)) => Err(refused(source)),
        Err(_) => Err(KernelError::Gone { namespace: namespace.to_owned() }),
    }
}

impl Inside {
    fn enter(namespace: &File) -> io::Result<Self> {
        // To be where one is already takes no right.
        if !namespace::are_same(namespace, &File::open(OWN_NAMESPACE)?)? {
            setns(namespace, CloneFlags::CLONE_NEWNET)?;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let guard = runtime.enter();
        let (connection, handle, _) = rtnetlink::new_connection()?;
        drop(guard);
        runtime.spawn(connection);
        Ok(Self { runtime, handle })
    }

    fn block_on<T>(
        &self,
        work: impl AsyncFnOnce(&Handle) -> Result<T, KernelError>,
    ) -> Result<T, KernelError> {
        self.runtime.block_on(work(&self.handle))
    }

    fn apply_host_link(&self, wanted: &HostLink) -> Result<usize, KernelError> {
        let changes = self.prepare(&wanted.name, &wanted.parameters)?;
        let rest = self.block_on(async |handle| {
            let link = links::require(handle, &wanted.name).await?;
            // Several links may be in equal subnets: their routes are in tables of their own.
            let kind = addresses::PrefixRoute::Without;
            let added = addresses::apply(handle, &link, &wanted.addresses, kind).await?;
            Ok(added + links::bring_up(handle, &link).await?)
        });
        Ok(changes + rest?)
    }

    /// Sets parameters of a link, which must be there already.
    fn prepare(&self, link: &str, wanted: &[Parameter]) -> Result<usize, KernelError> {
        self.block_on(async |handle| links::require(handle, link).await)?;
        parameters::apply(wanted)
    }
}

/// The life of a thread inside: it ends when nobody can send it work any more.
fn live(file: &File, mut orders: mpsc::Receiver<Work>, told: oneshot::Sender<io::Result<()>>) {
    match Inside::enter(file) {
        Ok(inside) => {
            let _ = told.send(Ok(()));
            while let Some(work) = orders.blocking_recv() {
                work(&inside);
            }
        }
        Err(source) => {
            let _ = told.send(Err(source));
        }
    }
}

fn refused(deed: String) -> impl FnOnce(rtnetlink::Error) -> KernelError {
    move |source| KernelError::Refused { deed, source }
}

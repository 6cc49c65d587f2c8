//! Set-up: installs or builds every real part the rigs need, once, and says what cannot be had.
//!
//! Reads the host and the cache; returns a [`State`] per [`Part`]. A part that is ready is left
//! alone, so a second run costs nothing and goes nowhere near the network.
//! Invariant: a part appears under its final name only when it is whole, by one rename under a
//! lock, so neither an interrupted run nor two runs at once leave half a part that looks whole.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cache::{Cache, CacheError};
use crate::daemon::DaemonError;
use crate::image::ImageError;
use crate::janitor::JanitorError;
use crate::run::{RunError, on_path};
use crate::setup::work::Lines;
use crate::shipped_image::ShippedImageError;

mod busybox;
mod cni_plugins;
mod container_runtime;
mod end_to_end;
mod go;
mod helm;
mod host_packages;
mod image_base;
mod kubernetes;
mod ovn_root;
mod work;

/// Why a part could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("could not use the cache folder")]
    Cache {
        #[from]
        source: CacheError,
    },
    #[error("could not put the work into the janitor's care")]
    Janitor {
        #[from]
        source: JanitorError,
    },
    #[error("could not start the work")]
    Start {
        #[from]
        source: DaemonError,
    },
    #[error("could not read what `{command}` printed")]
    Read { command: String, source: io::Error },
    #[error("`{command}` failed; its last words were\n{words}")]
    Failed { command: String, words: String },
    #[error("what was built does not run")]
    Unsound {
        #[from]
        source: RunError,
    },
    #[error("could not make an image")]
    Image {
        #[from]
        source: ImageError,
    },
    #[error("could not make the layer of an image")]
    Layer {
        #[from]
        source: ShippedImageError,
    },
    #[error("could not put {path} in place")]
    Place { path: PathBuf, source: io::Error },
    #[error("the work on {part} ended well, and yet it is not ready")]
    InVain { part: Part },
    #[error("{part} cannot be had here: {reason}")]
    Impossible { part: Part, reason: String },
}

/// One of the things set-up provides, in the order in which they are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Programs of the host that set-up and rigs call.
    HostPackages,
    /// OVN, OVS and etcd in a folder of their own.
    OvnRoot,
    /// kube-apiserver, kube-controller-manager and kubectl.
    Kubernetes,
    /// containerd, runc and the images of a node.
    ContainerRuntime,
    /// kubelet and kube-scheduler.
    NodePrograms,
    /// Multus and the reference CNI plugins.
    CniPlugins,
    /// The network part of Kubernetes' own end-to-end suite, and its images.
    EndToEnd,
    /// The base of the shipped image.
    ImageBase,
    /// Helm.
    Helm,
}

impl Part {
    /// All parts; a later one may need an earlier one.
    pub const ALL: [Self; 9] = [
        Self::HostPackages,
        Self::OvnRoot,
        Self::Kubernetes,
        Self::ContainerRuntime,
        Self::NodePrograms,
        Self::CniPlugins,
        Self::EndToEnd,
        Self::ImageBase,
        Self::Helm,
    ];
}

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::HostPackages => "host packages",
            Self::OvnRoot => "OVN root",
            Self::Kubernetes => "Kubernetes",
            Self::ContainerRuntime => "container runtime",
            Self::NodePrograms => "kubelet and scheduler",
            Self::CniPlugins => "CNI plugins",
            Self::EndToEnd => "end-to-end suite",
            Self::ImageBase => "image base",
            Self::Helm => "Helm",
        })
    }
}

/// Whether a part can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It can be used now.
    Ready,
    /// It is not there, and [`Setup::make`] can make it.
    Missing,
    /// It is not there and cannot be made here; the reason is one plain line.
    Impossible { reason: String },
}

impl State {
    fn impossible(reason: impl Into<String>) -> Self {
        Self::Impossible { reason: reason.into() }
    }

    /// The state of a part that is made of unpacked packages.
    fn of_unpacked(is_there: bool) -> Self {
        if is_there {
            Self::Ready
        } else if !host_packages::is_root() {
            Self::impossible("only root can unpack it")
        } else if on_path("mmdebstrap").is_none() {
            Self::impossible("mmdebstrap is not installed")
        } else {
            Self::Missing
        }
    }
}

/// What happens while a part is made.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// Work on the part begins.
    Begun { part: Part },
    /// A line that the program at work printed.
    Line { part: Part, text: &'a str },
    /// The part is ready after so much time.
    Done { part: Part, took: Duration },
}

/// Receives progress.
pub type Report<'a> = &'a mut dyn FnMut(Progress<'_>);

/// Makes parts from the sources in one workspace into one cache.
#[derive(Debug, Clone)]
pub struct Setup {
    workspace: PathBuf,
    cache: Cache,
}

impl Setup {
    /// Uses the workspace at `workspace` and the user's cache folder.
    pub fn new(workspace: impl Into<PathBuf>) -> Result<Self, CacheError> {
        Ok(Self { workspace: workspace.into(), cache: Cache::find()? })
    }

    /// Uses the workspace this crate was compiled in and the user's cache folder.
    pub fn here() -> Result<Self, CacheError> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::new(folder.ancestors().nth(2).expect("this crate lies two folders deep"))
    }

    /// Whether a part can be used; asks the host and the cache, changes nothing.
    pub fn state(&self, part: Part) -> State {
        match part {
            Part::HostPackages => host_packages::state(),
            Part::OvnRoot => ovn_root::state(&self.cache),
            Part::Kubernetes => kubernetes::state(&self.cache),
            Part::ContainerRuntime => container_runtime::state(&self.cache),
            Part::NodePrograms => kubernetes::node_state(&self.cache),
            Part::CniPlugins => cni_plugins::state(&self.cache),
            Part::EndToEnd => end_to_end::state(&self.cache),
            Part::ImageBase => image_base::state(&self.cache),
            Part::Helm => helm::state(&self.cache),
        }
    }

    /// Makes one part unless it is ready.
    pub fn make(&self, part: Part, report: Report<'_>) -> Result<(), SetupError> {
        match self.state(part) {
            State::Ready => return Ok(()),
            State::Missing => {}
            State::Impossible { reason } => return Err(SetupError::Impossible { part, reason }),
        }
        let begun = Instant::now();
        report(Progress::Begun { part });
        self.work(part, &mut |text: &str| report(Progress::Line { part, text }))?;
        match self.state(part) {
            State::Ready => report(Progress::Done { part, took: begun.elapsed() }),
            State::Missing | State::Impossible { .. } => return Err(SetupError::InVain { part }),
        }
        Ok(())
    }

    fn work(&self, part: Part, lines: Lines<'_>) -> Result<(), SetupError> {
        match part {
            Part::HostPackages => host_packages::make(lines),
            Part::OvnRoot => ovn_root::make(&self.cache, lines),
            Part::Kubernetes => kubernetes::make(&self.cache, &self.workspace, lines),
            Part::ContainerRuntime => container_runtime::make(&self.cache, lines),
            Part::NodePrograms => kubernetes::make_node(&self.cache, &self.workspace, lines),
            Part::CniPlugins => cni_plugins::make(&self.cache, &self.workspace, lines),
            Part::EndToEnd => end_to_end::make(&self.cache, &self.workspace, lines),
            Part::ImageBase => image_base::make(&self.cache, lines),
            Part::Helm => helm::make(&self.cache, &self.workspace, lines),
        }
    }

    /// Makes every part that is missing, in order, and tells how each one ended up.
    ///
    /// One part's failure does not keep the others from being tried.
    pub fn make_all(&self, report: Report<'_>) -> Vec<(Part, Result<State, SetupError>)> {
        let mut outcomes = Vec::new();
        for part in Part::ALL {
            let made = match self.state(part) {
                State::Missing => self.make(part, report),
                State::Ready | State::Impossible { .. } => Ok(()),
            };
            outcomes.push((part, made.map(|()| self.state(part))));
        }
        outcomes
    }
}

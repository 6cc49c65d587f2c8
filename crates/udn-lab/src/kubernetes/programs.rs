//! Finds Kubernetes' programs: where the host has them, or where set-up built them.
//!
//! Reads `KUBEBUILDER_ASSETS`, `PATH` and the cache, in this order; returns paths.
//! Invariant: all programs of a control plane come from one place and are of the wanted minor
//! version, because a kubectl or controller of another one fails in ways that look like our own
//! mistakes; kubelet and scheduler are always those that set-up built.

use std::env;
use std::env::consts::ARCH;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache::{Cache, CacheError, Digest};
use crate::ovn_root::OvnRoot;
use crate::run::{on_path, run};

#[cfg(test)]
mod tests;

/// The version that set-up builds.
pub const VERSION: &str = "v1.35.4";
/// The minor version that is wanted of programs found elsewhere.
pub const MINOR: &str = "35";

/// What all programs are built from; any change of it makes set-up build them anew.
const MODULE: &[&str] = &[
    VERSION,
    ARCH,
    include_str!("../../../../tools/kubernetes/go.mod"),
    include_str!("../../../../tools/kubernetes/go.sum"),
];

/// The same for the programs of a control plane.
const SOURCES: &[&str] = &[
    include_str!("../../../../tools/kubernetes/cmd/kube-apiserver/main.go"),
    include_str!("../../../../tools/kubernetes/cmd/kube-controller-manager/main.go"),
    include_str!("../../../../tools/kubernetes/cmd/kubectl/main.go"),
];

/// The same for the programs that only a cluster with nodes needs.
const NODE_SOURCES: &[&str] = &[
    include_str!("../../../../tools/kubernetes/cmd/kubelet/main.go"),
    include_str!("../../../../tools/kubernetes/cmd/kube-scheduler/main.go"),
];

/// Why Kubernetes cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ProgramsError {
    #[error("Kubernetes is not prepared: {path} is missing (run `cargo xtask setup`)")]
    NotPrepared { path: PathBuf },
    #[error("there is no etcd: it comes with the OVN root (run `cargo xtask setup`)")]
    NoEtcd,
    #[error("could not look for Kubernetes")]
    Cache {
        #[from]
        source: CacheError,
    },
}

/// The folder that holds Kubernetes' programs.
#[derive(Debug, Clone)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Finds the programs; never builds them.
    pub fn find() -> Result<Self, ProgramsError> {
        let cache = Cache::find()?;
        Self::find_in(&cache).ok_or_else(|| ProgramsError::NotPrepared { path: folder(&cache) })
    }

    pub(crate) fn find_in(cache: &Cache) -> Option<Self> {
        let assets = env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from);
        let path = on_path("kube-apiserver").and_then(|file| Some(file.parent()?.to_owned()));
        let foreign = [assets, path].into_iter().flatten().find(|folder| suits(folder));
        let built = || Some(folder(cache)).filter(|folder| folder.is_dir());
        foreign.or_else(built).map(|folder| Self { folder })
    }

    /// The command for one of the programs.
    pub fn command(&self, program: &str) -> Command {
        Command::new(self.folder.join(program))
    }
}

/// The folder that holds kubelet and kube-scheduler.
#[derive(Debug, Clone)]
pub struct NodePrograms {
    folder: PathBuf,
}

impl NodePrograms {
    /// Finds the programs; never builds them.
    pub fn find() -> Result<Self, ProgramsError> {
        let cache = Cache::find()?;
        let missing = || ProgramsError::NotPrepared { path: Self::folder(&cache) };
        Self::find_in(&cache).ok_or_else(missing)
    }

    pub(crate) fn find_in(cache: &Cache) -> Option<Self> {
        let folder = Self::folder(cache);
        folder.is_dir().then_some(Self { folder })
    }

    /// Where set-up puts the programs.
    pub(crate) fn folder(cache: &Cache) -> PathBuf {
        cache.entry("node-programs", digest(NODE_SOURCES))
    }

    /// The command for one of the programs.
    pub fn command(&self, program: &str) -> Command {
        Command::new(self.folder.join(program))
    }
}

/// The command for etcd, wherever there is one.
pub(crate) fn etcd() -> Option<Command> {
    let assets = env::var_os("KUBEBUILDER_ASSETS").map(|folder| Path::new(&folder).join("etcd"));
    if let Some(file) = assets.filter(|file| file.is_file()) {
        return Some(Command::new(file));
    }
    let root = OvnRoot::find().ok().filter(|root| root.holds("etcd"));
    root.map(|root| root.command("etcd")).or_else(|| on_path("etcd").map(Command::new))
}

/// Where set-up puts the programs, and where they are looked for.
pub(crate) fn folder(cache: &Cache) -> PathBuf {
    cache.entry("kubernetes", digest(SOURCES))
}

fn digest(programs: &[&'static str]) -> Digest {
    Digest::of(MODULE.iter().chain(programs).copied())
}

fn suits(folder: &Path) -> bool {
    let answer = |program: &str, arguments: &[&str]| {
        run(Command::new(folder.join(program)).args(arguments)).unwrap_or_default()
    };
    is_wanted(&answer("kube-apiserver", &["--version"]))
        && is_wanted(&answer("kube-controller-manager", &["--version"]))
        && is_wanted(&answer("kubectl", &["version", "--client"]))
}

/// Whether the first version in what a program printed is of the wanted minor version.
fn is_wanted(text: &str) -> bool {
    let versions = text.split_whitespace().find_map(|word| word.strip_prefix("v1."));
    versions.and_then(|rest| rest.split('.').next()) == Some(MINOR)
}

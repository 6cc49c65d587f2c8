//! Builds Kubernetes' own programs with Go from the small module in `tools/kubernetes`.
//!
//! Reads that module; returns the programs in two folders of the cache: those of a control plane, and those that
//! only a cluster with nodes needs.
//! Invariant: programs of a control plane that the host already has in the wanted version are used
//! as they are.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache::Cache;
use crate::kubernetes::programs::{MINOR, NodePrograms, Programs, VERSION, etcd, folder};
use crate::run::{on_path, run};
use crate::setup::go::{Build, build};
use crate::setup::work::{Draft, Lines};
use crate::setup::{SetupError, State};

const CONTROL_PLANE: &[&str] =
    &["./cmd/kube-apiserver", "./cmd/kube-controller-manager", "./cmd/kubectl"];
const NODE: &[&str] = &["./cmd/kubelet", "./cmd/kube-scheduler"];

pub(super) fn state(cache: &Cache) -> State {
    if Programs::find_in(cache).is_some() {
        return match etcd() {
            Some(_) => State::Ready,
            None => State::impossible("there is no etcd, which comes with the OVN root"),
        };
    }
    if on_path("go").is_none() {
        let places = "neither KUBEBUILDER_ASSETS nor PATH holds";
        return State::impossible(format!("{places} Kubernetes 1.{MINOR}, and there is no Go"));
    }
    State::Missing
}

pub(super) fn make(cache: &Cache, workspace: &Path, lines: Lines<'_>) -> Result<(), SetupError> {
    let _lock = cache.lock("kubernetes", || lines("waiting for another run to finish"))?;
    make_programs(folder(cache), workspace, CONTROL_PLANE, lines)
}

/// Whether the programs that only a cluster with nodes needs are there.
pub(super) fn node_state(cache: &Cache) -> State {
    if NodePrograms::find_in(cache).is_some() {
        State::Ready
    } else if on_path("go").is_none() {
        State::impossible("there is no Go to build kubelet with")
    } else {
        State::Missing
    }
}

/// Builds the programs that only a cluster with nodes needs.
pub(super) fn make_node(
    cache: &Cache,
    workspace: &Path,
    lines: Lines<'_>,
) -> Result<(), SetupError> {
    let _lock = cache.lock("node-programs", || lines("waiting for another run to finish"))?;
    make_programs(NodePrograms::folder(cache), workspace, NODE, lines)
}

fn make_programs(
    target: PathBuf,
    workspace: &Path,
    packages: &[&str],
    lines: Lines<'_>,
) -> Result<(), SetupError> {
    if target.is_dir() {
        return Ok(());
    }
    let draft = Draft::begin(target, &[])?;
    let module = workspace.join("tools/kubernetes");
    let flags = linker_flags();
    let wanted = Build { module: &module, packages, linker_flags: &flags, with_c: true };
    build(draft.janitor(), wanted, draft.folder(), lines)?;
    for program in packages.iter().filter_map(|package| package.rsplit('/').next()) {
        let version =
            if program == "kubectl" { &["version", "--client"][..] } else { &["--version"] };
        run(Command::new(draft.folder().join(program)).args(version))?;
    }
    draft.finish()
}

/// Makes the programs report the version they are, which a plain build does not know.
fn linker_flags() -> String {
    let set = |name: &str, value: &str| format!("-X k8s.io/component-base/version.{name}={value}");
    [set("gitVersion", VERSION), set("gitMajor", "1"), set("gitMinor", MINOR)].join(" ")
}

//! Builds Kubernetes' own programs with Go from the small module in `tools/kubernetes`.
//!
//! Reads that module; returns the programs in a folder of the cache.
//! Invariant: programs of the wanted version that the host already has are used as they are.

use std::path::Path;
use std::process::Command;

use crate::cache::Cache;
use crate::kubernetes::programs::{MINOR, Programs, VERSION, etcd, folder};
use crate::run::{on_path, run};
use crate::setup::work::{Draft, Lines, perform};
use crate::setup::{SetupError, State};

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
    let target = folder(cache);
    if target.is_dir() {
        return Ok(());
    }
    let draft = Draft::begin(target, &[])?;
    let mut command = Command::new("go");
    command.current_dir(workspace.join("tools/kubernetes"));
    // Neither a workspace file around us nor a wish to update has a say in what is built.
    command.env("GOWORK", "off").args(["build", "-mod=readonly"]);
    // `-v` names each package as it is compiled: minutes of silence would look like a hang.
    command.args(["-v", "-trimpath", "-ldflags", &linker_flags(), "-o"]);
    perform(draft.janitor(), command.arg(draft.folder()).arg("./cmd/..."), lines)?;
    run(Command::new(draft.folder().join("kube-apiserver")).arg("--version"))?;
    draft.finish()
}

/// Makes the programs report the version they are, which a plain build does not know.
fn linker_flags() -> String {
    let set = |name: &str, value: &str| format!(" -X k8s.io/component-base/version.{name}={value}");
    let version = set("gitVersion", VERSION) + &set("gitMajor", "1") + &set("gitMinor", MINOR);
    format!("-s -w{version}")
}

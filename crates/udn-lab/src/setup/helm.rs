//! Builds Helm with Go from the small module in `tools/helm`.
//!
//! Reads that module; returns Helm in a folder of the cache.
//! Invariant: it takes a cluster for one of the version that the lab has, unless it is told another.

use std::path::Path;
use std::process::Command;

use crate::cache::Cache;
use crate::helm::{HELM, Helm};
use crate::kubernetes::programs::MINOR;
use crate::run::{on_path, run};
use crate::setup::go::{Build, build};
use crate::setup::work::{Draft, Lines};
use crate::setup::{SetupError, State};

pub(super) fn state(cache: &Cache) -> State {
    if Helm::find_in(cache).is_some() {
        State::Ready
    } else if on_path("go").is_none() {
        State::impossible("there is no Go to build it with")
    } else {
        State::Missing
    }
}

pub(super) fn make(cache: &Cache, workspace: &Path, lines: Lines<'_>) -> Result<(), SetupError> {
    let _lock = cache.lock("helm", || lines("waiting for another run to finish"))?;
    let target = Helm::folder_in(cache);
    if target.is_dir() {
        return Ok(());
    }
    let draft = Draft::begin(target, &[])?;
    let module = workspace.join("tools/helm");
    // A plain build takes every cluster for an old one, which charts may refuse.
    let set = |name: &str, value: &str| format!("-X helm.sh/helm/v3/pkg/chartutil.{name}={value}");
    let flags = [set("k8sVersionMajor", "1"), set("k8sVersionMinor", MINOR)].join(" ");
    let wanted =
        Build { module: &module, packages: &["tool"], linker_flags: &flags, with_c: false };
    build(draft.janitor(), wanted, draft.folder(), lines)?;
    run(Command::new(draft.folder().join(HELM)).arg("version"))?;
    draft.finish()
}

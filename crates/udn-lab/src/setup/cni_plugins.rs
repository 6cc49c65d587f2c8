//! Builds Multus and the reference CNI plugins with Go from the small module in `tools/cni`.
//!
//! Reads that module; returns the plugins in a folder of the cache.
//! Invariant: the plugins are static, so that they run in any container too.

use std::path::Path;

use crate::cache::Cache;
use crate::cni_plugins::CniPlugins;
use crate::run::on_path;
use crate::setup::go::{Build, build};
use crate::setup::work::{Draft, Lines};
use crate::setup::{SetupError, State};

pub(super) fn state(cache: &Cache) -> State {
    if CniPlugins::find_in(cache).is_some() {
        State::Ready
    } else if on_path("go").is_none() {
        State::impossible("there is no Go to build them with")
    } else {
        State::Missing
    }
}

pub(super) fn make(cache: &Cache, workspace: &Path, lines: Lines<'_>) -> Result<(), SetupError> {
    let _lock = cache.lock("cni-plugins", || lines("waiting for another run to finish"))?;
    let target = CniPlugins::folder_in(cache);
    if target.is_dir() {
        return Ok(());
    }
    let draft = Draft::begin(target, &[])?;
    let module = workspace.join("tools/cni");
    // The module names its programs as tools, so that it need not import what cannot be imported.
    let wanted = Build { module: &module, packages: &["tool"], linker_flags: "", with_c: false };
    build(draft.janitor(), wanted, draft.folder(), lines)?;
    draft.finish()
}

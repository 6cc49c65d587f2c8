//! Makes the container runtime: containerd, runc and a static busybox, and images of the latter.
//!
//! Reads the package list of [`crate::container_runtime`]; calls `mmdebstrap`, which asks the
//! mirror the host is set up for, and packs the images.
//! Invariant: no package is installed on the host, where another containerd may be in use.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cache::Cache;
use crate::container_runtime::{BUSYBOX_IMAGE, ContainerRuntime, IMAGES, PACKAGES, PAUSE, SUITE};
use crate::image::Image;
use crate::run::run;
use crate::setup::busybox::{lay_out, misplaced};
use crate::setup::work::{Draft, Lines, perform};
use crate::setup::{SetupError, State};

pub(super) fn state(cache: &Cache) -> State {
    State::of_unpacked(ContainerRuntime::find_in(cache).is_some())
}

pub(super) fn make(cache: &Cache, lines: Lines<'_>) -> Result<(), SetupError> {
    let _lock = cache.lock("container-runtime", || lines("waiting for another run to finish"))?;
    let target = ContainerRuntime::folder_in(cache);
    if target.is_dir() {
        return Ok(());
    }
    let draft = Draft::begin(target, &["proc", "sys"])?;
    let mut command = Command::new("mmdebstrap");
    command.arg("--variant=extract").arg(format!("--include={}", PACKAGES.join(",")));
    perform(draft.janitor(), command.arg(SUITE).arg(draft.folder()), lines)?;
    let runtime = ContainerRuntime::at(draft.folder());
    run(runtime.command("containerd").arg("--version"))?;
    run(Command::new(runtime.runc()).arg("--version"))?;
    pack_images(&runtime, draft.folder(), lines)?;
    draft.finish()
}

fn pack_images(
    runtime: &ContainerRuntime,
    folder: &Path,
    lines: Lines<'_>,
) -> Result<(), SetupError> {
    let work = folder.join("tmp/images");
    let files = work.join("files");
    lay_out(runtime, &files)?;
    fs::create_dir_all(folder.join("images")).map_err(|source| misplaced(folder, source))?;
    for (file, name) in IMAGES {
        lines(&format!("packing {name}"));
        let entrypoint = if *name == BUSYBOX_IMAGE { &["/bin/sh"] } else { PAUSE };
        let image = Image { name, files: &files, entrypoint };
        image.pack(&work.join(file), &folder.join("images").join(file))?;
    }
    fs::remove_dir_all(&work).map_err(|source| misplaced(&work, source))
}

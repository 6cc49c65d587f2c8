//! Builds Kubernetes' own end-to-end suite with Go from the small module in `tools/e2e`, and the
//! images it asks for.
//!
//! Reads that module, Debian's packages and the container runtime's busybox; returns a folder of
//! the cache.
//! Invariant: an image has the name and tag under which the suite asks for it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::cache::Cache;
use crate::container_runtime::{self, ContainerRuntime};
use crate::end_to_end::{
    AGNHOST, EndToEnd, LEFT_OUT, LINKS, PACKAGES, REPOSITORY, SMALL_IMAGES, SUITE, SuiteImage,
};
use crate::image::Image;
use crate::janitor::Janitor;
use crate::run::on_path;
use crate::setup::busybox::{lay_out, misplaced};
use crate::setup::go::{Build, build, build_test};
use crate::setup::work::{Draft, Lines, perform};
use crate::setup::{SetupError, State};

pub(super) fn state(cache: &Cache) -> State {
    if EndToEnd::find_in(cache).is_some() {
        State::Ready
    } else if on_path("go").is_none() {
        State::impossible("there is no Go to build it with")
    } else if ContainerRuntime::find_in(cache).is_none() {
        State::impossible("its images need the container runtime, which is not there")
    } else {
        State::Missing
    }
}

pub(super) fn make(cache: &Cache, workspace: &Path, lines: Lines<'_>) -> Result<(), SetupError> {
    let _lock = cache.lock("end-to-end", || lines("waiting for another run to finish"))?;
    let target = EndToEnd::folder_in(cache);
    let runtime = ContainerRuntime::find_in(cache);
    let Some(runtime) = runtime.filter(|_| !target.is_dir()) else { return Ok(()) };
    let draft = Draft::begin(target, &["files/proc", "files/sys"])?;
    let module = workspace.join("tools/e2e");
    let suite = Build { module: &module, packages: &["."], linker_flags: "", with_c: true };
    build_test(draft.janitor(), suite, &draft.folder().join(SUITE), lines)?;
    let files = draft.folder().join("files");
    unpack(draft.janitor(), &files, lines)?;
    let agnhost = Build { module: &module, packages: &["tool"], linker_flags: "", with_c: false };
    build(draft.janitor(), agnhost, &files.join("agnhost"), lines)?;
    pack_images(&runtime, draft.folder(), &files, lines)?;
    draft.finish()
}

/// Unpacks the programs that the specs call in agnhost's image.
fn unpack(janitor: &Janitor, files: &Path, lines: Lines<'_>) -> Result<(), SetupError> {
    let mut command = Command::new("mmdebstrap");
    command.arg("--variant=extract").arg(format!("--include={}", PACKAGES.join(",")));
    for path in LEFT_OUT {
        command.arg(format!("--dpkgopt=path-exclude={path}"));
    }
    perform(janitor, command.arg(container_runtime::SUITE).arg(files), lines)?;
    for (link, target) in LINKS {
        let link = files.join(link);
        symlink(target, &link).map_err(|source| misplaced(&link, source))?;
    }
    Ok(())
}

fn pack_images(
    runtime: &ContainerRuntime,
    folder: &Path,
    files: &Path,
    lines: Lines<'_>,
) -> Result<(), SetupError> {
    let small = folder.join("small");
    lay_out(runtime, files)?;
    lay_out(runtime, &small)?;
    pack(&AGNHOST, folder, files, lines)?;
    for image in SMALL_IMAGES {
        pack(image, folder, &small, lines)?;
    }
    for path in [folder.join("work").as_path(), &small, files] {
        fs::remove_dir_all(path).map_err(|source| misplaced(path, source))?;
    }
    Ok(())
}

fn pack(
    wanted: &SuiteImage,
    folder: &Path,
    files: &Path,
    lines: Lines<'_>,
) -> Result<(), SetupError> {
    let SuiteImage { file, name, entrypoint, arguments } = *wanted;
    let name = format!("{REPOSITORY}/{name}");
    lines(&format!("packing {name}"));
    let image = Image { name: &name, files, entrypoint };
    image.pack_with(arguments, &folder.join("work").join(file), &folder.join(file))?;
    Ok(())
}

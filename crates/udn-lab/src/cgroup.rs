//! A control group in every hierarchy of this machine, below which containers get theirs.
//!
//! Reads what is mounted at `/sys/fs/cgroup`, of either version; returns a [`Cgroup`].
//! Invariant: no hierarchy is mounted or changed at its root; only groups of a fresh name are made.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::janitor::{Janitor, JanitorError, fresh_name};
use crate::wait::wait_for;

const ROOT: &str = "/sys/fs/cgroup";

/// How long programs that were killed may take to be out of their group.
const LONGEST_END: Duration = Duration::from_secs(10);

/// Why there is no control group.
#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    #[error("could not put the control group into the janitor's care")]
    Care {
        #[from]
        source: JanitorError,
    },
    #[error("could not make the control group {path}")]
    Make { path: PathBuf, source: io::Error },
    #[error("could not remove the control group {path}")]
    Remove { path: PathBuf, source: io::Error },
}

/// A control group; the janitor removes it with all below it.
#[derive(Debug, Clone)]
pub(crate) struct Cgroup {
    name: String,
}

impl Cgroup {
    /// Makes a group of a fresh name.
    pub(crate) fn create(janitor: &Janitor) -> Result<Self, CgroupError> {
        let group = Self { name: format!("udn-{}", fresh_name()) };
        janitor.owe_cgroup(&group.name)?;
        make_everywhere(&group.name)?;
        Ok(group)
    }

    /// Makes a group below it, and returns its path as kubelet wants to be told.
    pub(crate) fn child(&self, name: &str) -> Result<String, CgroupError> {
        let path = format!("{}/{name}", self.name);
        make_everywhere(&path)?;
        Ok(format!("/{path}"))
    }

    /// Its name below the root of each hierarchy.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Makes a group for one program in the hierarchy of version 2, in place of one that was left; returns its
/// folder, or `None` where that hierarchy is not mounted.
pub(crate) fn renew(path: &str) -> Result<Option<PathBuf>, CgroupError> {
    let Some(root) = unified() else { return Ok(None) };
    let folder = root.join(path.trim_start_matches('/'));
    // One that is still in use by what the program started serves as well.
    let _ = fs::remove_dir(&folder);
    fs::create_dir_all(&folder)
        .map_err(|source| CgroupError::Make { path: folder.clone(), source })?;
    Ok(Some(folder))
}

/// The same command, begun in a control group, by other words before it.
pub(crate) fn begun_in(folder: &Path, command: &Command, words: &[&str]) -> Command {
    let mut outer = Command::new("sh");
    let script = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", folder.display());
    outer.args(["-c", &script, "sh"]).args(words);
    outer.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        value.map(|value| outer.env(name, value));
    }
    outer
}

/// Takes such a group away once its program has ended.
pub(crate) fn leave(path: &str) {
    let Some(root) = unified() else { return };
    let folder = root.join(path.trim_start_matches('/'));
    let is_gone = || {
        // A program that was killed is in it until somebody has taken note of its end.
        let removed = fs::remove_dir(&folder);
        (removed.is_ok() || !folder.exists()).then_some(())
    };
    // What the program started may stay in it.
    let _ = wait_for("the end of a control group", LONGEST_END, is_gone);
}

/// Removes all groups below one that was made as a [`Cgroup::child`] and whose programs are gone.
pub(crate) fn clear(child: &str) -> Result<(), CgroupError> {
    for hierarchy in hierarchies() {
        remove_below(&hierarchy.join(child.trim_start_matches('/')))?;
    }
    Ok(())
}

fn remove_below(group: &Path) -> Result<(), CgroupError> {
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            remove_below(&path)?;
            fs::remove_dir(&path).map_err(|source| CgroupError::Remove { path, source })?;
        }
    }
    Ok(())
}

fn make_everywhere(name: &str) -> Result<(), CgroupError> {
    for hierarchy in hierarchies() {
        let path = hierarchy.join(name);
        fs::create_dir_all(&path)
            .map_err(|source| CgroupError::Make { path: path.clone(), source })?;
        hand_down_controllers(&path);
        inherit_places(&path);
    }
    Ok(())
}

/// Lets groups below have the controllers that this one has, as version 2 must be told.
fn hand_down_controllers(path: &Path) {
    let have = fs::read_to_string(path.join("cgroup.controllers")).unwrap_or_default();
    for controller in have.split_whitespace() {
        // A controller that cannot be handed down is one that containers do without.
        let _ = fs::write(path.join("cgroup.subtree_control"), format!("+{controller}"));
    }
}

/// The roots of all hierarchies: one with version 2, one for each controller before.
fn hierarchies() -> Vec<PathBuf> {
    let is_root = |path: &PathBuf| path.join("cgroup.procs").is_file();
    let root = PathBuf::from(ROOT);
    if is_root(&root) {
        return vec![root];
    }
    let entries = fs::read_dir(Path::new(ROOT)).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_root).collect()
}

/// The root of the hierarchy of version 2.
fn unified() -> Option<PathBuf> {
    hierarchies().into_iter().find(|it| it.join("cgroup.controllers").is_file())
}

/// Gives a group the processors and memory of the one above, without which version 1 lets no
/// program in.
fn inherit_places(path: &Path) {
    for file in ["cpuset.cpus", "cpuset.mems"] {
        let above = path.parent().map(|above| fs::read(above.join(file)).unwrap_or_default());
        if path.join("cgroup.clone_children").exists() && path.join(file).exists() {
            // Where it fails, containers cannot start, and say so themselves.
            let _ = fs::write(path.join(file), above.unwrap_or_default());
        }
    }
}

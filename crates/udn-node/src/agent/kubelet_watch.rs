//! Follows the kubelet's control group: another one whenever the kubelet starts.
//!
//! Reads what is mounted and what the group's folder is; returns a [`KubeletPlace`].
//! Invariant: nothing is asked again and again: the kernel tells of folders that come and go.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;

use nix::sched::{CloneFlags, setns};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use tokio::net::unix::pipe;
use udn_host::isolation::{Kubelet, KubeletGroup};

use crate::host::KubeletPlace;

mod hierarchy;
#[cfg(test)]
mod tests;

use hierarchy::Hierarchy;

/// What is mounted, as the thread sees it that asks.
const MOUNTS: &str = "/proc/thread-self/mountinfo";

/// Where a node's kubelet is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubeletSettings {
    /// Its control group, from the root of the hierarchy on.
    pub group: PathBuf,
    /// The host's namespace of control groups, by its file, for an agent that has one of its own.
    pub namespace: PathBuf,
}

impl Default for KubeletSettings {
    /// As systemd starts a kubelet, for an agent that sees the host's processes.
    fn default() -> Self {
        Self {
            group: "/system.slice/kubelet.service".into(),
            namespace: "/proc/1/ns/cgroup".into(),
        }
    }
}

/// Why a kubelet cannot be told from other programs, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub(super) enum KubeletError {
    #[error(
        "udn node sees no control groups of version 2: mount cgroup2 at /sys/fs/cgroup or \
         /sys/fs/cgroup/unified of the host, and let the agent see it"
    )]
    NoHierarchy,
    #[error(
        "udn node has a namespace of control groups of its own, and cannot enter the host's by \
         {namespace} ({problem}): let the agent's container see that file of the host and give it \
         SYS_PTRACE and SYS_ADMIN"
    )]
    Namespace { namespace: PathBuf, problem: String },
    #[error("{group} is no path of a control group: name the kubelet's from the root on")]
    Path { group: PathBuf },
    #[error("udn node cannot follow control groups: {source}")]
    Follow { source: io::Error },
}

/// A kubelet that is followed.
pub(super) struct KubeletWatch {
    /// The root of the hierarchy.
    root: PathBuf,
    /// The names of the group and of those above it, the highest first.
    names: Vec<PathBuf>,
    control_groups: Option<Arc<File>>,
    was_seen: bool,
    news: News,
}

/// What hears of folders.
struct News {
    inotify: Inotify,
    /// The same, as tokio waits for it: what it tells of is looked at anyway, so that bytes are enough.
    stream: pipe::Receiver,
}

impl News {
    /// Must be called inside a tokio runtime.
    fn begin() -> io::Result<Self> {
        let inotify = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC)?;
        let file = File::from(inotify.as_fd().try_clone_to_owned()?);
        Ok(Self { inotify, stream: pipe::Receiver::from_file_unchecked(file)? })
    }
}

impl KubeletWatch {
    /// Begins to follow; must be called inside a tokio runtime.
    pub(super) fn open(settings: &KubeletSettings) -> Result<Self, KubeletError> {
        let wrong = || KubeletError::Path { group: settings.group.clone() };
        let names = names(&settings.group).ok_or_else(wrong)?;
        let follow = |source| KubeletError::Follow { source };
        let mounts = fs::read_to_string(MOUNTS).map_err(follow)?;
        let hierarchy = Hierarchy::find(&mounts).ok_or(KubeletError::NoHierarchy)?;
        let control_groups = match hierarchy.above {
            0 => None,
            _ => Some(Arc::new(host_namespace(&settings.namespace, &hierarchy)?)),
        };
        let news = News::begin().map_err(follow)?;
        Ok(Self { root: hierarchy.root, names, control_groups, was_seen: false, news })
    }

    /// Where the kubelet is now.
    pub(super) fn place(&mut self) -> KubeletPlace {
        // Listening begins before the look, so that nothing falls in between.
        let folder = self.names.iter().fold(self.root.clone(), |folder, name| {
            let flags = AddWatchFlags::IN_CREATE
                | AddWatchFlags::IN_DELETE
                | AddWatchFlags::IN_MOVE
                | AddWatchFlags::IN_ONLYDIR;
            // What is not there is told of by the folder above it.
            let _ = self.news.inotify.add_watch(&folder, flags);
            folder.join(name)
        });
        let level = u32::try_from(self.names.len()).expect("a path is short");
        let kubelet = match fs::metadata(&folder) {
            Ok(found) if found.is_dir() => Kubelet::In(KubeletGroup { level, id: found.ino() }),
            Ok(_) | Err(_) if self.was_seen => Kubelet::Away,
            Ok(_) | Err(_) => Kubelet::NeverSeen,
        };
        self.was_seen |= kubelet.is_known();
        let remedy = format!(
            "the kubelet's control group {} is not there: name it by --kubelet-cgroup, from {} on",
            folder.display(),
            self.root.display()
        );
        KubeletPlace { kubelet, control_groups: self.control_groups.clone(), remedy }
    }

    /// Waits until a folder came or went; may be dropped at any time.
    pub(super) async fn changed(&self) -> io::Result<()> {
        let mut told = [0; 4096];
        loop {
            self.news.stream.readable().await?;
            match self.news.stream.try_read(&mut told) {
                Ok(_) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// What is known of a kubelet that cannot be followed.
pub(super) fn unknowable(error: &KubeletError) -> KubeletPlace {
    KubeletPlace { kubelet: Kubelet::Unknowable, control_groups: None, remedy: error.to_string() }
}

/// The names in a group's path; `None` if it is no path from the root on, or the root itself.
fn names(group: &Path) -> Option<Vec<PathBuf>> {
    let mut names = Vec::new();
    for component in group.components() {
        match component {
            Component::RootDir => {}
            Component::Normal(name) => names.push(name.into()),
            Component::Prefix(_) | Component::CurDir | Component::ParentDir => return None,
        }
    }
    (group.is_absolute() && !names.is_empty()).then_some(names)
}

/// The namespace of control groups whose root is the hierarchy's.
///
/// The kernel counts levels from the root of the namespace in which a rule is made.
// compat: net/netfilter/nft_socket.c, nft_socket_cgroup_subtree_level, since 6.11
fn host_namespace(path: &Path, hierarchy: &Hierarchy) -> Result<File, KubeletError> {
    let refused = |problem| KubeletError::Namespace { namespace: path.to_owned(), problem };
    let file = File::open(path).map_err(|error| refused(error.to_string()))?;
    let within = || -> io::Result<Option<Hierarchy>> {
        setns(&file, CloneFlags::CLONE_NEWCGROUP)?;
        Ok(Hierarchy::find(&fs::read_to_string(MOUNTS)?))
    };
    // A thread of its own: this one stays where it is.
    let found = thread::scope(|scope| scope.spawn(within).join());
    match found {
        Ok(Ok(Some(found))) if found == (Hierarchy { above: 0, ..hierarchy.clone() }) => Ok(file),
        Ok(Ok(_)) => Err(refused("it is not the host's".to_owned())),
        Ok(Err(error)) => Err(refused(error.to_string())),
        Err(_) => Err(refused("the thread was lost".to_owned())),
    }
}

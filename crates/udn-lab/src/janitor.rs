//! Takes away what a rig made: programs, namespaces, links, mounts, control groups
//! and folders.
//!
//! A janitor is one small shell in a session of its own that reads debts from a pipe which only we
//! hold. When the pipe closes, because the last [`Janitor`] was dropped or because our own program
//! died in whatever way, it removes everything, newest first. So one mechanism serves a normal
//! end, a panic, Ctrl-C and SIGKILL alike.
//!
//! Invariant: a thing is owed before it exists (a program: before it does anything), so there is
//! no moment at which it could be forgotten.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::{env, fmt};

use crate::proc_stat::Stat;

#[cfg(test)]
mod tests;

const SWEEP: &str = include_str!("janitor/sweep.sh");

/// Why something could not be put into the janitor's care.
#[derive(Debug, thiserror::Error)]
pub enum JanitorError {
    #[error("could not start the janitor")]
    Start { source: io::Error },
    #[error("the janitor is gone")]
    Gone { source: io::Error },
    #[error("{path} cannot be owed: the name holds a line break")]
    LineBreak { path: PathBuf },
    #[error("could not make the folder {path}")]
    Folder { path: PathBuf, source: io::Error },
    #[error("could not keep the book {path}")]
    Book { path: PathBuf, source: io::Error },
    #[error("{path} is in use: its owner still runs, or what it made is still being removed")]
    Busy { path: PathBuf },
    #[error("could not remove everything that {path} lists")]
    Unpaid { path: PathBuf },
    #[error("could not read the start time of program {pid}")]
    StartTime { pid: u32, source: io::Error },
}

/// Cares for what one rig makes; clones share it, and the last one dropped waits for the sweep.
#[derive(Debug, Clone)]
pub struct Janitor {
    shell: Arc<Shell>,
}

#[derive(Debug)]
struct Shell {
    child: Mutex<Child>,
    debts: Mutex<Option<ChildStdin>>,
    /// Where debts are written down too, in case the shell itself is killed.
    book: Option<(PathBuf, Mutex<File>)>,
}

impl Janitor {
    /// Starts a janitor that owes nothing yet.
    pub fn hire() -> Result<Self, JanitorError> {
        Self::hire_keeping(None)
    }

    /// The same, with every debt also written into the file `book`; [`settle`] pays from it if
    /// even the janitor was killed. Whoever hires removes the book, best by owing its folder first.
    ///
    /// The book is locked until the last debt is paid, so that nobody else begins before.
    pub fn hire_with_book(book: &Path) -> Result<Self, JanitorError> {
        let path = || book.to_owned();
        let failed = |source| JanitorError::Book { path: path(), source };
        let file = File::options().create(true).append(true).open(book).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Self::hire_keeping(Some((path(), Mutex::new(file)))),
            Err(TryLockError::WouldBlock) => Err(JanitorError::Busy { path: path() }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    fn hire_keeping(book: Option<(PathBuf, Mutex<File>)>) -> Result<Self, JanitorError> {
        let refused = |source| JanitorError::Start { source };
        let mut command = sweeper();
        if let Some((_, book)) = &book {
            // It prints nothing there, but holds the lock for as long as it lives.
            let book = book.lock().unwrap_or_else(PoisonError::into_inner);
            command.stdout(book.try_clone().map_err(refused)?);
        }
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(refused)?;
        let debts = Mutex::new(child.stdin.take());
        Ok(Self { shell: Arc::new(Shell { child: Mutex::new(child), debts, book }) })
    }

    /// Makes a folder of a new name under the temporary folder and owes it.
    ///
    /// The name is short: paths of unix sockets below it must fit into 107 bytes.
    pub fn folder(&self) -> Result<PathBuf, JanitorError> {
        let path = env::temp_dir().join(format!("udn-{}", fresh_name()));
        self.owe_folder(&path)?;
        let made = DirBuilder::new().mode(0o755).create(&path);
        made.map_err(|source| JanitorError::Folder { path: path.clone(), source })?;
        Ok(path)
    }

    /// Owes a folder with all that is in it.
    pub fn owe_folder(&self, path: &Path) -> Result<(), JanitorError> {
        self.owe_path("folder", path)
    }

    /// Owes a mount.
    pub fn owe_mount(&self, path: &Path) -> Result<(), JanitorError> {
        self.owe_path("mount", path)
    }

    /// Owes a named network namespace.
    pub fn owe_namespace(&self, name: &str) -> Result<(), JanitorError> {
        self.owe(format_args!("namespace {name}"))
    }

    /// Owes a network link of the namespace we run in.
    pub fn owe_link(&self, name: &str) -> Result<(), JanitorError> {
        self.owe(format_args!("link {name}"))
    }

    /// Owes a control group, named below each hierarchy's root, with all groups and programs in it.
    pub fn owe_cgroup(&self, name: &str) -> Result<(), JanitorError> {
        self.owe(format_args!("cgroup {name}"))
    }

    /// Owes a program that leads a group of its own; the start time guards against a reused number.
    pub fn owe_program(&self, pid: u32) -> Result<(), JanitorError> {
        let stat = Stat::of(pid).map_err(|source| JanitorError::StartTime { pid, source })?;
        self.owe(format_args!("program {pid} {}", stat.start))
    }

    fn owe_path(&self, kind: &str, path: &Path) -> Result<(), JanitorError> {
        let text = path.to_string_lossy();
        if text.contains('\n') {
            return Err(JanitorError::LineBreak { path: path.to_owned() });
        }
        self.owe(format_args!("{kind} {text}"))
    }

    fn owe(&self, debt: fmt::Arguments<'_>) -> Result<(), JanitorError> {
        let mut debts = self.shell.debts.lock().unwrap_or_else(PoisonError::into_inner);
        let pipe = debts.as_mut().expect("the pipe is closed only when the shell is dropped");
        // One write per debt: what is in the pipe is kept, even if we die right after it.
        let line = format!("{debt}\n");
        if let Some((path, book)) = &self.shell.book {
            let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
            let failed = |source| JanitorError::Book { path: path.clone(), source };
            book.write_all(line.as_bytes()).map_err(failed)?;
        }
        pipe.write_all(line.as_bytes()).map_err(|source| JanitorError::Gone { source })
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        drop(self.debts.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        // A janitor that is gone already has nothing left to do, so the outcome is of no use.
        let _ = self.child.get_mut().unwrap_or_else(PoisonError::into_inner).wait();
    }
}

/// Pays the debts that a book lists; one that does not exist lists none.
///
/// For a start after both the owner and its janitor were killed; waits for those that live.
pub fn settle(book: &Path) -> Result<(), JanitorError> {
    let failed = |source| JanitorError::Book { path: book.to_owned(), source };
    let file = match File::open(book) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(failed(source)),
    };
    // A janitor that is still at it finishes first.
    file.lock().map_err(failed)?;
    let status = sweeper().stdin(file).status();
    if !status.map_err(|source| JanitorError::Start { source })?.success() {
        return Err(JanitorError::Unpaid { path: book.to_owned() });
    }
    match fs::remove_file(book) {
        Ok(()) => Ok(()),
        // It lay in a folder that it listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(failed(source)),
    }
}

/// The shell that pays what it reads; `setsid` puts it out of reach of Ctrl-C, and the folder keeps
/// it from pinning ours.
fn sweeper() -> Command {
    let mut command = Command::new("setsid");
    command.args(["--wait", "/bin/sh", "-c", SWEEP, "udn-janitor"]);
    command.current_dir("/").stdout(Stdio::null());
    command
}

/// A name nobody else has: seven letters or digits, fit for folders, namespaces and links.
pub(crate) fn fresh_name() -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    // The seed of a new hash state is the randomness the standard library has to offer.
    let mut rest = RandomState::new().build_hasher().finish();
    let mut name = String::new();
    for _ in 0..7 {
        name.push(char::from(LETTERS[(rest % 36) as usize]));
        rest /= 36;
    }
    name
}

//! Sockets that hear of one network namespace, whichever the process is in.
//!
//! Invariant: a socket stays in the namespace in which it was made, so the thread that makes it need not stay.

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;

use nix::sched::{CloneFlags, setns};
use tokio::runtime::Handle;

/// Makes something in a namespace, by its file; must be called inside a tokio runtime.
pub(super) fn make_inside<T: Send + 'static>(
    namespace: &Path,
    make: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let file = File::open(namespace)?;
    let runtime = Handle::current();
    let made = thread::spawn(move || {
        setns(file, CloneFlags::CLONE_NEWNET)?;
        let _guard = runtime.enter();
        make()
    });
    made.join().map_err(|_| io::Error::other("the thread was lost"))?
}

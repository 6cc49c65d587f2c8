//! API servers that scenes play on: started when needed, shared by the scenes of the program.
//!
//! Reads a scene; plays it on a server that no other scene uses meanwhile.
//! Invariant: a scene starts on a server without networks: a failed scene takes its server with it,
//! so that one failure shows as one failure.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Runtime;

use crate::kit::server::Site;

/// Real kube-apiservers.
pub(crate) static REAL: Servers = Servers::new(Sort::Real);

/// Servers in this process.
pub(crate) static EMBEDDED: Servers = Servers::new(Sort::Embedded);

/// How many servers of one sort run side by side at most.
const MOST: usize = 2;

/// The servers of one sort.
///
/// They are not dropped when the program ends; the lab's janitor ends those that are processes.
pub(crate) struct Servers {
    sort: Sort,
    pool: Mutex<Pool>,
    freed: Condvar,
}

enum Sort {
    Real,
    Embedded,
}

struct Pool {
    idle: Vec<Server>,
    in_use: usize,
}

/// A server with the runtime in which it, its client and its controllers live and end.
struct Server {
    site: Site,
    runtime: Runtime,
}

impl Servers {
    const fn new(sort: Sort) -> Self {
        let pool = Mutex::new(Pool { idle: Vec::new(), in_use: 0 });
        Self { sort, pool, freed: Condvar::new() }
    }

    /// Plays a scene on a server of its own; a panic of the scene is the panic of its test.
    pub(crate) fn play(&self, scene: impl AsyncFnOnce(&Site)) {
        let mut loan = self.borrow();
        let server = loan.server.take().unwrap_or_else(|| self.sort.start());
        server.runtime.block_on(scene(&server.site));
        loan.server = Some(server);
    }

    /// A place among the servers in use, with a server if one is idle.
    fn borrow(&self) -> Loan<'_> {
        let pool = self.lock();
        let is_full = |pool: &mut Pool| pool.in_use >= MOST;
        let pool = self.freed.wait_while(pool, is_full);
        let mut pool = pool.unwrap_or_else(PoisonError::into_inner);
        pool.in_use += 1;
        Loan { servers: self, server: pool.idle.pop() }
    }

    fn lock(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server while a scene plays; it is given back only if the scene put it back.
struct Loan<'a> {
    servers: &'a Servers,
    server: Option<Server>,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut pool = self.servers.lock();
        pool.in_use -= 1;
        pool.idle.extend(self.server.take());
        self.servers.freed.notify_one();
    }
}

impl Sort {
    fn start(&self) -> Server {
        let runtime = Runtime::new().expect("a runtime starts");
        let site = runtime.block_on(async {
            let site = match self {
                Self::Real => Site::real().await,
                Self::Embedded => Site::embedded().await,
            };
            site.install_kubevirt().await;
            site
        });
        Server { site, runtime }
    }
}

//! A door in front of a server that slams shut after a number of bytes drawn from a seed.
//!
//! Invariant: up to the cut every byte passes unchanged and in order; after it, none does.

#![allow(clippy::unwrap_used)]
// Each test program uses a part of this.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};

/// A small generator of reproducible numbers.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below the limit (splitmix64).
    pub(crate) fn roll(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// The door; connections through it end when it is dropped.
pub(crate) struct Proxy {
    socket: PathBuf,
    calm: Arc<AtomicBool>,
    cuts: Arc<AtomicU64>,
    task: tokio::task::JoinHandle<()>,
}

impl Proxy {
    /// Opens a door at `socket` that leads to a real northbound server.
    pub(crate) fn open(socket: PathBuf, server: &Path, seed: u64) -> Self {
        // The greeting's answers hold the whole schema.
        Self::open_wide(socket, server, seed, 40_000)
    }

    /// Opens a door to a server whose answers to the greeting are about this long.
    pub(crate) fn open_wide(socket: PathBuf, server: &Path, seed: u64, greeting: u64) -> Self {
        let listener = UnixListener::bind(&socket).unwrap();
        let (calm, cuts) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (server, is_calm, count) = (server.to_owned(), Arc::clone(&calm), Arc::clone(&cuts));
        let task = tokio::spawn(async move {
            let mut dice = Dice::new(seed);
            while let Ok((client, _)) = listener.accept().await {
                let budgets = draw_budgets(&mut dice, greeting);
                // Nobody home: the client sees the connection end.
                let Ok(server) = UnixStream::connect(&server).await else { continue };
                let shears = Shears { calm: Arc::clone(&is_calm), cuts: Arc::clone(&count) };
                tokio::spawn(pass(client, server, budgets, shears));
            }
        });
        Self { socket, calm, cuts, task }
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// From now on, connections are left alone.
    pub(crate) fn calm(&self) {
        self.calm.store(true, Ordering::SeqCst);
    }

    /// How many connections were cut.
    pub(crate) fn cuts(&self) -> u64 {
        self.cuts.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// How many bytes may pass to the server and back: one side is cut, sometimes in the greeting,
/// mostly among transactions.
fn draw_budgets(dice: &mut Dice, greeting: u64) -> [u64; 2] {
    let early = dice.roll(4) == 0;
    if dice.roll(2) == 0 {
        [if early { dice.roll(700) } else { 700 + dice.roll(12_000) }, u64::MAX]
    } else {
        [u64::MAX, if early { dice.roll(greeting) } else { greeting + dice.roll(20_000) }]
    }
}

/// Cuts a connection, unless that is over.
struct Shears {
    calm: Arc<AtomicBool>,
    cuts: Arc<AtomicU64>,
}

impl Shears {
    fn cut(&self) -> bool {
        let cuts = !self.calm.load(Ordering::SeqCst);
        if cuts {
            self.cuts.fetch_add(1, Ordering::SeqCst);
        }
        cuts
    }
}

async fn pass(client: UnixStream, server: UnixStream, budgets: [u64; 2], shears: Shears) {
    let (client_reads, client_writes) = client.into_split();
    let (server_reads, server_writes) = server.into_split();
    tokio::select! {
        () = copy(client_reads, server_writes, budgets[0], &shears) => {}
        () = copy(server_reads, client_writes, budgets[1], &shears) => {}
    }
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, budget: u64, shears: &Shears) {
    let mut budget = budget;
    let mut buffer = vec![0; 4096];
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else { return };
        let passed = budget.min(count as u64) as usize;
        if to.write_all(&buffer[..passed]).await.is_err() {
            return;
        }
        budget -= passed as u64;
        if budget == 0 {
            if shears.cut() {
                return;
            }
            budget = u64::MAX;
            if to.write_all(&buffer[passed..count]).await.is_err() {
                return;
            }
        }
    }
}

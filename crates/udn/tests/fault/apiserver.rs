//! `udn apiserver --store` killed again and again under load: what it answered, it keeps.
//!
//! Clients write objects whose content follows from a number; a crash comes at a random moment;
//! then everything is read back and held against what was sent and what was answered.
//! `UDN_SEED=…` repeats the choices of a run (the moments of the crashes are the clock's).
//! Invariant: what a client knows for sure before a crash is true after it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use tempfile::tempdir;

mod chronicle;
mod content;
mod spectator;
mod writer;

use crate::program::Program;
use chronicle::Chronicle;
use spectator::Spectator;
use writer::Writer;

const CRASHES: usize = 24;
/// How long clients may take for the writes before a crash.
const LIMIT: Duration = Duration::from_secs(60);
const WRITERS: usize = 6;
const SPECTATORS: usize = 3;
/// Every so many crashes, another one follows while the server starts.
const IN_VAIN: usize = 4;

/// The seed of every run, unless `UDN_SEED` tells another.
const STORED_SEED: u64 = 20_261_118;

// soak: draws from UDN_SEED
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_answered_before_a_crash_is_there_after_it() {
    let seed = udn_lab::seed::told().unwrap_or(STORED_SEED);
    println!("UDN_SEED={seed}");
    let mut dice = Rng::with_seed(seed);
    let folder = tempdir().expect("a folder");
    let chronicle = Arc::new(Chronicle::default());
    let mut writers: Vec<Writer> =
        (0..WRITERS).map(|number| Writer::new(number, dice.fork(), chronicle.clone())).collect();
    let mut spectators: Vec<Spectator> =
        (0..SPECTATORS).map(|_| Spectator::new(chronicle.clone())).collect();
    for crash in 0..CRASHES {
        if crash % IN_VAIN == 0 {
            let time = Duration::from_millis(dice.u64(0..300));
            Program::start_in_vain(folder.path(), &["--store", "store"], time);
        }
        let program = Program::start(folder.path(), &["--store", "store"]);
        verify(&program, &chronicle, &mut writers).await;
        let client = program.client().await;
        let writing = writers.into_iter().map(|it| tokio::spawn(it.write(client.clone())));
        let writing: Vec<_> = writing.collect();
        let watching = spectators.into_iter().map(|it| tokio::spawn(it.watch(client.clone())));
        let watching: Vec<_> = watching.collect();
        await_writes(&chronicle, dice.usize(10..150)).await;
        // waits: the crash comes at any moment, between two writes or within one
        tokio::time::sleep(Duration::from_micros(dice.u64(0..20_000))).await;
        program.kill();
        writers = join(writing).await;
        spectators = join(watching).await;
    }
    let program = Program::start(folder.path(), &["--store", "store"]);
    verify(&program, &chronicle, &mut writers).await;
    spectators.iter().for_each(Spectator::verify);
    report(&chronicle, &writers, &spectators);
    println!("drew: {CRASHES} histories");
}

#[tokio::test]
async fn the_revision_of_a_deletion_is_not_used_again() {
    let folder = tempdir().expect("a folder");
    let mut newest = 0;
    for name in ["first", "second", "third"] {
        let program = Program::start(folder.path(), &["--store", "store"]);
        let client = program.client().await;
        let found = content::newest(&client).await.expect("it answers");
        assert!(found >= newest, "{found} comes after {newest}");
        let made = writer::create(&content::api(&client), name, 1).await.expect("it is new");
        assert!(content::revision(&made) > newest);
        writer::delete(&content::api(&client), name).await.expect("it is there");
        newest = content::newest(&client).await.expect("it answers");
        assert!(newest > content::revision(&made));
        program.kill();
    }
}

/// Returns when so many more revisions were seen, however slow the machine is.
async fn await_writes(chronicle: &Chronicle, count: usize) {
    let goal = chronicle.len() + count;
    let deadline = Instant::now() + LIMIT;
    while chronicle.len() < goal {
        assert!(Instant::now() < deadline, "the clients do not get on");
        // waits: for the clients' writes
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn join<T>(tasks: Vec<tokio::task::JoinHandle<T>>) -> Vec<T> {
    let mut all = Vec::new();
    for task in tasks {
        all.push(task.await.expect("a client found what it must not find"));
    }
    all
}

/// Reads everything back, and settles what clients could not know.
async fn verify(program: &Program, chronicle: &Chronicle, writers: &mut [Writer]) {
    let client = program.client().await;
    let found = content::read_all(&client).await;
    chronicle.take_list(&found);
    writers.iter_mut().for_each(|writer| writer.settle(&found));
}

fn report(chronicle: &Chronicle, writers: &[Writer], spectators: &[Spectator]) {
    let sum = |count: fn(&Writer) -> usize| writers.iter().map(count).sum::<usize>();
    let (answered, lost) = (sum(Writer::answered), sum(Writer::unanswered));
    let (kept, events) = (sum(Writer::kept), spectators.iter().map(Spectator::events));
    let (events, expired) = (events.sum::<usize>(), spectators.iter().map(Spectator::expired));
    let expired = expired.sum::<usize>();
    println!(
        "{CRASHES} crashes: {answered} writes answered, {lost} not ({kept} of them happened), \
         {} revisions seen, {events} events, {expired} watches expired",
        chronicle.len(),
    );
    assert!(answered > CRASHES * 10, "there was no load worth the name");
    assert!(lost > 0 && kept > 0, "no crash came within a write");
    assert!(expired > 0, "no watch was behind when it came back");
}

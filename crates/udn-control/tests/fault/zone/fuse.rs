//! Counts what a zone controller sends, and says what becomes of each thing.
//!
//! Transactions to either database and writes to the API server are counted together, in the order in
//! which they were sent, so that one number names each moment at which the controller can die.
//! Invariant: after the last thing that may be sent, nothing more is.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

/// What a controller sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sent {
    /// A transaction that changes rows, with the tables that it inserts into, updates or deletes from.
    Plan { database: String, tables: Vec<String> },
    /// The number that OVN is asked to confirm is raised.
    Question,
    /// A request to the API server that is no reading.
    Api,
}

/// What becomes of something that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    Pass,
    /// The connection breaks before it arrives.
    CutBefore,
    /// It arrives, and the connection breaks before the answer is read.
    CutAfter,
    /// It arrives, and the controller dies before the answer is read.
    Last,
    /// The controller is dead already.
    Dead,
}

/// What is to become of what is sent; whoever is not named passes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fates {
    /// By number, from 1.
    pub(crate) by_number: BTreeMap<u64, Turn>,
    /// By these dice, once in so many on average.
    pub(crate) dice: Option<(fastrand::Rng, u32)>,
    /// The next question.
    pub(crate) question: Option<Turn>,
}

/// The fuse of one controller.
#[derive(Debug)]
pub(crate) struct Fuse {
    book: Mutex<Book>,
    blown: watch::Sender<bool>,
}

#[derive(Debug)]
struct Book {
    fates: Fates,
    sent: Vec<Sent>,
    is_dead: bool,
}

impl Fuse {
    pub(crate) fn new(fates: Fates) -> Self {
        let book = Book { fates, sent: Vec::new(), is_dead: false };
        Self { book: Mutex::new(book), blown: watch::Sender::new(false) }
    }

    /// Something is sent.
    pub(crate) fn turn(&self, sent: Sent) -> Turn {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        if book.is_dead {
            return Turn::Dead;
        }
        let is_question = sent == Sent::Question;
        book.sent.push(sent);
        let number = u64::try_from(book.sent.len()).expect("few things are sent");
        let turn = match book.fates.question.take_if(|_| is_question) {
            Some(turn) => turn,
            None => book.fates.turn(number),
        };
        book.is_dead = turn == Turn::Last;
        turn
    }

    /// The next question meets this turn.
    pub(crate) fn meet_question(&self, turn: Turn) {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        book.fates.question = Some(turn);
    }

    /// The last thing has arrived.
    pub(crate) fn blow(&self) {
        self.blown.send_replace(true);
    }

    /// Ends when the controller is dead.
    pub(crate) async fn blown(&self) {
        let mut blown = self.blown.subscribe();
        blown.wait_for(|it| *it).await.expect("the fuse is still there");
    }

    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner).sent.clone()
    }

    pub(crate) fn count(&self) -> u64 {
        u64::try_from(self.sent().len()).expect("few things are sent")
    }

    /// The transactions that changed rows.
    pub(crate) fn plans(&self) -> usize {
        self.sent().iter().filter(|it| matches!(it, Sent::Plan { .. })).count()
    }
}

impl Fates {
    /// One thing that is sent meets this turn.
    pub(crate) fn at(number: u64, turn: Turn) -> Self {
        Self { by_number: [(number, turn)].into(), ..Self::default() }
    }

    /// What is left of them for the next controller, whose dice fall otherwise.
    pub(crate) fn next(&mut self) -> Self {
        let dice = self.dice.as_mut().map(|(dice, rarity)| (dice.fork(), *rarity));
        Self { dice, ..Self::default() }
    }

    fn turn(&mut self, number: u64) -> Turn {
        if let Some(turn) = self.by_number.get(&number) {
            return *turn;
        }
        let Some((dice, rarity)) = &mut self.dice else { return Turn::Pass };
        match dice.u32(..*rarity * 3) {
            0 => Turn::CutBefore,
            1 => Turn::CutAfter,
            2 => Turn::Last,
            _ => Turn::Pass,
        }
    }
}

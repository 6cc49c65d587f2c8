//! Shows people what set-up is doing: which part, its latest line, and for how long.
//!
//! Takes progress; prints. On a terminal one line is rewritten in place; elsewhere a line appears
//! now and then, so that a log shows life without drowning in it. A thread keeps the time
//! running while a program at work is silent.
//! Invariant: every part that begins and ends leaves its own line with its time.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use udn_lab::setup::{Part, Progress};

use crate::table::human;

/// Between two lines of one part in a log.
const LOG_PAUSE: Duration = Duration::from_secs(20);
/// Between two changes of the line on a terminal.
const TERMINAL_PAUSE: Duration = Duration::from_millis(250);
/// A rewritten line must not wrap, or it cannot be rewritten.
const WIDTH: usize = 78;

/// The display, and the thread that keeps its time running.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    face: Arc<Mutex<Face>>,
    stop: Option<Sender<()>>,
    ticker: Option<JoinHandle<()>>,
}

impl ProgressLine {
    pub(crate) fn new(is_terminal: bool) -> Self {
        let face = Arc::new(Mutex::new(Face { is_terminal, work: None }));
        let (stop, stopped) = channel();
        let ticking = Arc::clone(&face);
        let pause = if is_terminal { TERMINAL_PAUSE } else { LOG_PAUSE };
        let ticker = std::thread::spawn(move || {
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                change(&ticking, |face| face.tick(Instant::now()));
            }
        });
        Self { face, stop: Some(stop), ticker: Some(ticker) }
    }

    pub(crate) fn show(&self, progress: Progress<'_>) {
        change(&self.face, |face| face.take(progress, Instant::now()));
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.stop = None; // the ticker sees that nobody can stop it any more, and ends
        if let Some(ticker) = self.ticker.take() {
            let _ = ticker.join(); // a ticker that panicked has already said so
        }
        change(&self.face, Face::clear);
    }
}

/// Changes the face and prints what it then wants to show.
fn change(face: &Mutex<Face>, step: impl FnOnce(&mut Face) -> Option<String>) {
    let mut face = face.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = step(&mut face) {
        print!("{text}");
        let _ = std::io::stdout().flush(); // a display that is gone is no reason to stop
    }
}

/// What the display shows, without the printing.
#[derive(Debug)]
struct Face {
    is_terminal: bool,
    work: Option<Work>,
}

#[derive(Debug)]
struct Work {
    part: Part,
    begun: Instant,
    latest: String,
}

impl Face {
    fn take(&mut self, progress: Progress<'_>, now: Instant) -> Option<String> {
        match progress {
            Progress::Begun { part } => {
                self.work = Some(Work { part, begun: now, latest: "at work".to_owned() });
                Some(self.line(&format!("set-up: {part}: begins"), false))
            }
            Progress::Line { text, .. } => {
                let work = self.work.as_mut().filter(|_| !text.trim().is_empty())?;
                text.trim().clone_into(&mut work.latest);
                None
            }
            Progress::Done { part, took } => {
                self.work = None;
                Some(self.line(&format!("set-up: {part}: ready after {}", human(took)), true))
            }
        }
    }

    /// The line of the work that goes on.
    fn tick(&mut self, now: Instant) -> Option<String> {
        let Work { part, begun, latest } = self.work.as_ref()?;
        let text = format!("set-up: {part}: {}: {latest}", human(now - *begun));
        Some(self.line(&text, false))
    }

    /// Removes a line that no end will ever replace, because the work failed.
    fn clear(&mut self) -> Option<String> {
        self.work.take().filter(|_| self.is_terminal).map(|_| "\r\u{1b}[K".to_owned())
    }

    fn line(&self, text: &str, is_last: bool) -> String {
        let text: String = text.chars().take(WIDTH).collect();
        match (self.is_terminal, is_last) {
            (false, _) => format!("{text}\n"),
            (true, false) => format!("\r\u{1b}[K{text}"),
            (true, true) => format!("\r\u{1b}[K{text}\n"),
        }
    }
}

#[cfg(test)]
mod tests;

//! Which alternative the next tokens choose.
//!
//! Reads tokens as far as it takes; returns the alternative's number, or that there is none.
//! Invariant: at first a rule's callers are not looked at, as ANTLR does; only where alternatives
//! cannot be told apart that way, the real callers are.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::network::Way;
use super::{Trouble, Walk};
use crate::cel::syntax::lexer::TokenKind;

/// Prediction that takes longer than this takes the first alternative it has.
const MOST_TOKENS: usize = 400;
const MOST_THREADS: usize = 4000;

/// One way to read the tokens so far.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    state: usize,
    alternative: usize,
    /// Where called rules go on, the innermost last.
    returns: Vec<usize>,
    /// Whether it left the rule that the choice stands in.
    is_outside: bool,
    /// Whether it left through a caller that starts the rule anew, whatever its precedence.
    is_fresh: bool,
}

/// What was found out before and does not depend on what stands further behind.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Where alternatives start, by state and precedence.
    starts: BTreeMap<(usize, u32), Rc<Vec<Thread>>>,
    /// The alternative that one token decides.
    firsts: BTreeMap<(usize, u32, TokenKind), usize>,
}

impl Walk<'_> {
    /// Chooses at a state with several ways; the first is number 1.
    pub(super) fn predict(
        &mut self,
        state: usize,
        recursion: Option<usize>,
    ) -> Result<usize, Trouble> {
        let precedence = self.precedence();
        let key = (state, precedence, self.current());
        if let Some(known) = self.memory.firsts.get(&key) {
            return Ok(*known);
        }
        let start = match self.memory.starts.get(&(state, precedence)) {
            Some(start) => start.clone(),
            None => {
                let start = Rc::new(self.start(state, None, recursion.is_some()));
                self.memory.starts.insert((state, precedence), start.clone());
                start
            }
        };
        match self.simulate(Vec::clone(&start), false)? {
            Some((alternative, taken)) => {
                if taken == 1 {
                    self.memory.firsts.insert(key, alternative);
                }
                Ok(alternative)
            }
            None => {
                let callers = self.frames.iter().filter_map(|frame| frame.caller);
                let returns = callers.map(|it| self.grammar.network.after(it)).collect();
                let start = self.start(state, Some(returns), recursion.is_some());
                Ok(self.simulate(start, true)?.map_or(1, |(alternative, _)| alternative))
            }
        }
    }

    fn precedence(&self) -> u32 {
        self.frames.last().map_or(0, |frame| frame.precedence)
    }

    /// The threads before any token, with the real callers if they are given.
    fn start(&self, state: usize, callers: Option<Vec<usize>>, is_recursion: bool) -> Vec<Thread> {
        let is_full = callers.is_some();
        let returns = callers.unwrap_or_default();
        let mut threads = Vec::new();
        for (place, way) in self.grammar.network.states[state].ways.iter().enumerate() {
            let Way::Free(to) = way else { continue };
            let thread = Thread {
                state: *to,
                alternative: place + 1,
                returns: returns.clone(),
                is_outside: false,
                is_fresh: false,
            };
            self.close(thread, is_full, Some(returns.len()), &mut threads);
        }
        if is_recursion && !is_full { without_echoes(&threads) } else { threads }
    }

    /// Follows all alternatives at once; returns the one left and how many tokens it took, or
    /// none if callers are needed to tell.
    fn simulate(
        &self,
        start: Vec<Thread>,
        is_full: bool,
    ) -> Result<Option<(usize, usize)>, Trouble> {
        let mut threads = start;
        for ahead in 0..MOST_TOKENS {
            let kind = self.kind(self.next + ahead);
            let reached = self.reach(&threads, kind, is_full);
            if reached.is_empty() {
                // What comes of this depends on the threads alone, but says nothing of the token.
                return self.give_up(&threads, ahead).map(|alternative| Some((alternative, 0)));
            }
            if let Some(only) = unique(&reached) {
                return Ok(Some((only, ahead + 1)));
            }
            let subsets = subsets(&reached);
            if is_full {
                if let Some(alternative) = single_viable(&subsets) {
                    return Ok(Some((alternative, 0)));
                }
            } else if is_conflict(&reached, &subsets) {
                return Ok(None);
            }
            threads = reached;
            if threads.len() > MOST_THREADS || kind == TokenKind::End {
                break;
            }
        }
        Ok(threads.iter().map(|thread| (thread.alternative, 0)).min())
    }

    /// No thread goes on: one that had left the rule will do, else there is no alternative.
    fn give_up(&self, threads: &[Thread], ahead: usize) -> Result<usize, Trouble> {
        let is_done = |thread: &&Thread| {
            let at_end = self.grammar.network.states[thread.state].ends.is_some();
            thread.is_outside || at_end && thread.returns.is_empty()
        };
        let done = threads.iter().filter(is_done).map(|thread| thread.alternative).min();
        let offending = (self.next + ahead).min(self.tokens.len() - 1);
        done.ok_or(Trouble::NoAlternative { start: self.next, offending })
    }

    fn reach(&self, threads: &[Thread], kind: TokenKind, is_full: bool) -> Vec<Thread> {
        let mut reached = Vec::new();
        for thread in threads {
            for way in &self.grammar.network.states[thread.state].ways {
                if let Way::Take(set, to) = way
                    && set.contains(kind)
                {
                    let next = Thread { state: *to, ..thread.clone() };
                    self.close(next, is_full, None, &mut reached);
                }
            }
        }
        reached
    }

    /// Follows ways that take no token. Precedence counts only before the first token, in the
    /// rule of the choice itself, where `depth` returns are open.
    fn close(&self, thread: Thread, is_full: bool, depth: Option<usize>, found: &mut Vec<Thread>) {
        let mut open = vec![thread];
        let mut seen: Vec<Thread> = Vec::new();
        while let Some(thread) = open.pop() {
            if seen.contains(&thread) || seen.len() > MOST_THREADS {
                continue;
            }
            seen.push(thread.clone());
            let state = &self.grammar.network.states[thread.state];
            if let Some(rule) = state.ends {
                self.leave(&thread, rule, is_full, &mut open, found);
                continue;
            }
            let mut takes = false;
            for way in &state.ways {
                match way {
                    Way::Take(..) => takes = true,
                    Way::Free(to) => open.push(Thread { state: *to, ..thread.clone() }),
                    Way::Precedence(level, to) => {
                        let is_own = depth == Some(thread.returns.len()) && !thread.is_outside;
                        if !is_own || *level >= self.precedence() {
                            open.push(Thread { state: *to, ..thread.clone() });
                        }
                    }
                    Way::Call { rule, follow, .. } => {
                        let mut called = thread.clone();
                        called.returns.push(*follow);
                        called.state = self.grammar.network.starts[*rule];
                        open.push(called);
                    }
                }
            }
            if takes && !found.contains(&thread) {
                found.push(thread);
            }
        }
    }

    /// A rule ends: back to its caller, or to every place that calls it.
    fn leave(
        &self,
        thread: &Thread,
        rule: usize,
        is_full: bool,
        open: &mut Vec<Thread>,
        found: &mut Vec<Thread>,
    ) {
        let mut back = thread.clone();
        match back.returns.pop() {
            Some(state) => {
                back.state = state;
                open.push(back);
            }
            None if is_full => found.push(thread.clone()),
            None => {
                let follows = &self.grammar.network.follows[rule];
                if follows.is_empty() {
                    found.push(thread.clone());
                }
                for (follow, precedence) in follows {
                    let is_fresh = thread.is_fresh || *precedence == 0;
                    let state = *follow;
                    open.push(Thread { state, is_outside: true, is_fresh, ..thread.clone() });
                }
            }
        }
    }
}

/// Leaves out what a loop's end would read just as its next turn does.
/// (compat: ANTLR's applyPrecedenceFilter)
fn without_echoes(threads: &[Thread]) -> Vec<Thread> {
    let is_echo = |thread: &Thread| {
        let is_same = |other: &Thread| {
            other.alternative == 1 && other.state == thread.state && other.returns == thread.returns
        };
        thread.alternative != 1 && !thread.is_fresh && threads.iter().any(is_same)
    };
    threads.iter().filter(|thread| !is_echo(thread)).cloned().collect()
}

fn unique(threads: &[Thread]) -> Option<usize> {
    let first = threads.first()?.alternative;
    threads.iter().all(|thread| thread.alternative == first).then_some(first)
}

type Subsets<'a> = BTreeMap<(usize, &'a [usize]), Vec<usize>>;

/// Alternatives that stand at the same place with the same callers.
fn subsets(threads: &[Thread]) -> Subsets<'_> {
    let mut subsets: Subsets<'_> = BTreeMap::new();
    for thread in threads {
        let subset = subsets.entry((thread.state, thread.returns.as_slice())).or_default();
        if !subset.contains(&thread.alternative) {
            subset.push(thread.alternative);
        }
    }
    subsets
}

fn single_viable(subsets: &Subsets<'_>) -> Option<usize> {
    let mut firsts = subsets.values().filter_map(|subset| subset.iter().min().copied());
    let first = firsts.next()?;
    firsts.all(|other| other == first).then_some(first)
}

/// Whether no more tokens can tell alternatives apart without their callers.
fn is_conflict(threads: &[Thread], subsets: &Subsets<'_>) -> bool {
    let has_shared = subsets.values().any(|subset| subset.len() > 1);
    let mut by_state: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for thread in threads {
        let alternatives = by_state.entry(thread.state).or_default();
        if !alternatives.contains(&thread.alternative) {
            alternatives.push(thread.alternative);
        }
    }
    has_shared && by_state.values().all(|alternatives| alternatives.len() > 1)
}

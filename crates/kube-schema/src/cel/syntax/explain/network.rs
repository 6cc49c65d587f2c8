//! The network of states that the grammar's rules form.
//!
//! Reads nothing; the grammar builds it, prediction and recovery walk it.
//! Invariant: a state's ways lead to states that exist; every rule has one start and one end.

use super::tokens::TokenSet;

/// A way from one state to another.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    /// Without a token.
    Free(usize),
    /// With one of these tokens.
    Take(TokenSet, usize),
    /// Through a rule; then to the state behind it.
    Call { rule: usize, follow: usize, precedence: u32 },
    /// Where the rule that is being read binds no tighter than this.
    Precedence(u32, usize),
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub ways: Vec<Way>,
    is_loop_back: bool,
    /// The rule that ends here.
    pub ends: Option<usize>,
}

#[derive(Debug, Default)]
pub(super) struct Network {
    pub states: Vec<State>,
    /// Where rules start.
    pub starts: Vec<usize>,
    /// Where callers of a rule go on, and the precedence they call it with.
    pub follows: Vec<Vec<(usize, u32)>>,
    /// By state, what [`Network::next_tokens`] says.
    next: Vec<TokenSet>,
}

impl Network {
    pub(super) fn of_rules(count: usize) -> Self {
        Self { follows: vec![vec![]; count], ..Self::default() }
    }

    pub(super) fn add(&mut self) -> usize {
        self.states.push(State::default());
        self.states.len() - 1
    }

    pub(super) fn add_loop_back(&mut self) -> usize {
        let state = self.add();
        self.states[state].is_loop_back = true;
        state
    }

    pub(super) fn link(&mut self, from: usize, way: Way) {
        if let Way::Call { rule, follow, precedence } = way {
            self.follows[rule].push((follow, precedence));
        }
        self.states[from].ways.push(way);
    }

    pub(super) fn is_loop_back(&self, state: usize) -> bool {
        self.states[state].is_loop_back
    }

    /// The state behind a token or a call.
    pub(super) fn after(&self, state: usize) -> usize {
        match self.states[state].ways.first() {
            Some(Way::Take(_, to) | Way::Free(to) | Way::Precedence(_, to)) => *to,
            Some(Way::Call { follow, .. }) => *follow,
            None => state,
        }
    }

    /// Works out what may come next, once all states are there.
    pub(super) fn settle(&mut self) {
        let next = (0..self.states.len()).map(|state| {
            let mut found = TokenSet::EMPTY;
            self.look(state, &mut vec![], &mut vec![], &mut vec![], &mut found);
            found
        });
        self.next = next.collect();
    }

    /// Tokens that may come next; the mark is set if the state's rule may end before.
    pub(super) fn next_tokens(&self, state: usize) -> TokenSet {
        self.next[state]
    }

    fn look(
        &self,
        state: usize,
        returns: &mut Vec<usize>,
        calls: &mut Vec<usize>,
        seen: &mut Vec<(usize, Vec<usize>)>,
        found: &mut TokenSet,
    ) {
        let mark = (state, returns.clone());
        if seen.contains(&mark) {
            return;
        }
        seen.push(mark);
        if self.states[state].ends.is_some() {
            match returns.pop() {
                None => *found = found.union(TokenSet::EPSILON),
                Some(back) => {
                    let call = calls.pop();
                    self.look(back, returns, calls, seen, found);
                    calls.extend(call);
                    returns.push(back);
                }
            }
            return;
        }
        for way in &self.states[state].ways {
            match way {
                Way::Take(set, _) => *found = found.union(*set),
                Way::Free(to) | Way::Precedence(_, to) => {
                    self.look(*to, returns, calls, seen, found);
                }
                Way::Call { rule, follow, .. } if !calls.contains(rule) => {
                    returns.push(*follow);
                    calls.push(*rule);
                    self.look(self.starts[*rule], returns, calls, seen, found);
                    returns.pop();
                    calls.pop();
                }
                Way::Call { .. } => {}
            }
        }
    }

    /// Tokens that may come next where rules were called from these states, the last one first.
    pub(super) fn expected(
        &self,
        state: usize,
        callers: impl Iterator<Item = Option<usize>>,
    ) -> TokenSet {
        let mut following = self.next_tokens(state);
        let mut expected = following.without_epsilon();
        for caller in callers {
            if !following.has_epsilon() {
                return expected;
            }
            let Some(caller) = caller else { break };
            following = self.next_tokens(self.after(caller));
            expected = expected.union(following.without_epsilon());
        }
        if following.has_epsilon() {
            let end = crate::cel::syntax::lexer::TokenKind::End;
            expected = expected.union(TokenSet::of(&[end]));
        }
        expected
    }
}

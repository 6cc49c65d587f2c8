//! The grammar, as cel-go's parser reads it.
//!
//! Invariant: parts and states tell the same grammar; a part knows the state it stands for.

use std::sync::LazyLock;

use super::network::{Network, Way};
use super::tokens::TokenSet;
use crate::cel::syntax::lexer::TokenKind as T;

/// A part of a rule.
#[derive(Debug)]
pub(super) enum Part {
    Token {
        state: usize,
        set: TokenSet,
    },
    Rule {
        state: usize,
        rule: usize,
        precedence: u32,
    },
    Precedence,
    /// Read if the next token is one of `first`.
    Optional {
        state: usize,
        first: TokenSet,
        body: Vec<Part>,
    },
    Choice {
        state: usize,
        alternatives: Vec<Vec<Part>>,
    },
    /// Read any number of times; without `first` it takes more than one token to tell.
    Star {
        entry: usize,
        back: usize,
        first: Option<TokenSet>,
        /// The rule, if precedence decides how often.
        recursion: Option<usize>,
        body: Vec<Part>,
    },
    Plus {
        start: usize,
        back: usize,
        first: Option<TokenSet>,
        body: Vec<Part>,
    },
}

#[derive(Debug)]
pub(super) struct Rule {
    pub body: Vec<Part>,
    /// Whether it calls itself first, so that precedence decides.
    pub is_recursive: bool,
}

#[derive(Debug)]
pub(super) struct Grammar {
    pub network: Network,
    pub rules: Vec<Rule>,
}

// Rules by number.
const EXPR: usize = 1;
const OR: usize = 2;
const AND: usize = 3;
const RELATION: usize = 4;
const CALC: usize = 5;
const UNARY: usize = 6;
const MEMBER: usize = 7;
const PRIMARY: usize = 8;
const ARGUMENTS: usize = 9;
const ITEMS: usize = 10;
const FIELDS: usize = 11;
const FIELD: usize = 12;
const ENTRIES: usize = 13;
const NAME: usize = 14;
const ITEM: usize = 15;
const LITERAL: usize = 16;

/// What a rule is written as, before it has states.
enum Draft {
    Token(&'static [T]),
    Rule(usize, u32),
    Precedence(u32),
    Optional(Vec<Draft>),
    Choice(Vec<Vec<Draft>>),
    Star { body: Vec<Draft>, is_plain: bool },
    Plus { body: Vec<Draft>, is_plain: bool },
}

use Draft::{Choice, Optional, Plus, Precedence, Star, Token};

fn call(rule: usize) -> Draft {
    Draft::Rule(rule, 0)
}

/// More of the same behind commas or operators; `is_plain` if one token tells.
fn more(body: Vec<Draft>, is_plain: bool) -> Draft {
    Star { body, is_plain }
}

fn drafts() -> Vec<(Vec<Draft>, bool)> {
    const RELATIONS: &[T] =
        &[T::Equals, T::NotEquals, T::In, T::Less, T::LessEquals, T::GreaterEquals, T::Greater];
    let ternary = vec![Token(&[T::Question]), call(OR), Token(&[T::Colon]), call(EXPR)];
    let comparison = vec![Precedence(1), Token(RELATIONS), Draft::Rule(RELATION, 2)];
    let products =
        vec![Precedence(2), Token(&[T::Star, T::Slash, T::Percent]), Draft::Rule(CALC, 3)];
    let sums = vec![Precedence(1), Token(&[T::Minus, T::Plus]), Draft::Rule(CALC, 2)];
    let fields = || vec![call(FIELD), Token(&[T::Colon]), call(EXPR)];
    let entries = || vec![call(ITEM), Token(&[T::Colon]), call(EXPR)];
    let behind_comma = |mut parts: Vec<Draft>| {
        parts.insert(0, Token(&[T::Comma]));
        parts
    };
    vec![
        (vec![call(EXPR), Token(&[T::End])], false),
        (vec![call(OR), Optional(ternary)], false),
        (vec![call(AND), more(vec![Token(&[T::Or]), call(AND)], true)], false),
        (vec![call(RELATION), more(vec![Token(&[T::And]), call(RELATION)], true)], false),
        (vec![call(CALC), more(comparison, false)], true),
        (vec![call(UNARY), more(vec![Choice(vec![products, sums])], false)], true),
        (unary(), false),
        (vec![call(PRIMARY), more(vec![Choice(selections())], false)], true),
        (vec![Choice(primaries())], false),
        (vec![call(EXPR), more(behind_comma(vec![call(EXPR)]), true)], false),
        (vec![call(ITEM), more(behind_comma(vec![call(ITEM)]), false)], false),
        (
            [fields(), vec![more(behind_comma(fields()), false)]].into_iter().flatten().collect(),
            false,
        ),
        (vec![Optional(vec![Token(&[T::Question])]), call(NAME)], false),
        (
            [entries(), vec![more(behind_comma(entries()), false)]].into_iter().flatten().collect(),
            false,
        ),
        (
            vec![Choice(vec![vec![Token(&[T::Identifier])], vec![Token(&[T::EscapedIdentifier])]])],
            false,
        ),
        (vec![Optional(vec![Token(&[T::Question])]), call(EXPR)], false),
        (vec![Choice(literals())], false),
    ]
}

fn unary() -> Vec<Draft> {
    let marks = |kind: &'static [T], is_plain| Plus { body: vec![Token(kind)], is_plain };
    vec![Choice(vec![
        vec![call(MEMBER)],
        vec![marks(&[T::Exclaim], true), call(MEMBER)],
        vec![marks(&[T::Minus], false), call(MEMBER)],
    ])]
}

fn selections() -> Vec<Vec<Draft>> {
    vec![
        vec![Precedence(3), Token(&[T::Dot]), Optional(vec![Token(&[T::Question])]), call(NAME)],
        vec![
            Precedence(2),
            Token(&[T::Dot]),
            Token(&[T::Identifier]),
            Token(&[T::LeftParen]),
            Optional(vec![call(ARGUMENTS)]),
            Token(&[T::RightParen]),
        ],
        vec![
            Precedence(1),
            Token(&[T::LeftBracket]),
            Optional(vec![Token(&[T::Question])]),
            call(EXPR),
            Token(&[T::RightBracket]),
        ],
    ]
}

fn primaries() -> Vec<Vec<Draft>> {
    let dot = || Optional(vec![Token(&[T::Dot])]);
    let comma = || Optional(vec![Token(&[T::Comma])]);
    vec![
        vec![dot(), Token(&[T::Identifier])],
        vec![
            dot(),
            Token(&[T::Identifier]),
            Token(&[T::LeftParen]),
            Optional(vec![call(ARGUMENTS)]),
            Token(&[T::RightParen]),
        ],
        vec![Token(&[T::LeftParen]), call(EXPR), Token(&[T::RightParen])],
        vec![
            Token(&[T::LeftBracket]),
            Optional(vec![call(ITEMS)]),
            comma(),
            Token(&[T::RightBracket]),
        ],
        vec![
            Token(&[T::LeftBrace]),
            Optional(vec![call(ENTRIES)]),
            comma(),
            Token(&[T::RightBrace]),
        ],
        vec![
            dot(),
            Token(&[T::Identifier]),
            more(vec![Token(&[T::Dot]), Token(&[T::Identifier])], true),
            Token(&[T::LeftBrace]),
            Optional(vec![call(FIELDS)]),
            comma(),
            Token(&[T::RightBrace]),
        ],
        vec![call(LITERAL)],
    ]
}

fn literals() -> Vec<Vec<Draft>> {
    let minus = || Optional(vec![Token(&[T::Minus])]);
    vec![
        vec![minus(), Token(&[T::Int])],
        vec![Token(&[T::Uint])],
        vec![minus(), Token(&[T::Float])],
        vec![Token(&[T::String])],
        vec![Token(&[T::Bytes])],
        vec![Token(&[T::True])],
        vec![Token(&[T::False])],
        vec![Token(&[T::Null])],
    ]
}

pub(super) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let drafts = drafts();
    let mut network = Network::of_rules(drafts.len());
    let ends: Vec<usize> = drafts
        .iter()
        .enumerate()
        .map(|(rule, _)| {
            let start = network.add();
            network.starts.push(start);
            let end = network.add();
            network.states[end].ends = Some(rule);
            end
        })
        .collect();
    let mut rules = Vec::with_capacity(drafts.len());
    for (rule, (draft, is_recursive)) in drafts.into_iter().enumerate() {
        let mut place = network.starts[rule];
        let body = build(&mut network, draft, &mut place);
        network.link(place, Way::Free(ends[rule]));
        rules.push(Rule { body, is_recursive });
    }
    network.settle();
    settle_firsts(&network, &mut rules);
    Grammar { network, rules }
});

/// Builds parts one behind the other; `place` moves on to where they end.
fn build(network: &mut Network, drafts: Vec<Draft>, place: &mut usize) -> Vec<Part> {
    let parts = drafts.into_iter().map(|draft| {
        let end = network.add();
        build_one(network, draft, place, end)
    });
    parts.collect()
}

fn build_one(network: &mut Network, draft: Draft, place: &mut usize, end: usize) -> Part {
    let state = network.add();
    network.link(*place, Way::Free(state));
    *place = end;
    match draft {
        Token(kinds) => {
            let set = TokenSet::of(kinds);
            network.link(state, Way::Take(set, *place));
            Part::Token { state, set }
        }
        Draft::Rule(rule, precedence) => {
            network.link(state, Way::Call { rule, follow: *place, precedence });
            Part::Rule { state, rule, precedence }
        }
        Precedence(level) => {
            network.link(state, Way::Precedence(level, *place));
            Part::Precedence
        }
        Optional(body) => {
            let body = branch(network, state, body, *place);
            network.link(state, Way::Free(*place));
            Part::Optional { state, first: TokenSet::EMPTY, body }
        }
        Choice(alternatives) => {
            let alternatives = alternatives
                .into_iter()
                .map(|alternative| branch(network, state, alternative, *place))
                .collect();
            Part::Choice { state, alternatives }
        }
        Star { body, is_plain } => {
            let back = network.add_loop_back();
            let body = branch(network, state, body, back);
            network.link(back, Way::Free(state));
            network.link(state, Way::Free(*place));
            let first = is_plain.then_some(TokenSet::EMPTY);
            Part::Star { entry: state, back, first, recursion: None, body }
        }
        Plus { body, is_plain } => {
            let back = network.add_loop_back();
            let body = branch(network, state, body, back);
            network.link(back, Way::Free(state));
            network.link(back, Way::Free(*place));
            let first = is_plain.then_some(TokenSet::EMPTY);
            Part::Plus { start: state, back, first, body }
        }
    }
}

fn branch(network: &mut Network, from: usize, drafts: Vec<Draft>, to: usize) -> Vec<Part> {
    let mut place = network.add();
    network.link(from, Way::Free(place));
    let mut drafts = drafts;
    let last = drafts.pop();
    let mut parts = build(network, drafts, &mut place);
    match last {
        // Branches that end with a token or a rule end at one state, so that they can be told to
        // be the same.
        Some(last @ (Token(_) | Draft::Rule(..))) => {
            parts.push(build_one(network, last, &mut place, to));
        }
        last => {
            parts.extend(build(network, last.into_iter().collect(), &mut place));
            network.link(place, Way::Free(to));
        }
    }
    parts
}

/// Fills in by which tokens optional parts start, now that all rules are there.
fn settle_firsts(network: &Network, rules: &mut [Rule]) {
    for (number, rule) in rules.iter_mut().enumerate() {
        settle(network, &mut rule.body);
        let last = rule.body.last_mut();
        if let (true, Some(Part::Star { recursion, .. })) = (rule.is_recursive, last) {
            *recursion = Some(number);
        }
    }
}

fn settle(network: &Network, parts: &mut [Part]) {
    for part in parts {
        match part {
            Part::Token { .. } | Part::Rule { .. } | Part::Precedence => {}
            Part::Optional { first, body, .. } => {
                *first = first_of(network, body);
                settle(network, body);
            }
            Part::Choice { alternatives, .. } => {
                for alternative in alternatives {
                    settle(network, alternative);
                }
            }
            Part::Star { first, body, .. } | Part::Plus { first, body, .. } => {
                if first.is_some() {
                    *first = Some(first_of(network, body));
                }
                settle(network, body);
            }
        }
    }
}

fn first_of(network: &Network, body: &[Part]) -> TokenSet {
    match body.first() {
        Some(Part::Token { state, .. } | Part::Rule { state, .. }) => {
            network.next_tokens(*state).without_epsilon()
        }
        _ => TokenSet::EMPTY,
    }
}

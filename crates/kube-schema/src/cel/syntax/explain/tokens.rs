//! Sets of kinds of tokens.
//!
//! Invariant: a set may hold, beside kinds, the mark that a rule can end where it was asked for.

use crate::cel::syntax::lexer::TokenKind;

const EPSILON: u64 = 1 << 63;

/// Kinds of tokens, in the order of the grammar.
const KINDS: [TokenKind; 36] = [
    TokenKind::End,
    TokenKind::Equals,
    TokenKind::NotEquals,
    TokenKind::In,
    TokenKind::Less,
    TokenKind::LessEquals,
    TokenKind::GreaterEquals,
    TokenKind::Greater,
    TokenKind::And,
    TokenKind::Or,
    TokenKind::LeftBracket,
    TokenKind::RightBracket,
    TokenKind::LeftBrace,
    TokenKind::RightBrace,
    TokenKind::LeftParen,
    TokenKind::RightParen,
    TokenKind::Dot,
    TokenKind::Comma,
    TokenKind::Minus,
    TokenKind::Exclaim,
    TokenKind::Question,
    TokenKind::Colon,
    TokenKind::Plus,
    TokenKind::Star,
    TokenKind::Slash,
    TokenKind::Percent,
    TokenKind::True,
    TokenKind::False,
    TokenKind::Null,
    TokenKind::Float,
    TokenKind::Int,
    TokenKind::Uint,
    TokenKind::String,
    TokenKind::Bytes,
    TokenKind::Identifier,
    TokenKind::EscapedIdentifier,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TokenSet(u64);

impl TokenSet {
    pub(super) const EMPTY: Self = Self(0);
    pub(super) const EPSILON: Self = Self(EPSILON);

    pub(super) fn of(kinds: &[TokenKind]) -> Self {
        Self(kinds.iter().fold(0, |bits, kind| bits | 1 << (*kind as u64)))
    }

    pub(super) fn contains(self, kind: TokenKind) -> bool {
        self.0 & 1 << (kind as u64) != 0
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has_epsilon(self) -> bool {
        self.0 & EPSILON != 0
    }

    pub(super) fn without_epsilon(self) -> Self {
        Self(self.0 & !EPSILON)
    }

    /// One kind by its name, several in braces.
    pub(super) fn display(self) -> String {
        let names: Vec<&str> =
            KINDS.iter().filter(|kind| self.contains(**kind)).map(|kind| kind.display()).collect();
        match names[..] {
            [name] => name.to_owned(),
            _ => format!("{{{}}}", names.join(", ")),
        }
    }
}

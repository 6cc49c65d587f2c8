//! From characters to tokens.
//!
//! Reads a [`Source`]; returns tokens without white space and comments, and complaints about
//! characters that belong to none.
//! Invariant: tokens do not overlap, stand in the order of the text, and end with one `End`.

use crate::cel::source::{Issues, Source};

/// Kinds of tokens, in the order in which cel-go's grammar names them in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TokenKind {
    End,
    Equals,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    And,
    Or,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    Dot,
    Comma,
    Minus,
    Exclaim,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    String,
    Bytes,
    Identifier,
    EscapedIdentifier,
}

impl TokenKind {
    /// The kind as messages write it.
    pub(super) fn display(self) -> &'static str {
        match self {
            Self::End => "<EOF>",
            Self::Equals => "'=='",
            Self::NotEquals => "'!='",
            Self::In => "'in'",
            Self::Less => "'<'",
            Self::LessEquals => "'<='",
            Self::GreaterEquals => "'>='",
            Self::Greater => "'>'",
            Self::And => "'&&'",
            Self::Or => "'||'",
            Self::LeftBracket => "'['",
            Self::RightBracket => "']'",
            Self::LeftBrace => "'{'",
            Self::RightBrace => "'}'",
            Self::LeftParen => "'('",
            Self::RightParen => "')'",
            Self::Dot => "'.'",
            Self::Comma => "','",
            Self::Minus => "'-'",
            Self::Exclaim => "'!'",
            Self::Question => "'?'",
            Self::Colon => "':'",
            Self::Plus => "'+'",
            Self::Star => "'*'",
            Self::Slash => "'/'",
            Self::Percent => "'%'",
            Self::True => "'true'",
            Self::False => "'false'",
            Self::Null => "'null'",
            Self::Float => "NUM_FLOAT",
            Self::Int => "NUM_INT",
            Self::Uint => "NUM_UINT",
            Self::String => "STRING",
            Self::Bytes => "BYTES",
            Self::Identifier => "IDENTIFIER",
            Self::EscapedIdentifier => "ESC_IDENTIFIER",
        }
    }
}

/// Longer marks first, so that the longest is found first.
const MARKS: [(&str, TokenKind); 24] = [
    ("==", TokenKind::Equals),
    ("!=", TokenKind::NotEquals),
    ("<=", TokenKind::LessEquals),
    (">=", TokenKind::GreaterEquals),
    ("&&", TokenKind::And),
    ("||", TokenKind::Or),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    ("[", TokenKind::LeftBracket),
    ("]", TokenKind::RightBracket),
    ("{", TokenKind::LeftBrace),
    ("}", TokenKind::RightBrace),
    ("(", TokenKind::LeftParen),
    (")", TokenKind::RightParen),
    (".", TokenKind::Dot),
    (",", TokenKind::Comma),
    ("-", TokenKind::Minus),
    ("!", TokenKind::Exclaim),
    ("?", TokenKind::Question),
    (":", TokenKind::Colon),
    ("+", TokenKind::Plus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
    ("%", TokenKind::Percent),
];

/// A piece of the text: characters from `start` to before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// What one way to read a token found: where it ends, and the first character that did not fit.
struct Reading {
    kind: TokenKind,
    end: Option<usize>,
    stuck: usize,
}

/// What a text was split into.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub list: Vec<Token>,
    /// Characters that belong to no token: from, and to before.
    pub junk: Vec<(usize, usize)>,
}

/// Splits the text; complaints are about characters that no token starts with or goes on with.
pub(super) fn tokens(source: &Source, issues: &mut Issues) -> Tokens {
    let text = source.characters();
    let mut tokens = Tokens::default();
    let mut place = 0;
    while place < text.len() {
        if let Some(end) = skipped(text, place) {
            place = end;
            continue;
        }
        let readings = readings(text, place);
        let best = readings.iter().filter_map(|it| Some((it.end?, it.kind)));
        // Of readings of equal length, the first of the grammar counts.
        match best.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1))) {
            Some((end, kind)) => {
                tokens.list.push(Token { kind, start: place, end });
                place = end;
            }
            None => {
                let stuck = readings.iter().map(|it| it.stuck).max().unwrap_or(place);
                let end = (stuck + 1).min(text.len());
                let problem = "Syntax error: token recognition error at";
                issues.report(place, format!("{problem}: '{}'", source.text(place, end)));
                tokens.junk.push((place, end));
                place = end;
            }
        }
    }
    tokens.list.push(Token { kind: TokenKind::End, start: text.len(), end: text.len() });
    tokens
}

/// A text as messages show it.
pub(super) fn shown(text: &str) -> String {
    text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn skipped(text: &[char], place: usize) -> Option<usize> {
    let is_blank = |it: &char| matches!(it, '\t' | ' ' | '\r' | '\n' | '\u{c}');
    if text[place..].starts_with(&['/', '/']) {
        return Some(run(text, place, |it| *it != '\n'));
    }
    let end = run(text, place, is_blank);
    (end > place).then_some(end)
}

fn run(text: &[char], place: usize, fits: impl Fn(&char) -> bool) -> usize {
    place + text[place..].iter().take_while(|it| fits(it)).count()
}

fn readings(text: &[char], place: usize) -> Vec<Reading> {
    let mut readings = vec![mark(text, place)];
    match text[place] {
        'a'..='z' | 'A'..='Z' | '_' => readings.push(word(text, place)),
        '0'..='9' | '.' => readings.extend(numbers(text, place)),
        '`' => readings.push(escaped_word(text, place)),
        _ => {}
    }
    readings.extend(strings(text, place));
    readings
}

fn mark(text: &[char], place: usize) -> Reading {
    let rest = &text[place..];
    let fits = |mark: &str| mark.chars().eq(rest.iter().take(mark.len()).copied());
    let found = MARKS.iter().find(|(mark, _)| fits(mark));
    let is_half = matches!(rest[0], '&' | '|' | '=');
    Reading {
        kind: found.map_or(TokenKind::End, |(_, kind)| *kind),
        end: found.map(|(mark, _)| place + mark.len()),
        stuck: if is_half { place + 1 } else { place },
    }
}

fn word(text: &[char], place: usize) -> Reading {
    let end = run(text, place, |it| it.is_ascii_alphanumeric() || *it == '_');
    let kind = match text[place..end].iter().collect::<String>().as_str() {
        "in" => TokenKind::In,
        "true" => TokenKind::True,
        "false" => TokenKind::False,
        "null" => TokenKind::Null,
        _ => TokenKind::Identifier,
    };
    Reading { kind, end: Some(end), stuck: end }
}

fn escaped_word(text: &[char], place: usize) -> Reading {
    let fits = |it: &char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | '-' | '/' | ' ');
    let end = run(text, place + 1, fits);
    let is_closed = end > place + 1 && text.get(end) == Some(&'`');
    Reading { kind: TokenKind::EscapedIdentifier, end: is_closed.then_some(end + 1), stuck: end }
}

fn numbers(text: &[char], place: usize) -> [Reading; 3] {
    let digits = |from: usize| run(text, from, char::is_ascii_digit);
    let whole = digits(place);
    let hex = text[place..]
        .starts_with(&['0', 'x'])
        .then(|| run(text, place + 2, char::is_ascii_hexdigit));
    let int = hex.filter(|end| *end > place + 2).or((whole > place).then_some(whole));
    let uint = int.filter(|end| matches!(text.get(*end), Some('u' | 'U'))).map(|end| end + 1);
    let mut float = None;
    let mut end = whole;
    if text.get(whole) == Some(&'.') && digits(whole + 1) > whole + 1 {
        end = digits(whole + 1);
        float = Some(end);
    }
    if let Some('e' | 'E') = text.get(end).filter(|_| end > place) {
        let sign = usize::from(matches!(text.get(end + 1), Some('+' | '-')));
        let exponent = digits(end + 1 + sign);
        float = (exponent > end + 1 + sign).then_some(exponent).or(float);
    }
    let reading = |kind, end| Reading { kind, end, stuck: place };
    [reading(TokenKind::Int, int), reading(TokenKind::Uint, uint), reading(TokenKind::Float, float)]
}

fn strings(text: &[char], place: usize) -> Vec<Reading> {
    let mut start = place;
    let is_bytes = matches!(text[place], 'b' | 'B');
    start += usize::from(is_bytes);
    let is_raw = matches!(text.get(start), Some('r' | 'R'));
    start += usize::from(is_raw);
    let Some(quote @ ('"' | '\'')) = text.get(start).copied() else { return Vec::new() };
    let kind = if is_bytes { TokenKind::Bytes } else { TokenKind::String };
    let mut readings = vec![quoted(text, start + 1, &[quote], is_raw)];
    if text[start..].starts_with(&[quote; 3]) {
        readings.push(quoted(text, start + 3, &[quote; 3], is_raw));
    }
    readings.into_iter().map(|(end, stuck)| Reading { kind, end, stuck }).collect()
}

/// Reads up to the closing quotes; a single quote does not span lines.
fn quoted(text: &[char], start: usize, quotes: &[char], is_raw: bool) -> (Option<usize>, usize) {
    let mut place = start;
    while let Some(symbol) = text.get(place) {
        if text[place..].starts_with(quotes) {
            return (Some(place + quotes.len()), place);
        }
        match symbol {
            '\n' | '\r' if quotes.len() == 1 => return (None, place),
            '\\' if !is_raw => match escape(text, place) {
                Ok(end) => place = end,
                Err(stuck) => return (None, stuck),
            },
            _ => place += 1,
        }
    }
    (None, place)
}

/// Reads `\n`, `\x41` and their like; fails with the character that does not fit.
fn escape(text: &[char], place: usize) -> Result<usize, usize> {
    let Some(letter) = text.get(place + 1) else { return Err(place + 1) };
    let (count, fits): (usize, fn(&char) -> bool) = match letter {
        'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`' => {
            return Ok(place + 2);
        }
        '0'..='3' => (2, |it| matches!(it, '0'..='7')),
        'x' | 'X' => (2, char::is_ascii_hexdigit),
        'u' => (4, char::is_ascii_hexdigit),
        'U' => (8, char::is_ascii_hexdigit),
        _ => return Err(place + 1),
    };
    let digits = run(text, place + 2, fits) - (place + 2);
    if digits >= count { Ok(place + 2 + count) } else { Err(place + 2 + digits) }
}

//! From Go's syntax of regular expressions to Rust's.
//!
//! Reads a pattern; returns one with the same meaning, or what Go says is wrong with it.
//! Invariant: what comes out uses only what both sides read alike; `\d`, `\w`, `\s` and `\b` mean
//! ASCII.

use std::fmt;

use super::class;

/// How often a part may be repeated by count. (compat: Go's regexp/syntax)
const MOST_REPEATS: i64 = 1000;

/// What is wrong with a pattern, and the part it is wrong with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub message: &'static str,
    pub part: String,
}

impl Problem {
    pub(super) fn new(message: &'static str, part: &str) -> Self {
        Self { message, part: part.to_owned() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error parsing regexp: {}: `{}`", self.message, self.part)
    }
}

struct Translator<'a> {
    pattern: &'a str,
    rest: &'a str,
    out: String,
    /// Open groups.
    depth: usize,
    /// Whether something stands before that a repetition can repeat.
    has_operand: bool,
    /// The rest of the pattern from the repetition that was just read.
    repeated: Option<&'a str>,
    names: Vec<&'a str>,
}

pub(super) fn translated(pattern: &str) -> Result<String, Problem> {
    let mut translator = Translator {
        pattern,
        rest: pattern,
        out: String::with_capacity(pattern.len() * 2),
        depth: 0,
        has_operand: false,
        repeated: None,
        names: Vec::new(),
    };
    while let Some(symbol) = translator.rest.chars().next() {
        translator.step(symbol)?;
    }
    if translator.depth > 0 {
        return Err(Problem::new("missing closing )", pattern));
    }
    Ok(translator.out)
}

impl<'a> Translator<'a> {
    fn step(&mut self, symbol: char) -> Result<(), Problem> {
        let repeated = self.repeated.take();
        match symbol {
            '(' => self.group()?,
            '|' => {
                self.take(1);
                self.out.push('|');
                self.has_operand = false;
            }
            ')' => {
                if self.depth == 0 {
                    return Err(Problem::new("unexpected )", self.pattern));
                }
                self.depth -= 1;
                self.take(1);
                self.operand(")");
            }
            '*' | '+' | '?' => {
                let before = self.take(1);
                let mark = &before[..1];
                self.repeat(before, mark, repeated)?;
            }
            '{' => match counts(self.rest) {
                Some((least, most, length)) => self.counted(least, most, length, repeated)?,
                None => {
                    self.take(1);
                    self.operand("\\{");
                }
            },
            '^' | '$' | '.' => {
                let text = self.take(1);
                self.operand(&text[..1]);
            }
            '[' => {
                let (text, rest) = class::bracketed(self.rest)?;
                self.rest = rest;
                self.operand(&text);
            }
            '\\' => self.escape()?,
            symbol => {
                self.take(symbol.len_utf8());
                self.operand(&regex::escape(symbol.encode_utf8(&mut [0; 4])));
            }
        }
        Ok(())
    }

    /// Moves on by so many bytes; returns the text from before.
    fn take(&mut self, bytes: usize) -> &'a str {
        let before = self.rest;
        self.rest = &self.rest[bytes..];
        before
    }

    fn operand(&mut self, text: &str) {
        self.out.push_str(text);
        self.has_operand = true;
    }

    fn repeat(
        &mut self,
        before: &'a str,
        mark: &str,
        repeated: Option<&'a str>,
    ) -> Result<(), Problem> {
        let is_lazy = self.rest.starts_with('?');
        if is_lazy {
            self.take(1);
        }
        let upto = |text: &'a str, rest: &str| &text[..text.len() - rest.len()];
        if let Some(earlier) = repeated {
            let part = upto(earlier, self.rest);
            return Err(Problem::new("invalid nested repetition operator", part));
        }
        if !self.has_operand {
            let part = upto(before, self.rest);
            return Err(Problem::new("missing argument to repetition operator", part));
        }
        self.out.push_str(mark);
        if is_lazy {
            self.out.push('?');
        }
        self.repeated = Some(before);
        Ok(())
    }

    fn counted(
        &mut self,
        least: i64,
        most: Option<i64>,
        length: usize,
        repeated: Option<&'a str>,
    ) -> Result<(), Problem> {
        let before = self.take(length);
        let highest = most.unwrap_or(-1);
        let is_wrong = least > MOST_REPEATS
            || highest > MOST_REPEATS
            || most.is_some_and(|most| most >= 0 && least > most);
        if is_wrong {
            return Err(Problem::new("invalid repeat count", &before[..length]));
        }
        let mark = match most {
            Some(most) if most == least => format!("{{{least}}}"),
            Some(most) => format!("{{{least},{most}}}"),
            None => format!("{{{least},}}"),
        };
        self.repeat(before, &mark, repeated)
    }

    fn group(&mut self) -> Result<(), Problem> {
        let text = self.rest;
        let open = if text.starts_with("(?") { self.special_group()? } else { "(" };
        if open == "(" {
            self.take(1);
        }
        self.out.push_str(open);
        // A group that only sets flags opens nothing, and leaves what stands before it.
        if !open.ends_with(')') {
            self.depth += 1;
            self.has_operand = false;
        }
        Ok(())
    }

    /// `(?P<name>`, `(?i)` and their like.
    fn special_group(&mut self) -> Result<&'a str, Problem> {
        let text = self.rest;
        let name_start = match text {
            _ if text.starts_with("(?P<") && text.len() > 4 => 4,
            _ if text.starts_with("(?<") && text.len() > 3 => 3,
            _ => return self.flags(),
        };
        let Some(end) = text.find('>') else {
            return Err(Problem::new("invalid named capture", text));
        };
        let name = text.get(name_start..end).unwrap_or_default();
        let is_word = name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
        if name.is_empty() || !is_word || self.names.contains(&name) {
            return Err(Problem::new("invalid named capture", &text[..=end]));
        }
        self.names.push(name);
        self.take(end + 1);
        // Names are never asked for.
        Ok("(?:")
    }

    fn flags(&mut self) -> Result<&'a str, Problem> {
        let text = self.rest;
        let (mut is_negative, mut has_flag) = (false, false);
        for (place, symbol) in text.char_indices().skip(2) {
            let end = place + symbol.len_utf8();
            match symbol {
                'i' | 'm' | 's' | 'U' => has_flag = true,
                '-' if !is_negative => (is_negative, has_flag) = (true, false),
                ':' | ')' if !is_negative || has_flag => {
                    self.take(end);
                    // Go reads `(?)` as nothing.
                    return Ok(if &text[..end] == "(?)" { "(?:)" } else { &text[..end] });
                }
                _ => {
                    let part = &text[..end];
                    return Err(Problem::new("invalid or unsupported Perl syntax", part));
                }
            }
        }
        Err(Problem::new("missing argument to repetition operator", "?"))
    }

    fn escape(&mut self) -> Result<(), Problem> {
        let text = self.rest;
        match text.as_bytes().get(1) {
            Some(b'A') => {
                self.take(2);
                self.operand("\\A");
            }
            Some(b'z') => {
                self.take(2);
                self.operand("\\z");
            }
            Some(b'b') => {
                self.take(2);
                self.operand("(?-u:\\b)");
            }
            Some(b'B') => {
                self.take(2);
                self.operand("(?-u:\\B)");
            }
            Some(b'C') => return Err(Problem::new("invalid escape sequence", "\\C")),
            Some(b'Q') => {
                let after = &text[2..];
                let (literal, rest) = after.split_once("\\E").unwrap_or((after, ""));
                self.rest = rest;
                for symbol in literal.chars() {
                    self.operand(&regex::escape(symbol.encode_utf8(&mut [0; 4])));
                }
            }
            _ => {
                let (translated, rest) = match class::perl_or_unicode(text)? {
                    Some((class, rest)) => (format!("[{class}]"), rest),
                    None => {
                        let (symbol, rest) = class::escaped(text)?;
                        (regex::escape(symbol.encode_utf8(&mut [0; 4])), rest)
                    }
                };
                self.rest = rest;
                self.operand(&translated);
            }
        }
        Ok(())
    }
}

/// Reads `{n}`, `{n,}` or `{n,m}`; numbers too large to count are a count too large.
fn counts(text: &str) -> Option<(i64, Option<i64>, usize)> {
    let inner = text.strip_prefix('{')?;
    let (inner, _) = inner.split_once('}')?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        let has_zero = text.len() > 1 && text.starts_with('0');
        (is_number && !has_zero).then(|| text.parse().unwrap_or(MOST_REPEATS + 1))
    };
    let length = inner.len() + 2;
    match inner.split_once(',') {
        None => number(inner).map(|count| (count, Some(count), length)),
        Some((least, "")) => number(least).map(|least| (least, None, length)),
        Some((least, most)) => Some((number(least)?, Some(number(most)?), length)),
    }
}

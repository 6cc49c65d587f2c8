//! The `format` function of strings.
//!
//! Reads a text with clauses such as `%d` and a list of values; returns the text filled in.
//! Invariant: output grows no faster than the fuel that pays for it.

mod number;

use crate::cel::error::Error;
use crate::cel::fuel::Fuel;
use crate::cel::value::{Key, List, Map, Value};
use crate::go_text::quoted;

/// How many digits follow the point where no precision is given.
const DEFAULT_PRECISION: usize = 6;

/// No number is written longer than this.
const LONGEST_NUMBER: usize = 1000;

/// A clause: what to write a value as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cel) enum Clause {
    String,
    Decimal,
    Fixed(Option<usize>),
    Scientific(Option<usize>),
    Binary,
    Hex { is_upper: bool },
    Octal,
}

/// A piece of a format: text as it is, or a clause for the next value.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cel) enum Piece<'a> {
    Text(&'a str),
    Clause(Clause),
}

/// Reads the next piece of a format; returns it and the rest.
pub(in crate::cel) fn piece(format: &str) -> Result<(Piece<'_>, &str), String> {
    let Some(after) = format.strip_prefix('%') else {
        let end = format.find('%').unwrap_or(format.len());
        return Ok((Piece::Text(&format[..end]), &format[end..]));
    };
    if let Some(rest) = after.strip_prefix('%') {
        return Ok((Piece::Text("%"), rest));
    }
    if after.is_empty() {
        return Err("unexpected end of string".to_owned());
    }
    let (clause, rest) =
        clause(after).map_err(|problem| format!("could not parse formatting clause: {problem}"))?;
    Ok((Piece::Clause(clause), rest))
}

fn clause(text: &str) -> Result<(Clause, &str), String> {
    let (precision, text) =
        precision(text).map_err(|problem| format!("error while parsing precision: {problem}"))?;
    let letter = text.as_bytes().first().copied().unwrap_or_default();
    let clause = match letter {
        b's' => Clause::String,
        b'd' => Clause::Decimal,
        b'f' => Clause::Fixed(precision),
        b'e' => Clause::Scientific(precision),
        b'b' => Clause::Binary,
        b'x' => Clause::Hex { is_upper: false },
        b'X' => Clause::Hex { is_upper: true },
        b'o' => Clause::Octal,
        other => {
            let letter = char::from(other);
            return Err(format!("unrecognized formatting clause \"{letter}\""));
        }
    };
    Ok((clause, &text[1..]))
}

fn precision(text: &str) -> Result<(Option<usize>, &str), String> {
    let Some(after) = text.strip_prefix('.') else { return Ok((None, text)) };
    let length = after.bytes().take_while(u8::is_ascii_digit).count();
    if length == after.len() {
        return Err("could not find end of precision specifier".to_owned());
    }
    let (digits, rest) = after.split_at(length);
    let wrong = |problem: &str| {
        let parsing = format!("strconv.Atoi: parsing {}: {problem}", quoted(digits));
        format!("error while converting precision to integer: {parsing}")
    };
    if digits.is_empty() {
        return Err(wrong("invalid syntax"));
    }
    let precision: usize = digits.parse().map_err(|_| wrong("value out of range"))?;
    Ok((Some(precision), rest))
}

/// Fills a format in.
pub(super) fn formatted(format: &str, args: &[Value], fuel: &Fuel) -> Result<String, Error> {
    let mut out = String::new();
    let mut rest = format;
    let mut next = 0;
    while !rest.is_empty() {
        let starts_clause = rest.starts_with('%') && !rest.starts_with("%%");
        if starts_clause && next >= args.len() {
            return Err(Error::new(format!("index {next} out of range")));
        }
        let (piece, after) = piece(rest).map_err(Error::new)?;
        rest = after;
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Clause(clause) => {
                let mut writer = Writer { out: &mut out, fuel };
                writer.clause(clause, &args[next]).map_err(|problem| match problem {
                    Problem::Error(error) => error,
                    Problem::Text(text) => Error::new(format!("error during formatting: {text}")),
                })?;
                next += 1;
            }
        }
    }
    Ok(out)
}

/// What is wrong with the type of a value that a clause is given.
pub(in crate::cel) fn misfit(clause: Clause, type_name: &str) -> String {
    let what = match clause {
        Clause::String => {
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, \
             types, durations, and timestamps"
        }
        Clause::Decimal => "decimal clause can only be used on integers",
        Clause::Fixed(_) => "fixed-point clause can only be used on doubles",
        Clause::Scientific(_) => "scientific clause can only be used on doubles",
        Clause::Binary => "only integers and bools can be formatted as binary",
        Clause::Hex { .. } => "only integers, byte buffers, and strings can be formatted as hex",
        Clause::Octal => "octal clause can only be used on integers",
    };
    format!("{what}, was given {type_name}")
}

enum Problem {
    Error(Error),
    Text(String),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

struct Writer<'a> {
    out: &'a mut String,
    fuel: &'a Fuel,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) -> Result<(), Problem> {
        self.fuel.burn(text.len() / 16)?;
        self.out.push_str(text);
        Ok(())
    }

    fn clause(&mut self, clause: Clause, value: &Value) -> Result<(), Problem> {
        let text = match (clause, value) {
            (Clause::String, value) => return self.string(value),
            (Clause::Decimal, Value::Int(int)) => int.to_string(),
            (Clause::Decimal, Value::Uint(uint)) => uint.to_string(),
            (Clause::Fixed(precision), value) => {
                let real = number::real(value).ok_or_else(|| wrong(clause, value))?;
                number::fixed(real, precision.unwrap_or(DEFAULT_PRECISION))
            }
            (Clause::Scientific(precision), value) => {
                let real = number::real(value).ok_or_else(|| wrong(clause, value))?;
                // compat: formatting.go takes the precision for a width
                let width = precision.unwrap_or(DEFAULT_PRECISION).min(LONGEST_NUMBER);
                format!("{:>width$}", number::scientific(real))
            }
            (Clause::Binary, Value::Int(int)) => signed(*int, |it| format!("{it:b}")),
            (Clause::Binary, Value::Uint(uint)) => format!("{uint:b}"),
            (Clause::Binary, Value::Bool(flag)) => u8::from(*flag).to_string(),
            (Clause::Octal, Value::Int(int)) => signed(*int, |it| format!("{it:o}")),
            (Clause::Octal, Value::Uint(uint)) => format!("{uint:o}"),
            (Clause::Hex { is_upper }, value) => {
                let text = hex(value).ok_or_else(|| wrong(clause, value))?;
                if is_upper { text.to_ascii_uppercase() } else { text }
            }
            (clause @ (Clause::Decimal | Clause::Binary | Clause::Octal), value) => {
                return Err(wrong(clause, value));
            }
        };
        self.push(&text)
    }

    fn string(&mut self, value: &Value) -> Result<(), Problem> {
        match value {
            Value::List(list) => self.list(list),
            Value::Map(map) => self.map(map),
            Value::Null => self.push("null"),
            Value::Bytes(bytes) => self.push(utf8(bytes)?),
            Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Timestamp(_)
            | Value::Duration(_)
            | Value::Type(_) => self.push(&value.to_string()),
            other => Err(wrong(Clause::String, other)),
        }
    }

    fn list(&mut self, list: &List) -> Result<(), Problem> {
        self.push("[")?;
        for (place, item) in list.items().iter().enumerate() {
            if place > 0 {
                self.push(", ")?;
            }
            self.item(item)?;
        }
        self.push("]")
    }

    fn map(&mut self, map: &Map) -> Result<(), Problem> {
        let mut pairs = Vec::new();
        for (key, value) in map.entries() {
            let name = match &key {
                Key::String(text) => quoted(text),
                Key::Bool(_) | Key::Int(_) | Key::Uint(_) => Value::from(&key).to_string(),
            };
            let mut text = String::new();
            Writer { out: &mut text, fuel: self.fuel }.item(value)?;
            pairs.push((name, text));
        }
        pairs.sort();
        self.push("{")?;
        for (place, (name, text)) in pairs.iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            self.push(&format!("{comma}{name}:{text}"))?;
        }
        self.push("}")
    }

    /// A value inside of a list or map, written as CEL would have it.
    fn item(&mut self, value: &Value) -> Result<(), Problem> {
        match value {
            Value::String(text) => self.push(&quoted(text)),
            Value::Bytes(bytes) => {
                let text = quoted(utf8(bytes)?);
                self.push(&format!("b{text}"))
            }
            Value::Double(real) => self.push(&number::item(*real)),
            Value::Timestamp(time) => self.push(&format!("timestamp(\"{time}\")")),
            Value::Duration(span) => self.push(&format!("duration(\"{span}\")")),
            Value::List(list) => self.list(list),
            Value::Map(map) => self.map(map),
            Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Null | Value::Type(_) => {
                self.string(value)
            }
            other => {
                Err(Problem::Text(format!("no formatting function for {}", other.type_name())))
            }
        }
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|_| {
        let problem = quoted("invalid UTF-8 in bytes, cannot convert to string");
        Problem::Text(format!("could not convert argument {problem} to string"))
    })
}

fn wrong(clause: Clause, value: &Value) -> Problem {
    Problem::Text(misfit(clause, value.type_name()))
}

/// A number in a base that has no minus of its own.
fn signed(int: i64, write: fn(u64) -> String) -> String {
    let sign = if int < 0 { "-" } else { "" };
    format!("{sign}{}", write(int.unsigned_abs()))
}

fn hex(value: &Value) -> Option<String> {
    let bytes = match value {
        Value::Int(int) => return Some(signed(*int, |it| format!("{it:x}"))),
        Value::Uint(uint) => return Some(format!("{uint:x}")),
        Value::String(text) => text.as_bytes(),
        Value::Bytes(bytes) => bytes,
        _ => return None,
    };
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

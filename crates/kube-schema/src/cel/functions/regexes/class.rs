//! Classes and escapes of Go's regular expressions.
//!
//! Reads the text from a `[` or a backslash on; returns Rust's form of it and the rest.
//! Invariant: a returned class holds no set operation of Rust's.

use super::translate::Problem;

/// Names between `[:` and `:]`. (compat: Go's regexp/syntax, posix_group)
const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

type Read<'a> = (String, &'a str);

/// Reads a whole class in brackets.
pub(super) fn bracketed(text: &str) -> Result<Read<'_>, Problem> {
    let mut out = String::from("[");
    let mut rest = &text[1..];
    if let Some(after) = rest.strip_prefix('^') {
        out.push('^');
        rest = after;
    }
    let mut is_first = true;
    while is_first || !rest.starts_with(']') {
        if rest.is_empty() {
            return Err(Problem::new("missing closing ]", text));
        }
        is_first = false;
        if let Some((class, after)) = posix(rest)? {
            out.push_str(&class);
            rest = after;
            continue;
        }
        if let Some((class, after)) = perl_or_unicode(rest)? {
            out.push_str(&format!("[{class}]"));
            rest = after;
            continue;
        }
        rest = push_range(&mut out, text, rest)?;
    }
    out.push(']');
    Ok((out, &rest[1..]))
}

/// One character, or two with a dash between them.
fn push_range<'a>(out: &mut String, class: &str, text: &'a str) -> Result<&'a str, Problem> {
    let (low, rest) = character(class, text)?;
    push_literal(out, low);
    let is_range = rest.len() >= 2 && rest.starts_with('-') && !rest[1..].starts_with(']');
    if !is_range {
        return Ok(rest);
    }
    let (high, rest) = character(class, &rest[1..])?;
    if high < low {
        let part = &text[..text.len() - rest.len()];
        return Err(Problem::new("invalid character class range", part));
    }
    out.push('-');
    push_literal(out, high);
    Ok(rest)
}

fn push_literal(out: &mut String, symbol: char) {
    if symbol.is_ascii_alphanumeric() {
        out.push(symbol);
    } else {
        out.push_str(&format!("\\x{{{:x}}}", u32::from(symbol)));
    }
}

fn character<'a>(class: &str, text: &'a str) -> Result<(char, &'a str), Problem> {
    match text.chars().next() {
        None => Err(Problem::new("missing closing ]", class)),
        Some('\\') => escaped(text),
        Some(symbol) => Ok((symbol, &text[symbol.len_utf8()..])),
    }
}

fn posix(text: &str) -> Result<Option<Read<'_>>, Problem> {
    let Some(end) = text.strip_prefix("[:").and_then(|after| after.find(":]")) else {
        return Ok(None);
    };
    let whole = &text[..end + 4];
    let name = &text[2..end + 2];
    if !POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
        return Err(Problem::new("invalid character class range", whole));
    }
    Ok(Some((whole.to_owned(), &text[whole.len()..])))
}

/// Reads `\d` and its siblings, and `\pL`; returns what goes between brackets.
pub(super) fn perl_or_unicode(text: &str) -> Result<Option<Read<'_>>, Problem> {
    let class = match text.as_bytes() {
        [b'\\', b'd', ..] => "0-9",
        [b'\\', b'D', ..] => "^0-9",
        [b'\\', b's', ..] => "\\t\\n\\x0C\\r ",
        [b'\\', b'S', ..] => "^\\t\\n\\x0C\\r ",
        [b'\\', b'w', ..] => "0-9A-Za-z_",
        [b'\\', b'W', ..] => "^0-9A-Za-z_",
        [b'\\', b'p' | b'P', ..] => return unicode(text).map(Some),
        _ => return Ok(None),
    };
    Ok(Some((class.to_owned(), &text[2..])))
}

fn unicode(text: &str) -> Result<Read<'_>, Problem> {
    let is_negative = text.as_bytes()[1] == b'P';
    let after = &text[2..];
    let (name, rest) = match after.strip_prefix('{') {
        Some(inner) => match inner.split_once('}') {
            Some((name, rest)) => (name, rest),
            None => return Err(Problem::new("invalid character class range", text)),
        },
        None => {
            let length = after.chars().next().map_or(0, char::len_utf8);
            after.split_at(length)
        }
    };
    let whole = &text[..text.len() - rest.len()];
    let (is_inverted, name) = match name.strip_prefix('^') {
        Some(name) => (true, name),
        None => (false, name),
    };
    if !is_known(name) {
        return Err(Problem::new("invalid character class range", whole));
    }
    let letter = if is_negative != is_inverted { 'P' } else { 'p' };
    let property = match name.len() {
        _ if name == "Any" => "Any".to_owned(),
        1 | 2 => format!("gc={name}"),
        _ => format!("sc={name}"),
    };
    Ok((format!("\\{letter}{{{property}}}"), rest))
}

/// Whether Go may know the name: a category of one or two letters, or a script.
fn is_known(name: &str) -> bool {
    let is_word = name.bytes().all(|it| it.is_ascii_alphabetic() || it == b'_');
    let starts_well = name.starts_with(|first: char| first.is_ascii_uppercase());
    is_word && starts_well
}

/// Reads a backslash and what it escapes to one character.
pub(super) fn escaped(text: &str) -> Result<(char, &str), Problem> {
    let after = &text[1..];
    let Some(symbol) = after.chars().next() else {
        return Err(Problem::new("trailing backslash at end of expression", ""));
    };
    let rest = &after[symbol.len_utf8()..];
    let invalid =
        |rest: &str| Problem::new("invalid escape sequence", &text[..text.len() - rest.len()]);
    match symbol {
        // A single digit would refer back to a group, which Go does not have.
        '1'..='7' if !rest.starts_with(|it: char| ('0'..='7').contains(&it)) => Err(invalid(rest)),
        '0'..='7' => Ok(octal(after)),
        'x' => hexadecimal(rest).ok_or_else(|| invalid(skip_hexadecimal(rest))),
        'a' => Ok(('\u{7}', rest)),
        'f' => Ok(('\u{c}', rest)),
        'n' => Ok(('\n', rest)),
        'r' => Ok(('\r', rest)),
        't' => Ok(('\t', rest)),
        'v' => Ok(('\u{b}', rest)),
        symbol if symbol.is_ascii() && !symbol.is_ascii_alphanumeric() => Ok((symbol, rest)),
        _ => Err(invalid(rest)),
    }
}

fn octal(text: &str) -> (char, &str) {
    let digits = text.bytes().take(3).take_while(|it| (b'0'..=b'7').contains(it)).count();
    let code = u32::from_str_radix(&text[..digits], 8).unwrap_or(0);
    (char::from_u32(code).unwrap_or('\0'), &text[digits..])
}

fn hexadecimal(text: &str) -> Option<(char, &str)> {
    let (digits, rest) = match text.strip_prefix('{') {
        Some(inner) => inner.split_once('}')?,
        None => (text.get(..2)?, text.get(2..)?),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_hexdigit());
    let code = is_number.then(|| u32::from_str_radix(digits, 16).ok()).flatten()?;
    Some((char::from_u32(code)?, rest))
}

/// Where Go stops reading a hexadecimal escape that is wrong.
fn skip_hexadecimal(text: &str) -> &str {
    let digits = text.trim_start_matches(|it: char| it == '{' || it.is_ascii_hexdigit());
    let wrong = digits.chars().next().map_or(0, char::len_utf8);
    &digits[wrong..]
}

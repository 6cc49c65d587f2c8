//! Strings: what stands where, parts, joins, replacement.
//!
//! Reads strings; returns what cel-go's string library computes.
//! Invariant: places count characters, not bytes.

use super::format_text;
use super::lists::place_of;
use super::{Call, Failure, Implementation, Outcome};
use crate::cel::error::Error;
use crate::cel::value::Value;

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "contains" => |call| test(call, |text, part| text.contains(part)),
        "startsWith" => |call| test(call, |text, part| text.starts_with(part)),
        "endsWith" => |call| test(call, |text, part| text.ends_with(part)),
        "charAt" => char_at,
        "indexOf" => index_of,
        "lastIndexOf" => last_index_of,
        "lowerAscii" => |call| mapped(call, str::to_ascii_lowercase),
        "upperAscii" => |call| mapped(call, str::to_ascii_uppercase),
        "trim" => |call| mapped(call, |text| text.trim_matches(is_space).to_owned()),
        "strings.quote" => |call| mapped(call, quoted),
        "replace" => replace,
        "split" => split,
        "substring" => substring,
        "join" => join,
        "format" => format,
        _ => return None,
    })
}

/// compat: these three have no type guards, so they give the short message
fn test(call: &Call<'_>, holds: fn(&str, &str) -> bool) -> Outcome {
    match call.args {
        [Value::String(text), Value::String(part)] => Ok(Value::Bool(holds(text, part))),
        _ => Err(Failure::Error(Error::no_such_overload())),
    }
}

fn mapped(call: &Call<'_>, map: fn(&str) -> String) -> Outcome {
    match call.args {
        [Value::String(text)] => Ok(Value::string(map(text))),
        _ => Err(Failure::Mismatch),
    }
}

/// White space as Go's `strings.TrimSpace` knows it.
fn is_space(symbol: char) -> bool {
    match symbol {
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{85}' | '\u{a0}' => true,
        symbol => !symbol.is_ascii() && symbol.is_whitespace(),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for symbol in text.chars() {
        match symbol {
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            symbol => out.push(symbol),
        }
    }
    out.push('"');
    out
}

fn out_of_range(place: i64) -> Failure {
    Failure::new(format!("index out of range: {place}"))
}

/// The byte at which a character starts; the end of the text is a place too.
fn byte_of(text: &str, place: i64) -> Result<usize, Failure> {
    let wanted = usize::try_from(place).map_err(|_| out_of_range(place))?;
    let starts = text.char_indices().map(|(byte, _)| byte).chain([text.len()]);
    starts.into_iter().nth(wanted).ok_or_else(|| out_of_range(place))
}

fn char_at(call: &Call<'_>) -> Outcome {
    let [Value::String(text), Value::Int(place)] = call.args else { return Err(Failure::Mismatch) };
    let rest = &text[byte_of(text, *place)?..];
    Ok(Value::string(rest.chars().next().map(String::from).unwrap_or_default()))
}

fn count(text: &str) -> i64 {
    text.chars().count() as i64
}

fn index_of(call: &Call<'_>) -> Outcome {
    let (text, part, offset) = match call.args {
        [Value::List(_), _] => return place_of(call, false),
        [Value::String(text), Value::String(part)] => (text, part, 0),
        [Value::String(text), Value::String(part), Value::Int(offset)] => (text, part, *offset),
        _ => return Err(Failure::Mismatch),
    };
    if part.is_empty() {
        return Ok(Value::Int(offset));
    }
    if offset < 0 {
        return Err(out_of_range(offset));
    }
    let Ok(start) = byte_of(text, offset) else { return Ok(Value::Int(-1)) };
    let found = text[start..].find(&**part).map(|byte| count(&text[..start + byte]));
    Ok(Value::Int(found.unwrap_or(-1)))
}

fn last_index_of(call: &Call<'_>) -> Outcome {
    let (text, part, offset) = match call.args {
        [Value::List(_), _] => return place_of(call, true),
        [Value::String(text), Value::String(part)] => {
            let offset = if part.is_empty() { count(text) } else { count(text) - 1 };
            if !part.is_empty() && text.len() < part.len() {
                return Ok(Value::Int(-1));
            }
            (text, part, offset)
        }
        [Value::String(text), Value::String(part), Value::Int(offset)] => (text, part, *offset),
        _ => return Err(Failure::Mismatch),
    };
    if part.is_empty() {
        return Ok(Value::Int(offset));
    }
    if offset < 0 {
        return Err(out_of_range(offset));
    }
    if offset >= count(text) {
        return Ok(Value::Int(-1));
    }
    let last_start = byte_of(text, offset)?;
    // A match may start at the offset at the latest, and reach beyond it.
    let end = (last_start + part.len()).min(text.len());
    let end = (end..=text.len()).find(|byte| text.is_char_boundary(*byte)).unwrap_or(text.len());
    let found = text[..end].rfind(&**part).filter(|byte| *byte <= last_start);
    let found = found.or_else(|| text[..last_start].rfind(&**part));
    Ok(Value::Int(found.map_or(-1, |byte| count(&text[..byte]))))
}

fn replace(call: &Call<'_>) -> Outcome {
    let (text, old, new, limit) = match call.args {
        [Value::String(text), Value::String(old), Value::String(new)] => (text, old, new, -1),
        [Value::String(text), Value::String(old), Value::String(new), Value::Int(limit)] => {
            (text, old, new, *limit)
        }
        _ => return Err(Failure::Mismatch),
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    // The result's size is paid for by nothing.
    let most = if old.is_empty() { text.len() + 1 } else { text.len() / old.len() };
    call.fuel.burn(most.min(limit).saturating_mul(new.len()) / 16)?;
    Ok(Value::string(text.replacen(&**old, new, limit)))
}

fn split(call: &Call<'_>) -> Outcome {
    let (text, separator, limit) = match call.args {
        [Value::String(text), Value::String(separator)] => (text, separator, -1),
        [Value::String(text), Value::String(separator), Value::Int(limit)] => {
            (text, separator, *limit)
        }
        _ => return Err(Failure::Mismatch),
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if limit == 0 {
        return Ok(Value::list(vec![]));
    }
    let parts: Vec<Value> = if separator.is_empty() {
        split_characters(text, limit).into_iter().map(Value::string).collect()
    } else {
        text.splitn(limit, &**separator).map(Value::string).collect()
    };
    Ok(Value::list(parts))
}

fn split_characters(text: &str, limit: usize) -> Vec<&str> {
    let starts: Vec<usize> = text.char_indices().map(|(byte, _)| byte).take(limit).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect()
}

fn substring(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::String(text), Value::Int(start)] => {
            Ok(Value::string(&text[byte_of(text, *start)?..]))
        }
        [Value::String(text), Value::Int(start), Value::Int(end)] => {
            if start > end {
                let problem = format!("invalid substring range. start: {start}, end: {end}");
                return Err(Failure::new(problem));
            }
            Ok(Value::string(&text[byte_of(text, *start)?..byte_of(text, *end)?]))
        }
        _ => Err(Failure::Mismatch),
    }
}

fn join(call: &Call<'_>) -> Outcome {
    let (list, separator) = match call.args {
        [Value::List(list)] => (list, ""),
        [Value::List(list), Value::String(separator)] => (list, &**separator),
        _ => return Err(Failure::Mismatch),
    };
    if list.items().first().is_some_and(|item| !matches!(item, Value::String(_))) {
        return Err(Failure::Mismatch);
    }
    let mut out = String::new();
    for (place, item) in list.items().iter().enumerate() {
        let Value::String(text) = item else {
            return Err(Failure::new(format!("join: invalid input: {item}")));
        };
        call.fuel.burn((text.len() + separator.len()) / 16)?;
        if place > 0 {
            out.push_str(separator);
        }
        out.push_str(text);
    }
    Ok(Value::string(out))
}

fn format(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::String(format), Value::List(args)] => {
            Ok(Value::string(format_text::formatted(format, args.items(), call.fuel)?))
        }
        _ => Err(Failure::Mismatch),
    }
}

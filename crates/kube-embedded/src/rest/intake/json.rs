//! JSON as Go reads it: a field may be given twice, and what is no text is replaced.
//!
//! Reads bytes; returns the value and the fields that were given twice, or what is wrong.
//! Invariant: of a field given twice the last value counts.

use std::borrow::Cow;
use std::fmt;

use kube_schema::{Path, StrictError};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::patch;

/// A value, and what the server would say of fields that were given twice.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Written {
    pub(crate) value: Value,
    pub(crate) complaints: Vec<String>,
}

/// Why there is no value.
#[derive(Debug, PartialEq)]
pub(crate) enum Fault {
    /// It is not JSON.
    Syntax(String),
    /// It is, but one number is too large.
    Number(String),
}

pub(crate) fn read(body: &[u8]) -> Result<Written, Fault> {
    if let Ok(written) = parse(body) {
        return Ok(written);
    }
    let text = String::from_utf8_lossy(body);
    let text = without_lone_surrogates(&text);
    parse(text.as_bytes()).map_err(|why| match too_large(&text) {
        Some(number) if why.to_string().starts_with("number out of range") => {
            Fault::Number(number.to_owned())
        }
        _ => Fault::Syntax(patch::complaint(body)),
    })
}

fn parse(body: &[u8]) -> serde_json::Result<Written> {
    let mut complaints = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = Seed { at: &At::Top, complaints: &mut complaints }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(Written { value, complaints })
}

/// Where a value stands.
enum At<'a> {
    Top,
    Field(&'a At<'a>, &'a str),
    Item(&'a At<'a>, usize),
}

impl At<'_> {
    fn path(&self) -> Path {
        match self {
            Self::Top => Path::root(),
            Self::Field(above, name) => above.path().field(name),
            Self::Item(above, place) => above.path().index(*place),
        }
    }
}

struct Seed<'a> {
    at: &'a At<'a>,
    complaints: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let at = At::Item(self.at, list.len());
            match items.next_element_seed(Seed { at: &at, complaints: self.complaints })? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let at = At::Field(self.at, &name);
            if fields.contains_key(&name) {
                self.complaints.push(StrictError::duplicate_field(at.path()).message);
            }
            let value = entries.next_value_seed(Seed { at: &at, complaints: self.complaints })?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

/// The text with halves of letters outside the first plane replaced where their other half is
/// missing.
fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(place) = rest.find('\\') {
        let (head, tail) = rest.split_at(place);
        out.push_str(head);
        let is_pair = matches!(unit(tail), Some(0xd800..=0xdbff))
            && matches!(tail.get(6..).and_then(unit), Some(0xdc00..=0xdfff));
        let length = match unit(tail) {
            _ if is_pair => 12,
            Some(0xd800..=0xdfff) => {
                out.push_str("\\ufffd");
                rest = &tail[6..];
                continue;
            }
            Some(_) => 6,
            None => 1 + tail[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&tail[..length]);
        rest = &tail[length..];
    }
    if out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The number after `\u`.
fn unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

/// The first number that is none for a computer.
fn too_large(text: &str) -> Option<&str> {
    let is_part = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
    let mut words = text.split(|letter| !is_part(letter));
    words.find(|word| word.parse().is_ok_and(f64::is_infinite))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Fault, Written, read};

    fn check(text: &[u8], value: serde_json::Value, complaints: &[&str]) {
        let complaints = complaints.iter().map(|it| format!("duplicate field {it:?}")).collect();
        assert_eq!(read(text), Ok(Written { value, complaints }));
    }

    #[test]
    fn fields_given_twice_are_told_by_their_path() {
        check(
            br#"{"a":{"b":1,"b":2},"c":[{"d":1,"d":1}]}"#,
            json!({"a":{"b":2},"c":[{"d":1}]}),
            &["a.b", "c[0].d"],
        );
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        check(b"[\"\xff\"]", json!(["\u{fffd}"]), &[]);
        check(br#"["\ud800"]"#, json!(["\u{fffd}"]), &[]);
        check(br#"["\ud83d\ude00 \\ud800"]"#, json!(["\u{1f600} \\ud800"]), &[]);
        check(br#"["\ud800\ud83d\ude00"]"#, json!(["\u{fffd}\u{1f600}"]), &[]);
    }

    #[test]
    fn faults_are_told_as_go_tells_them() {
        let fault = Fault::Syntax("unexpected end of JSON input".to_owned());
        assert_eq!(read(b"{"), Err(fault));
        assert_eq!(read(b"[1e400]"), Err(Fault::Number("1e400".to_owned())));
    }
}

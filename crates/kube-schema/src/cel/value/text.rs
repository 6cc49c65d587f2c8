//! Values as Go's `%v` prints them in messages.
//!
//! Reads a value; returns text.
//! Invariant: text is for people; nothing reads it back.

use std::fmt;

use super::Value;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL_VALUE"),
            Self::Bool(flag) => write!(f, "{flag}"),
            Self::Int(int) => write!(f, "{int}"),
            Self::Uint(uint) => write!(f, "{uint}"),
            Self::Double(real) => f.write_str(&float_text(*real)),
            Self::String(text) => f.write_str(text),
            Self::Bytes(bytes) => write_list(f, bytes.iter()),
            Self::List(list) => {
                f.write_str("[")?;
                for (place, item) in list.items().iter().enumerate() {
                    let comma = if place > 0 { ", " } else { "" };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Self::Map(map) => {
                f.write_str("{")?;
                for (place, (key, value)) in map.entries().enumerate() {
                    let comma = if place > 0 { ", " } else { "" };
                    write!(f, "{comma}{}: {value}", Value::from(&key))?;
                }
                f.write_str("}")
            }
            Self::Timestamp(time) => write!(f, "{time}"),
            Self::Duration(span) => write!(f, "{span}"),
            Self::Optional(None) => f.write_str("optional.none()"),
            Self::Optional(Some(value)) => write!(f, "optional({value})"),
            Self::Type(name) => f.write_str(name),
            Self::Ip(ip) => write!(f, "{ip}"),
            Self::Cidr(network) => write!(f, "{network}"),
            Self::Quantity(quantity) => write!(f, "{quantity}"),
            Self::Url(url) => write!(f, "{url}"),
            Self::Semver(version) => write!(f, "{version}"),
            Self::Format(format) => f.write_str(format.name()),
            Self::Error(error) => write!(f, "{error}"),
        }
    }
}

fn write_list(
    f: &mut fmt::Formatter<'_>,
    items: impl Iterator<Item = impl fmt::Display>,
) -> fmt::Result {
    f.write_str("[")?;
    for (place, item) in items.enumerate() {
        let gap = if place > 0 { " " } else { "" };
        write!(f, "{gap}{item}")?;
    }
    f.write_str("]")
}

/// A floating point number as Go's `%g` prints it: shortest digits, large exponents apart.
pub(in crate::cel) fn float_text(real: f64) -> String {
    if real.is_nan() {
        return "NaN".to_owned();
    }
    if real.is_infinite() {
        return if real > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{real:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("the form has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    if real == 0.0 || (-4..6).contains(&exponent) {
        return format!("{real}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

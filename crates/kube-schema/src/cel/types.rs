//! Types that the checker reasons about.
//!
//! Read from declarations of variables and functions; written into messages.
//! Invariant: a type is a value; two types are the same if they are written the same.

use std::fmt;
use std::sync::Arc;

/// The type of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Type {
    /// Known only when the expression runs.
    Dyn,
    /// Of an expression that was complained about.
    Error,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    List(Arc<Type>),
    Map(Arc<Type>, Arc<Type>),
    /// The type of a type; of which one, if it is known.
    Meta(Option<Arc<Type>>),
    Object(Arc<str>),
    /// A type of a library, and its parameters.
    Opaque(Arc<str>, Arc<[Type]>),
    /// Not yet known: a letter of a declaration, or a variable of the checker.
    Param(u32),
}

/// Open types of declarations have numbers below this, those of the checker from here on.
pub(super) const FIRST_VARIABLE: u32 = 26;

/// The name of the type of optional values.
const OPTIONAL: &str = "optional_type";

impl Type {
    pub(super) fn list(items: Type) -> Self {
        Self::List(Arc::new(items))
    }

    pub(super) fn map(keys: Type, values: Type) -> Self {
        Self::Map(Arc::new(keys), Arc::new(values))
    }

    pub(super) fn optional(inner: Type) -> Self {
        Self::Opaque(OPTIONAL.into(), [inner].into())
    }

    /// What an optional type may hold.
    pub(super) fn optional_inner(&self) -> Option<&Type> {
        match self {
            Self::Opaque(name, params) if **name == *OPTIONAL => params.first(),
            _ => None,
        }
    }

    pub(super) fn is_dyn_or_error(&self) -> bool {
        matches!(self, Self::Dyn | Self::Error)
    }

    /// Reads a type as declarations write it; single capitals are parameters.
    pub(super) fn parse(text: &str) -> Self {
        if let Some((name, params)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            let mut params = split_params(params).into_iter().map(Self::parse);
            let mut next = || params.next().unwrap_or(Self::Dyn);
            return match name {
                "list" => Self::list(next()),
                "map" => Self::map(next(), next()),
                "type" => Self::Meta(Some(Arc::new(next()))),
                name => Self::Opaque(name.into(), params.collect()),
            };
        }
        match text {
            "dyn" => Self::Dyn,
            "bool" => Self::Bool,
            "int" => Self::Int,
            "uint" => Self::Uint,
            "double" => Self::Double,
            "string" => Self::String,
            "bytes" => Self::Bytes,
            "timestamp" => Self::Timestamp,
            "duration" => Self::Duration,
            "net.IP" | "net.CIDR" => Self::Opaque(text.into(), [].into()),
            _ => match text.as_bytes() {
                [letter @ b'A'..=b'Z'] => Self::Param(u32::from(letter - b'A')),
                _ => Self::Object(text.into()),
            },
        }
    }

    /// The types inside this one.
    pub(super) fn params(&self) -> Vec<&Type> {
        match self {
            Self::List(items) => vec![items],
            Self::Map(keys, values) => vec![keys, values],
            Self::Meta(inner) => inner.iter().map(AsRef::as_ref).collect(),
            Self::Opaque(_, params) => params.iter().collect(),
            Self::Dyn
            | Self::Error
            | Self::Null
            | Self::Bool
            | Self::Int
            | Self::Uint
            | Self::Double
            | Self::String
            | Self::Bytes
            | Self::Timestamp
            | Self::Duration
            | Self::Object(_)
            | Self::Param(_) => vec![],
        }
    }
}

/// Splits at commas that are not inside of parentheses.
pub(super) fn split_params(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, symbol) in text.char_indices() {
        match symbol {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Displays as cel-go's `FormatCELType`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Dyn => "dyn",
            Self::Error => "!error!",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "timestamp",
            Self::Duration => "duration",
            Self::List(_) => "list",
            Self::Map(..) => "map",
            Self::Meta(_) => "type",
            Self::Object(name) | Self::Opaque(name, _) => name,
            Self::Param(number) => {
                return write!(f, "_var{}", number.saturating_sub(FIRST_VARIABLE));
            }
        };
        f.write_str(name)?;
        let params = self.params();
        for (place, param) in params.iter().enumerate() {
            write!(f, "{}{param}", if place == 0 { "(" } else { ", " })?;
        }
        if params.is_empty() { Ok(()) } else { f.write_str(")") }
    }
}

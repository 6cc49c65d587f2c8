//! URLs, as Go's `net/url` reads them.
//!
//! Reads texts; returns URLs and their parts.
//! Invariant: what the server's `isURL` accepts is accepted here; two URLs are equal if they would
//! be written alike.

mod parse;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{Call, Failure, Implementation, Outcome};
use crate::cel::value::{Key, Map, Value};
use crate::go_text::quoted;

/// A URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    scheme: String,
    /// What follows a scheme without a slash, such as an address after `mailto:`.
    opaque: String,
    user: Option<String>,
    host: String,
    path: String,
    query: String,
    has_empty_query: bool,
    fragment: String,
}

impl Url {
    /// What is wrong with a text as the URL of a request, in Go's words.
    pub(super) fn request_problem(text: &str) -> Option<String> {
        let problem = parse::parse(text, true).err()?;
        Some(format!("parse {}: {problem}", quoted(text)))
    }

    fn read(text: &str) -> Result<Self, String> {
        if let Some(problem) = Self::request_problem(text) {
            return Err(problem);
        }
        let (head, fragment) = text.split_once('#').unwrap_or((text, ""));
        let problem = |problem| format!("parse {}: {problem}", quoted(text));
        let mut url = parse::parse(head, false).map_err(problem)?;
        url.fragment = fragment.to_owned();
        Ok(url)
    }

    /// The host without its port and without brackets.
    fn hostname(&self) -> &str {
        let host = self.split_port().0;
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    fn split_port(&self) -> (&str, &str) {
        match self.host.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|it| it.is_ascii_digit()) => (host, port),
            _ => (&self.host, ""),
        }
    }

    fn query(&self) -> Map {
        let mut values: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for pair in self.query.split('&').filter(|pair| !pair.is_empty()) {
            // Go drops what it cannot read.
            if pair.contains(';') {
                continue;
            }
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if let (Some(key), Some(value)) = (parse::form(key), parse::form(value)) {
                values.entry(key).or_default().push(Value::string(value));
            }
        }
        let entry =
            |(key, list): (String, Vec<Value>)| (Key::String(key.into()), Value::list(list));
        Map::new(values.into_iter().map(entry))
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if !self.opaque.is_empty() {
            f.write_str(&self.opaque)?;
        } else {
            if !self.scheme.is_empty() || !self.host.is_empty() || self.user.is_some() {
                f.write_str("//")?;
            }
            if let Some(user) = &self.user {
                write!(f, "{user}@")?;
            }
            write!(f, "{}{}", self.host, self.path)?;
        }
        if self.has_empty_query || !self.query.is_empty() {
            write!(f, "?{}", self.query)?;
        }
        if self.fragment.is_empty() { Ok(()) } else { write!(f, "#{}", self.fragment) }
    }
}

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "url" => url,
        "isURL" => is_url,
        "getScheme" => |call| part(call, |url| Value::string(url.scheme.as_str())),
        "getHost" => |call| part(call, |url| Value::string(url.host.as_str())),
        "getHostname" => |call| part(call, |url| Value::string(url.hostname())),
        "getPort" => |call| part(call, |url| Value::string(url.split_port().1)),
        "getEscapedPath" => |call| part(call, |url| Value::string(url.path.as_str())),
        "getQuery" => |call| part(call, |url| Value::map(url.query())),
        _ => return None,
    })
}

fn url(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::String(text)] => match Url::read(text) {
            Ok(url) => Ok(Value::Url(Arc::new(url))),
            Err(problem) => {
                let doing = "URL parse error during conversion from string";
                Err(Failure::new(format!("{doing}: {problem}")))
            }
        },
        _ => Err(Failure::Mismatch),
    }
}

fn is_url(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::String(text)] => Ok(Value::Bool(Url::request_problem(text).is_none())),
        _ => Err(Failure::Mismatch),
    }
}

fn part(call: &Call<'_>, read: fn(&Url) -> Value) -> Outcome {
    match call.args {
        [Value::Url(url)] => Ok(read(url)),
        _ => Err(Failure::Mismatch),
    }
}

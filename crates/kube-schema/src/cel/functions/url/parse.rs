//! The parts of a URL's text.
//!
//! Reads text as Go's `url.Parse` and `url.ParseRequestURI`; returns parts, or Go's words.
//! Invariant: the path is kept as it is written to others, with what must be escaped escaped.

use super::Url;
use crate::go_text::quoted;

pub(super) fn parse(text: &str, is_request: bool) -> Result<Url, String> {
    if text.bytes().any(|it| it < b' ' || it == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && is_request {
        return Err("empty url".to_owned());
    }
    let mut url = Url {
        scheme: String::new(),
        opaque: String::new(),
        user: None,
        host: String::new(),
        path: String::new(),
        query: String::new(),
        has_empty_query: false,
        fragment: String::new(),
    };
    if text == "*" {
        url.path = "*".to_owned();
        return Ok(url);
    }
    let (scheme, rest) = scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let mut rest = match rest.split_once('?') {
        Some((rest, "")) => {
            url.has_empty_query = true;
            rest
        }
        Some((rest, query)) => {
            url.query = query.to_owned();
            rest
        }
        None => rest,
    };
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            url.opaque = rest.to_owned();
            return Ok(url);
        }
        check_rootless(rest, is_request)?;
    }
    let may_have_host = !url.scheme.is_empty() || !is_request && !rest.starts_with("///");
    if may_have_host && rest.starts_with("//") {
        let after = &rest[2..];
        let end = after.find('/').unwrap_or(after.len());
        (url.user, url.host) = authority(&url.scheme, &after[..end])?;
        rest = &after[end..];
    }
    url.path = path(rest)?;
    Ok(url)
}

fn check_rootless(rest: &str, is_request: bool) -> Result<(), String> {
    if is_request {
        return Err("invalid URI for request".to_owned());
    }
    if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
        return Err("first path segment in URL cannot contain colon".to_owned());
    }
    Ok(())
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (place, symbol) in text.bytes().enumerate() {
        match symbol {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if place > 0 => {}
            b':' if place == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok((&text[..place], &text[place + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn authority(scheme: &str, text: &str) -> Result<(Option<String>, String), String> {
    let Some((user, host)) = text.rsplit_once('@') else {
        return Ok((None, host(scheme, text)?));
    };
    let host = self::host(scheme, host)?;
    let is_fit = |it: char| it.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(it);
    if !user.chars().all(is_fit) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    unescaped(user, Mode::Plain)?;
    Ok((Some(user.to_owned()), host))
}

fn host(scheme: &str, text: &str) -> Result<String, String> {
    match text.rfind('[') {
        Some(0) => return bracketed(text),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    // Only the web's own schemes take no second colon.
    let is_web = matches!(scheme, "http" | "https");
    let colon = if is_web { text.find(':') } else { text.rfind(':') };
    if let Some(colon) = colon {
        check_port(&text[colon..])?;
    }
    unescaped(text, Mode::Host)
}

fn bracketed(text: &str) -> Result<String, String> {
    let Some(close) = text.rfind(']') else { return Err("missing ']' in host".to_owned()) };
    check_port(&text[close + 1..])?;
    let inner = unescaped(&text[1..close], Mode::Host)?;
    let address = inner.split('%').next().unwrap_or_default();
    match address.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V6(_)) => Ok(format!("[{inner}]{}", &text[close + 1..])),
        Ok(std::net::IpAddr::V4(_)) => Err("invalid IP-literal".to_owned()),
        Err(_) => Err(format!("invalid host: ParseAddr({}): unable to parse IP", quoted(&inner))),
    }
}

fn check_port(text: &str) -> Result<(), String> {
    let is_port = match text.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|it| it.is_ascii_digit()),
        None => text.is_empty(),
    };
    if is_port { Ok(()) } else { Err(format!("invalid port {} after host", quoted(text))) }
}

/// What a text may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Plain,
    Host,
    Form,
}

/// A key or value of a query.
pub(super) fn form(text: &str) -> Option<String> {
    unescaped(text, Mode::Form).ok()
}

fn unescaped(text: &str, mode: Mode) -> Result<String, String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut place = 0;
    while place < bytes.len() {
        match bytes[place] {
            b'%' => {
                let digits = text.get(place + 1..place + 3);
                let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                let is_plain = digits.is_some_and(|it| it.bytes().all(|it| it.is_ascii_hexdigit()));
                let whole = text.get(place..place + 3).unwrap_or(&text[place..]);
                match code.filter(|_| is_plain) {
                    Some(code) if mode != Mode::Host || code >= 0x80 || whole == "%25" => {
                        out.push(code);
                    }
                    _ => return Err(format!("invalid URL escape {}", quoted(whole))),
                }
                place += 3;
                continue;
            }
            b'+' if mode == Mode::Form => out.push(b' '),
            symbol if mode == Mode::Host && symbol < 0x80 && !is_host_symbol(symbol) => {
                let shown = quoted(&char::from(symbol).to_string());
                return Err(format!("invalid character {shown} in host name"));
            }
            symbol => out.push(symbol),
        }
        place += 1;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn is_host_symbol(symbol: u8) -> bool {
    symbol.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&symbol)
}

/// The path as it is written to others: as it came if that is well formed, else escaped anew.
fn path(text: &str) -> Result<String, String> {
    let plain = unescaped(text, Mode::Plain)?;
    let is_fit = |it: u8| it.is_ascii_alphanumeric() || b"-_.~/!$&'()*+,;=:@[]%".contains(&it);
    if text.bytes().all(is_fit) {
        return Ok(text.to_owned());
    }
    let mut out = String::new();
    for byte in plain.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/$&+,:;=@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok(out)
}

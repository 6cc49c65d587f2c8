//! URIs as Go's `url.ParseRequestURI` takes them.
//!
//! Reads a text; says whether it is an absolute URI or an absolute path.
//! Invariant: escapes are checked wherever Go decodes them.

/// Whether Go would take a text as the URI of a request.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = split_scheme(text) else {
        return false;
    };
    let rest = rest.split('?').next().unwrap_or(rest);
    if !rest.starts_with('/') {
        return !scheme.is_empty();
    }
    let has_authority = !scheme.is_empty() && rest.starts_with("//") && !rest.starts_with("///");
    if !has_authority {
        return are_escapes(rest);
    }
    let after = &rest[2..];
    let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
    is_authority(authority) && are_escapes(path)
}

/// Splits off `scheme:`; none where a colon stands in the wrong place.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if place > 0 => {}
            b':' if place == 0 => return None,
            b':' => return Some((&text[..place], &text[place + 1..])),
            _ => return Some(("", text)),
        }
    }
    Some(("", text))
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", authority),
    };
    let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    user.bytes().all(is_user) && are_escapes(user) && is_host(host)
}

fn is_host(host: &str) -> bool {
    let is_port = |port: &str| {
        port.is_empty()
            || port.strip_prefix(':').is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if host.starts_with('[') {
        let Some(end) = host.rfind(']') else {
            return false;
        };
        return is_port(&host[end + 1..]) && are_escapes(&host[..end]);
    }
    let (name, port) = host.split_at(host.rfind(':').unwrap_or(host.len()));
    let is_symbol = |byte: u8| {
        byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"%".contains(&byte)
    };
    is_port(port) && name.bytes().all(is_symbol) && are_host_escapes(name)
}

/// In a host only bytes that are not ASCII may be escaped.
fn are_host_escapes(name: &str) -> bool {
    let mut parts = name.split('%');
    parts.next();
    parts.all(|part| {
        let code = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        code.is_some_and(|code| code >= 0x80)
    })
}

fn are_escapes(text: &str) -> bool {
    let mut parts = text.split('%');
    parts.next();
    let is_code =
        |part: &str| part.len() >= 2 && part.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    parts.all(is_code)
}

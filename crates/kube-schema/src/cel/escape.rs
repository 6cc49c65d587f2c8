//! Names of properties as CEL identifiers, and back.
//!
//! Reads a property's name; returns what an expression calls it.
//! Invariant: what `escape` returns, `unescape` takes back to the name it came from.

/// Words of the language itself.
const KEYWORDS: [&str; 4] = ["true", "false", "null", "in"];

/// Names that no variable may have. (compat: cel-go parser.go, reservedIds)
pub(super) const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Whether CEL keeps the word. (compat: apiserver/pkg/cel/escaping.go, celReservedSymbols)
fn is_kept(word: &str) -> bool {
    KEYWORDS.contains(&word) || RESERVED.contains(&word)
}

const SEQUENCES: [(&str, &str); 4] =
    [("underscores", "__"), ("dot", "."), ("dash", "-"), ("slash", "/")];

/// Returns what an expression calls the property, or `None` if it cannot name it.
pub fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if is_kept(name) {
        return Some(format!("__{name}__"));
    }
    let mut escaped = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let sequence = SEQUENCES.iter().find(|(_, text)| rest.starts_with(text));
        if let Some((word, text)) = sequence {
            escaped.push_str(&format!("__{word}__"));
            rest = &rest[text.len()..];
        } else if first.is_ascii_alphanumeric() || first == '_' {
            escaped.push(first);
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    Some(escaped)
}

/// Returns the property that an identifier means, or `None` if its escapes are not ours.
pub fn unescape(identifier: &str) -> Option<String> {
    let mut name = String::with_capacity(identifier.len());
    let mut rest = identifier;
    while let Some(start) = rest.find("__") {
        name.push_str(&rest[..start]);
        let after = &rest[start + 2..];
        let length = after.find('_').unwrap_or(after.len());
        if length == 0 || !after[length..].starts_with("__") {
            // No escape starts here; the next underscore may start one.
            name.push('_');
            rest = &rest[start + 1..];
            continue;
        }
        let word = &after[..length];
        let whole = word.len() + 4 == identifier.len();
        match SEQUENCES.iter().find(|(known, _)| *known == word) {
            Some((_, text)) => name.push_str(text),
            None if is_kept(word) && whole => name.push_str(word),
            None => return None,
        }
        rest = &after[length + 2..];
    }
    name.push_str(rest);
    Some(name)
}

#[cfg(test)]
mod tests;

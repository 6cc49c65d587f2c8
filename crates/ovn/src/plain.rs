//! Values as OVN's own tools print them: `{key=value}`, `[a, b]`, quotes only where needed.
//!
//! Invariant: what is shown without quotes could not be mistaken for anything else.

use ovsdb::value::{Atom, Datum};

/// A column's value for people.
pub(crate) fn plain(datum: &Datum) -> String {
    if datum.is_map() {
        let entries = datum.entries().iter();
        let shown: Vec<String> =
            entries.map(|(key, value)| format!("{}={}", word(key), word(value))).collect();
        return format!("{{{}}}", shown.join(", "));
    }
    match datum.as_atom() {
        Some(atom) => word(atom),
        None => {
            let shown: Vec<String> = datum.atoms().iter().map(word).collect();
            format!("[{}]", shown.join(", "))
        }
    }
}

/// One atom; texts that hold separators or blanks are quoted.
pub(crate) fn word(atom: &Atom) -> String {
    match atom {
        Atom::String(text) if is_plain(text) => text.to_string(),
        Atom::String(text) => format!("{text:?}"),
        Atom::Integer(_) | Atom::Real(_) | Atom::Boolean(_) | Atom::Uuid(_) | Atom::Named(_) => {
            atom.to_string()
        }
    }
}

fn is_plain(text: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@+".contains(&byte);
    !text.is_empty() && text.bytes().all(is_safe)
}

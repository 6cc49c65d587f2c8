//! Texts of other people inside of a message: quoted, and never long.
//!
//! Takes any text; returns one that fits into a sentence. Invariant: however long the text was, no
//! more of it is shown than was asked for.

/// So many characters of a text are quoted.
const MOST: usize = 80;

/// The text in quotation marks, with escapes, cut where it is long.
pub(crate) fn quote(text: &str) -> String {
    let (shown, mark) = cut(text, MOST);
    format!("{shown:?}{mark}")
}

/// The text as it is, cut after so many characters.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let (shown, mark) = cut(text, most);
    format!("{shown}{mark}")
}

fn cut(text: &str, most: usize) -> (&str, &str) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    }
}

#[cfg(test)]
mod tests;

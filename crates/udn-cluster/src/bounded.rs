//! Texts that fit where they go.
//!
//! Invariant: a text that is cut ends between two characters, and says that something is missing.

/// The most bytes of a condition's message; the CRDs allow as many characters.
pub(crate) const LONGEST_MESSAGE: usize = 32_768;
/// The most bytes of an event's message, and of a node's in a status.
pub(crate) const LONGEST_NOTE: usize = 1_024;

const ELLIPSIS: &str = "…";

/// The text, or its beginning.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut end = most.saturating_sub(ELLIPSIS.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{ELLIPSIS}", &text[..end])
}

/// A text for an event.
pub(crate) fn noted(text: &str) -> String {
    cut(text, LONGEST_NOTE)
}

/// A text for a condition.
pub(crate) fn stated(text: &str) -> String {
    cut(text, LONGEST_MESSAGE)
}

/// As many of the items as fit into a number of bytes, and how many more there are.
///
/// The first is always told, if need be in part.
pub(crate) fn list<T: AsRef<str>>(items: &[T], separator: &str, most: usize) -> String {
    list_of_more(items, 0, separator, most)
}

/// The same, with a number of items that nobody named.
pub(crate) fn list_of_more<T: AsRef<str>>(
    items: &[T],
    unnamed: usize,
    separator: &str,
    most: usize,
) -> String {
    let mut text = String::new();
    let mut told = 0;
    for item in items {
        let item = if told == 0 { cut(item.as_ref(), most) } else { item.as_ref().to_owned() };
        let before = if told == 0 { "" } else { separator };
        if told > 0 && text.len() + before.len() + item.len() > most {
            break;
        }
        text.push_str(before);
        text.push_str(&item);
        told += 1;
    }
    match (items.len() - told + unnamed, told) {
        (0, _) => text,
        (more, 0) => format!("{more} more"),
        (more, _) => format!("{text}{separator}{ELLIPSIS} and {more} more"),
    }
}

//! Reads the register, `docs/requirements.md`, as values.
//!
//! Takes text; returns [`Requirement`]s in the order of the page, or what is wrong with a row.
//! Invariant: an id stands once.

use std::fmt;

use crate::shelf::Shelf;

/// Where the register lies.
pub(crate) const REGISTER: &str = "docs/requirements.md";

/// The name of a requirement: one capital letter, a dash, two digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id(String);

/// One row of the register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Requirement {
    pub(crate) id: Id,
    pub(crate) text: String,
    /// The lowest shelf that counts as proof.
    pub(crate) shelf: Shelf,
}

/// A row that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadRow {
    pub(crate) line: usize,
    pub(crate) reason: String,
}

impl Id {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (letter, number) = text.split_once('-')?;
        let is_letter = letter.len() == 1 && letter.chars().all(|c| c.is_ascii_uppercase());
        let is_number = number.len() == 2 && number.chars().all(|c| c.is_ascii_digit());
        (is_letter && is_number).then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}

/// Reads every row, and tells the rows that cannot be read.
pub(crate) fn parse(page: &str) -> (Vec<Requirement>, Vec<BadRow>) {
    let mut requirements: Vec<Requirement> = Vec::new();
    let mut bad = Vec::new();
    for (index, line) in page.lines().enumerate() {
        let row = parse_row(line).map(|row| row.and_then(|row| check_new(row, &requirements)));
        match row {
            None => {}
            Some(Ok(requirement)) => requirements.push(requirement),
            Some(Err(reason)) => bad.push(BadRow { line: index + 1, reason }),
        }
    }
    (requirements, bad)
}

/// One line of the page; `None` when it is not a row of the register.
fn parse_row(line: &str) -> Option<Result<Requirement, String>> {
    let cells = line.strip_prefix('|')?.trim_end().strip_suffix('|')?;
    let (id, rest) = cells.split_once('|')?;
    let (id, (text, shelf)) = (id.trim(), rest.rsplit_once('|')?);
    if id == "id" || id.starts_with("---") {
        return None;
    }
    let Some(id) = Id::parse(id) else {
        return Some(Err(format!("`{id}` is not an id such as L-07")));
    };
    let Some(shelf) = Shelf::parse(shelf.trim()) else {
        return Some(Err(format!("{id} names no known shelf: `{}`", shelf.trim())));
    };
    Some(Ok(Requirement { id, text: text.trim().to_owned(), shelf }))
}

fn check_new(row: Requirement, earlier: &[Requirement]) -> Result<Requirement, String> {
    if earlier.iter().any(|requirement| requirement.id == row.id) {
        return Err(format!("{} stands twice", row.id));
    }
    Ok(row)
}

#[cfg(test)]
mod tests;

//! Renders rows of words as an aligned table, and durations as people read them.
//!
//! Reads values, returns text. Invariant: no line ends in blanks.

use std::time::Duration;

/// A table with a heading row; every row has as many cells as the heading.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(heading: [&str; N]) -> Self {
        Self { rows: vec![heading.map(str::to_owned)] }
    }

    pub(crate) fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells);
    }

    /// The table as lines, the heading underlined.
    pub(crate) fn render(&self) -> String {
        let widths = self.widths();
        let mut lines: Vec<String> = self.rows.iter().map(|row| line(row, &widths)).collect();
        lines.insert(1, line(&widths.map(|width| "─".repeat(width)), &widths));
        lines.join("\n") + "\n"
    }

    fn widths(&self) -> [usize; N] {
        std::array::from_fn(|column| {
            self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
        })
    }
}

fn line<const N: usize>(cells: &[String; N], widths: &[usize; N]) -> String {
    let padded: Vec<String> =
        cells.iter().zip(widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
    format!("  {}", padded.join("  ")).trim_end().to_owned()
}

/// A duration with the precision a reader wants: `0.4 s`, `75 s` as `1 min 15 s`.
pub(crate) fn human(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

/// `1 test`, `2 tests`: a count with its noun.
pub(crate) fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests;

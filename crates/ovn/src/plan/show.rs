//! Shows a plan to people: `+` comes, `~` changes, `-` goes, `!` needs attention.
//!
//! Invariant: an empty plan shows one line that says so.

use std::fmt;

use super::{ColumnChange, Content, Insert, Link, Plan, Reason, Target, Update};
use crate::plain::{plain, word};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() && self.is_complete() {
            return writeln!(f, "nothing to do");
        }
        self.inserts.iter().try_for_each(|row| self.show_insert(f, row))?;
        self.updates.iter().try_for_each(|update| self.show_update(f, update))?;
        self.links.iter().try_for_each(|link| self.show_link(f, '+', "into", link))?;
        self.unlinks.iter().try_for_each(|link| self.show_link(f, '-', "out of", link))?;
        self.deletes.iter().try_for_each(|row| writeln!(f, "- {}", row.label))?;
        self.show_problems(f)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Carries(owner) => write!(f, "rows of {owner} hang below it"),
            Self::ReferredBy(row) => write!(f, "{row} refers to it"),
        }
    }
}

impl Plan {
    fn show_insert(&self, f: &mut fmt::Formatter<'_>, row: &Insert) -> fmt::Result {
        write!(f, "+ {}", row.key)?;
        for (_, parent, column) in &row.places {
            write!(f, " in {parent} {column}")?;
        }
        writeln!(f)?;
        for (column, content) in &row.values {
            writeln!(f, "    {column}: {}", self.content(content))?;
        }
        Ok(())
    }

    fn show_update(&self, f: &mut fmt::Formatter<'_>, update: &Update) -> fmt::Result {
        writeln!(f, "~ {}", update.key)?;
        for (column, change) in &update.changes {
            match change {
                ColumnChange::Set { before, after } => {
                    writeln!(f, "    {column}: {} → {}", plain(before), self.content(after))?;
                }
                ColumnChange::Entries { before, put, remove } => {
                    let old = |key| before.iter().find(|(at, _)| at == key).map(|(_, value)| value);
                    for (key, value) in put {
                        match old(key) {
                            Some(old) => {
                                writeln!(f, "    {column}:{key}: {} → {}", word(old), word(value))?;
                            }
                            None => writeln!(f, "    {column}:{key}: {}", word(value))?,
                        }
                    }
                    remove.iter().try_for_each(|key| writeln!(f, "    {column}:{key}: gone"))?;
                }
            }
        }
        Ok(())
    }

    fn show_link(
        &self,
        f: &mut fmt::Formatter<'_>,
        sign: char,
        word: &str,
        link: &Link,
    ) -> fmt::Result {
        let Link { label, parent, parent_table, column, .. } = link;
        writeln!(f, "{sign} {label} {word} {column} of {parent_table} {}", self.target(parent))
    }

    fn show_problems(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for missing in &self.missing {
            writeln!(f, "! {} waits for {}", missing.row, missing.needs)?;
        }
        for conflict in &self.conflicts {
            let owner = conflict.taken_by.as_ref().map_or("somebody else", |owner| owner.as_str());
            writeln!(f, "! {} already exists and belongs to {owner}", conflict.row)?;
        }
        for held in &self.held {
            writeln!(f, "! {} stays: {}", held.label, held.reason)?;
        }
        for (table, column) in &self.skipped {
            writeln!(f, "! {table}.{column} is left out: this server's schema lacks it")?;
        }
        Ok(())
    }

    fn content(&self, content: &Content) -> String {
        match content {
            Content::Datum(datum) => plain(datum),
            Content::Rows(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| self.target(row)).collect();
                format!("[{}]", rows.join(", "))
            }
            Content::RowMap(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(key, row)| format!("{key}={}", self.target(row)))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }

    fn target(&self, target: &Target) -> String {
        match target {
            Target::Standing(uuid) => uuid.to_string(),
            Target::New(at) => self
                .inserts
                .get(*at)
                .map_or_else(|| "a new row".to_owned(), |row| row.key.to_string()),
        }
    }
}

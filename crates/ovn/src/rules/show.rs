//! Shows the rules to people: for every table, what tells its rows apart and who writes what.
//!
//! Invariant: every table that can be drawn appears.

use std::fmt;

use super::{Rules, Treatment};
use crate::definition::TableDef;
use crate::key::Identity;

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.database.name, self.database.version)?;
        let drawable = self
            .database
            .tables
            .iter()
            .filter_map(|table| Identity::of(table).map(|identity| (*table, identity)));
        drawable.into_iter().try_for_each(|(table, identity)| show_table(f, table, identity))
    }
}

fn show_table(f: &mut fmt::Formatter<'_>, table: &TableDef, identity: Identity) -> fmt::Result {
    writeln!(f, "  {}", table.name)?;
    let told_apart = match identity {
        Identity::Columns(columns) => columns.join(", "),
        Identity::IdOrWithin(columns) => {
            format!("primary id, else {} within the parent", columns.join(", "))
        }
        Identity::Within(columns) => format!("{} within the parent", columns.join(", ")),
        Identity::Single => "there is only one".to_owned(),
    };
    writeln!(f, "    identity: {told_apart}")?;
    let kinds = [
        ("owned", Treatment::Owned),
        ("shared by entry", Treatment::Shared),
        ("lists", Treatment::List),
        ("written by others", Treatment::Foreign),
    ];
    for (word, treatment) in kinds {
        let columns = table.columns.iter().map(|column| column.name);
        let matching: Vec<&str> =
            columns.filter(|column| Treatment::of(table.name, column) == treatment).collect();
        if !matching.is_empty() {
            writeln!(f, "    {word}: {}", matching.join(", "))?;
        }
    }
    Ok(())
}

//! The names that a transaction gives to the rows it inserts.
//!
//! Invariant: a name stands for one identifier from its first mention on, whether the mention
//! comes before or after the insert that defines it.

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::value::{Atom, Datum, Uuid};

/// The names mentioned so far.
#[derive(Debug, Default)]
pub(crate) struct Symbols(BTreeMap<Box<str>, Symbol>);

#[derive(Debug)]
struct Symbol {
    uuid: Uuid,
    is_defined: bool,
}

impl Symbols {
    /// The identifier of the row that an insert defines under `name`.
    pub(super) fn define(
        &mut self,
        name: &str,
        wanted: Option<Uuid>,
        uuids: &mut dyn FnMut() -> Uuid,
    ) -> Result<Uuid, Fault> {
        let symbol = self.mention(name, uuids);
        if symbol.is_defined {
            let problem = format!("uuid-name {name:?} appeared on an earlier insert");
            return Err(Fault::new(Fault::DUPLICATE_UUID_NAME, problem));
        }
        symbol.is_defined = true;
        // compat: ovsdb/execution.c, ovsdb_execute_insert: mentions before the insert keep the
        // identifier they got, also when the insert then asks for another one.
        symbol.uuid = wanted.unwrap_or(symbol.uuid);
        Ok(symbol.uuid)
    }

    /// Replaces every name in a value by its identifier.
    pub(super) fn resolve(
        &mut self,
        datum: Datum,
        uuids: &mut dyn FnMut() -> Uuid,
    ) -> Result<Datum, Fault> {
        if !has_names(&datum) {
            return Ok(datum);
        }
        let resolved = datum.map_atoms(|atom| match atom {
            Atom::Named(name) => Atom::Uuid(self.mention(name, uuids).uuid),
            other => other.clone(),
        });
        if resolved.len() < datum.len() {
            return Err(Fault::new(Fault::UNNAMED, "a name and a uuid in it mean the same row"));
        }
        Ok(resolved)
    }

    fn mention(&mut self, name: &str, uuids: &mut dyn FnMut() -> Uuid) -> &mut Symbol {
        let fresh = || Symbol { uuid: uuids(), is_defined: false };
        self.0.entry(name.into()).or_insert_with(fresh)
    }
}

fn has_names(datum: &Datum) -> bool {
    let is_name = |atom: &Atom| matches!(atom, Atom::Named(_));
    datum.atoms().iter().any(is_name)
        || datum.entries().iter().any(|(key, value)| is_name(key) || is_name(value))
}

//! Reads an operation from JSON, with the server's syntax errors.
//!
//! Invariant: members are checked before anything else, so a syntax error wins over every other
//! error, as on the server.

use serde_json::{Map, Value};

use super::catalog::{Catalog, TableId};
use super::field::Field;
use super::filter::{Clause, Filter};
use super::step::{Reader, Step, Wait, expected, mutable, stored};
use crate::codec::is_identifier;
use crate::fault::Fault;
use crate::schema::TableSchema;

/// The members of one operation.
struct Members<'j>(&'j Map<String, Value>);

type Named<'t> = (TableId, &'t TableSchema);

impl Reader<'_> {
    /// Reads one operation.
    pub(crate) fn step_from_json(
        &mut self,
        catalog: &Catalog,
        json: &Value,
    ) -> Result<Step, Fault> {
        let object = json.as_object().ok_or_else(|| Fault::syntax("object expected"))?;
        let members = Members(object);
        match members.identifier("op")? {
            "insert" => self.insert(catalog, &members),
            "select" => self.select(catalog, &members),
            "update" => self.update(catalog, &members),
            "mutate" => self.mutate(catalog, &members),
            "delete" => self.delete(catalog, &members),
            "wait" => self.wait(catalog, &members),
            "commit" => {
                members.only(&["durable"])?;
                Ok(Step::Commit { durable: members.boolean("durable")? })
            }
            "abort" => members.only(&[]).map(|()| Step::Abort),
            "comment" => {
                members.only(&["comment"])?;
                members.text("comment").map(|_| Step::Comment)
            }
            "assert" => {
                members.only(&["lock"])?;
                Ok(Step::Assert { lock: members.identifier("lock")?.into() })
            }
            other => Err(Fault::syntax(format!("no operation {other:?}"))),
        }
    }

    fn insert(&mut self, catalog: &Catalog, members: &Members<'_>) -> Result<Step, Fault> {
        members.only(&["table", "row", "uuid", "uuid-name"])?;
        let (id, table) = members.table(catalog)?;
        let uuid = members.optional("uuid", Value::as_str)?;
        let name = members.optional("uuid-name", as_identifier)?;
        let row = members.object("row")?;
        let wanted = match uuid.map(|text| (text, crate::codec::parse_uuid(text))) {
            None => None,
            Some((_, Some(uuid))) => Some(uuid),
            Some((text, None)) => return Err(Fault::syntax(format!("bad uuid {text:?}"))),
        };
        let uuid = self.identifier(id, wanted, name)?;
        let row = stored(self.columns(table, row)?);
        Ok(Step::Insert { table: id, uuid, row })
    }

    fn select(&mut self, catalog: &Catalog, members: &Members<'_>) -> Result<Step, Fault> {
        members.only(&["table", "where", "columns", "sort"])?;
        let (id, table) = members.table(catalog)?;
        let conditions = members.array("where")?;
        let columns = members.optional("columns", Value::as_array)?;
        let sort = members.optional("sort", Value::as_array)?;
        let filter = self.filter(table, conditions)?;
        let fields = fields(table, columns)?;
        let sort = match sort {
            None => Vec::new(),
            Some(_) => fields_named(table, sort)?,
        };
        Ok(Step::Select { table: id, filter, fields, sort })
    }

    fn update(&mut self, catalog: &Catalog, members: &Members<'_>) -> Result<Step, Fault> {
        members.only(&["table", "where", "row"])?;
        let (id, table) = members.table(catalog)?;
        let conditions = members.array("where")?;
        let row = self.columns(table, members.object("row")?)?;
        row.iter().try_for_each(|(field, _)| mutable(table, *field).map(|_| ()))?;
        let filter = self.filter(table, conditions)?;
        Ok(Step::Update { table: id, filter, row: stored(row) })
    }

    fn mutate(&mut self, catalog: &Catalog, members: &Members<'_>) -> Result<Step, Fault> {
        members.only(&["table", "where", "mutations"])?;
        let (id, table) = members.table(catalog)?;
        let conditions = members.array("where")?;
        let mutations = members.array("mutations")?;
        let mut changes = Vec::with_capacity(mutations.len());
        for mutation in mutations {
            let (column, mutator, argument) =
                triple(mutation).ok_or_else(|| Fault::syntax("parse error in mutation"))?;
            changes.push(self.mutation(table, column, mutator, argument)?);
        }
        let filter = self.filter(table, conditions)?;
        Ok(Step::Mutate { table: id, filter, changes })
    }

    fn delete(&mut self, catalog: &Catalog, members: &Members<'_>) -> Result<Step, Fault> {
        members.only(&["table", "where"])?;
        let (id, table) = members.table(catalog)?;
        let filter = self.filter(table, members.array("where")?)?;
        Ok(Step::Delete { table: id, filter })
    }

    fn wait(&mut self, catalog: &Catalog, members: &Members<'_>) -> Result<Step, Fault> {
        members.only(&["table", "where", "columns", "until", "rows", "timeout"])?;
        let timeout = members.optional("timeout", as_integer)?;
        let (id, table) = members.table(catalog)?;
        let conditions = members.array("where")?;
        let columns = members.optional("columns", Value::as_array)?;
        let until = members.text("until")?;
        let rows = members.array("rows")?;
        let filter = self.filter(table, conditions)?;
        let fields = fields(table, columns)?;
        let timeout = timeout.map(u64::try_from).transpose();
        let timeout = timeout.map_err(|_| Fault::syntax("timeout must be nonnegative"))?;
        let equal = match until {
            "==" => true,
            "!=" => false,
            _ => return Err(Fault::syntax("\"until\" must be \"==\" or \"!=\"")),
        };
        let mut wanted = Vec::with_capacity(rows.len());
        for row in rows {
            let row = row.as_object().ok_or_else(|| Fault::syntax("row must be JSON object"))?;
            wanted.push(expected(table, &self.columns(table, row)?, &fields));
        }
        let wait = Wait { table: id, filter, equal, fields, rows: wanted, timeout };
        Ok(Step::Wait(Box::new(wait)))
    }

    fn columns(
        &mut self,
        table: &TableSchema,
        row: &Map<String, Value>,
    ) -> Result<Vec<(Field, crate::value::Datum)>, Fault> {
        self.row(table, row.iter().map(|(name, value)| (name.as_str(), value)))
    }

    /// Reads a `where`, also that of a monitor.
    pub(crate) fn filter(
        &mut self,
        table: &TableSchema,
        conditions: &[Value],
    ) -> Result<Filter, Fault> {
        let mut clauses = Vec::with_capacity(conditions.len());
        for condition in conditions {
            if let Some(truth) = condition.as_bool() {
                clauses.push(Clause::Constant(truth));
                continue;
            }
            let (column, function, argument) =
                triple(condition).ok_or_else(|| Fault::syntax("parse error in condition"))?;
            clauses.push(self.clause(table, column, function, argument)?);
        }
        Ok(Filter(clauses))
    }
}

impl<'j> Members<'j> {
    /// Refuses members other than `op` and these.
    fn only(&self, allowed: &[&str]) -> Result<(), Fault> {
        let is_foreign = |name: &&String| *name != "op" && !allowed.contains(&name.as_str());
        match self.0.keys().find(is_foreign) {
            None => Ok(()),
            Some(name) => {
                Err(Fault::syntax(format!("member {name:?} is present but not allowed here")))
            }
        }
    }

    fn optional<T>(
        &self,
        name: &str,
        read: impl FnOnce(&'j Value) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(json) = self.0.get(name) else { return Ok(None) };
        match read(json) {
            Some(value) => Ok(Some(value)),
            None => Err(Fault::syntax(format!("type mismatch for member {name:?}"))),
        }
    }

    fn require<T>(
        &self,
        name: &str,
        read: impl FnOnce(&'j Value) -> Option<T>,
    ) -> Result<T, Fault> {
        let missing = || Fault::syntax(format!("required member {name:?} is missing"));
        self.optional(name, read)?.ok_or_else(missing)
    }

    fn text(&self, name: &str) -> Result<&'j str, Fault> {
        self.require(name, Value::as_str)
    }

    fn identifier(&self, name: &str) -> Result<&'j str, Fault> {
        self.require(name, as_identifier)
    }

    fn boolean(&self, name: &str) -> Result<bool, Fault> {
        self.require(name, Value::as_bool)
    }

    fn array(&self, name: &str) -> Result<&'j Vec<Value>, Fault> {
        self.require(name, Value::as_array)
    }

    fn object(&self, name: &str) -> Result<&'j Map<String, Value>, Fault> {
        self.require(name, Value::as_object)
    }

    fn table<'t>(&self, catalog: &'t Catalog) -> Result<Named<'t>, Fault> {
        let name = self.identifier("table")?;
        catalog.find(name)
    }
}

fn as_identifier(json: &Value) -> Option<&str> {
    json.as_str().filter(|text| is_identifier(text))
}

/// compat: lib/json.c: a number without a fraction is an integer, however it is written.
fn as_integer(json: &Value) -> Option<i64> {
    let whole = |number: f64| (number.fract() == 0.0).then_some(number as i64);
    json.as_i64().or_else(|| json.as_f64().and_then(whole))
}

/// A condition or mutation: column, verb, argument.
fn triple(json: &Value) -> Option<(&str, &str, &Value)> {
    let [column, verb, argument] = json.as_array()?.as_slice() else { return None };
    Some((column.as_str()?, verb.as_str()?, argument))
}

fn fields(table: &TableSchema, columns: Option<&Vec<Value>>) -> Result<Vec<Field>, Fault> {
    match columns {
        None => Ok(Field::all(table)),
        Some(_) => fields_named(table, columns),
    }
}

fn fields_named(table: &TableSchema, columns: Option<&Vec<Value>>) -> Result<Vec<Field>, Fault> {
    let mut fields = Vec::new();
    for column in columns.into_iter().flatten() {
        let name = column.as_str().ok_or_else(|| Fault::syntax("column names expected"))?;
        let field = Field::find(table, name);
        let field = field.ok_or_else(|| Fault::syntax(format!("{name} is not a column")))?;
        if fields.contains(&field) {
            return Err(Fault::syntax("array of distinct column names expected"));
        }
        fields.push(field);
    }
    Ok(fields)
}

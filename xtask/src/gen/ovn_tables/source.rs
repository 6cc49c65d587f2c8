//! Writes the typed OVN and Open vSwitch tables from their schemas.
//!
//! Reads a [`DatabaseSchema`]; returns Rust source, not yet formatted.
//! Invariant: the same schema gives the same text.

use std::fmt::Write as _;

use ovsdb::schema::{
    BaseType, Bounds, ColumnSchema, ColumnType, DatabaseSchema, Strength, TableSchema,
};
use ovsdb::value::{Atom, AtomKind, Real};

#[cfg(test)]
mod tests;

/// The Rust source of one database's tables.
pub(super) fn render(schema: &DatabaseSchema) -> String {
    let DatabaseSchema { name, version, .. } = schema;
    let mut source = format!(
        "//! Tables of `{name}` {version}, written by `cargo xtask gen`; do not edit.\n\
         //!\n\
         //! Invariant: [`DATABASE`] is the schema this file was written from.\n\n\
         use crate::prelude::*;\n\n\
         /// The whole database.\n\
         pub static DATABASE: DatabaseDef = DatabaseDef {{ name: {name:?}, version: {version:?}, tables: &[\n"
    );
    for table in schema.tables() {
        // Qualified, because a column may be called "table" too.
        let _ = writeln!(source, "    <{} as Record>::TABLE,", struct_name(&table.name));
    }
    source.push_str("] };\n");
    for table in schema.tables() {
        source.push_str(&render_table(table));
    }
    source
}

fn render_table(table: &TableSchema) -> String {
    let name = struct_name(&table.name);
    let mut source = String::new();
    for (_, column) in table.columns() {
        source.push_str(&render_enumerations(&name, column));
    }
    let fields: String = table.columns().map(|(_, column)| render_field(&name, column)).collect();
    let constants: String =
        table.columns().map(|(_, column)| render_constant(&name, column)).collect();
    let puts: String = table.columns().map(|(_, column)| render_put(column)).collect();
    let definition = render_definition(table);
    let _ = write!(
        source,
        "\n/// A row of `{table_name}`.\n\
         #[derive(Debug, Clone, Default, PartialEq)]\n\
         pub struct {name} {{\n{fields}}}\n\n\
         impl {name} {{\n{constants}}}\n\n\
         impl Record for {name} {{\n\
         const TABLE: &'static TableDef = &{definition};\n\n\
         fn write(&self, values: &mut Values) {{\n{puts}}}\n}}\n",
        table_name = table.name,
    );
    source
}

fn render_field(table: &str, column: &ColumnSchema) -> String {
    format!("pub {}: {},\n", field_name(&column.name), drawn_type(table, column))
}

fn render_constant(table: &str, column: &ColumnSchema) -> String {
    let upper = column.name.to_uppercase();
    let kind = read_type(table, column);
    format!("pub const {upper}: Column<{kind}> = Column::new({:?});\n", &*column.name)
}

fn render_put(column: &ColumnSchema) -> String {
    format!("put(values, {:?}, &self.{});\n", &*column.name, field_name(&column.name))
}

fn render_definition(table: &TableSchema) -> String {
    let column_name = |id: &_| format!("{:?}", &*table.column(*id).name);
    let index = |columns: &Vec<_>| {
        let names: Vec<String> = columns.iter().map(column_name).collect();
        format!("&[{}]", names.join(", "))
    };
    let indexes: Vec<String> = table.indexes.iter().map(index).collect();
    let columns: String = table.columns().map(|(_, column)| render_column(column)).collect();
    format!(
        "TableDef {{ name: {:?}, is_root: {}, max_rows: {:?}, indexes: &[{}], columns: &[\n{columns}] }}",
        &*table.name,
        table.is_root,
        table.max_rows,
        indexes.join(", "),
    )
}

fn render_column(column: &ColumnSchema) -> String {
    let ColumnType { key, value, min, max } = &column.kind;
    let name = &*column.name;
    let key = render_base(key);
    let mut source = match (value, min, max) {
        (None, 1, Some(1)) => format!("ColumnDef::scalar({name:?}, {key})"),
        (None, 0, Some(1)) => format!("ColumnDef::optional({name:?}, {key})"),
        (None, 0, None) => format!("ColumnDef::set({name:?}, {key})"),
        (None, min, max) => format!("ColumnDef::sized({name:?}, {key}, {min}, {max:?})"),
        (Some(value), _, _) => format!("ColumnDef::map({name:?}, {key}, {})", render_base(value)),
    };
    if column.ephemeral {
        source.push_str(".ephemeral()");
    }
    if !column.mutable {
        source.push_str(".immutable()");
    }
    source + ",\n"
}

fn render_base(base: &BaseType) -> String {
    if let Some(allowed) = base.enumeration() {
        let literals: Vec<String> =
            allowed.atoms().iter().map(|atom| format!("{atom:?}")).collect();
        let word = if base.kind() == AtomKind::Integer { "OneOfIntegers" } else { "OneOf" };
        return format!("BaseDef::{word}(&[{}])", literals.join(", "));
    }
    let plain = !base.has_constraints();
    match base.bounds() {
        Bounds::Boolean => "BaseDef::Boolean".to_owned(),
        Bounds::Integer { .. } if plain => "BaseDef::Integer".to_owned(),
        Bounds::Integer { min, max } => {
            format!("BaseDef::IntegerIn({}, {})", integer_literal(*min), integer_literal(*max))
        }
        Bounds::Real { .. } if plain => "BaseDef::Real".to_owned(),
        Bounds::Real { min, max } => {
            format!("BaseDef::RealIn({:?}, {:?})", min.map(Real::to_f64), max.map(Real::to_f64))
        }
        Bounds::String { .. } if plain => "BaseDef::String".to_owned(),
        Bounds::String { min, max } => {
            let max = if *max == u64::MAX { "u64::MAX".to_owned() } else { max.to_string() };
            format!("BaseDef::StringOf({min}, {max})")
        }
        Bounds::Uuid { reference: None } => "BaseDef::Uuid".to_owned(),
        Bounds::Uuid { reference: Some(reference) } => {
            let word = match reference.strength {
                Strength::Strong => "Strong",
                Strength::Weak => "Weak",
            };
            format!("BaseDef::{word}({:?})", &*reference.table)
        }
    }
}

fn integer_literal(number: i64) -> String {
    match number {
        i64::MIN => "i64::MIN".to_owned(),
        i64::MAX => "i64::MAX".to_owned(),
        number => number.to_string(),
    }
}

/// The type of a field of the struct that rows are drawn with.
fn drawn_type(table: &str, column: &ColumnSchema) -> String {
    let kind = &column.kind;
    let key = atom_type(table, column, &kind.key, "");
    if let Some(value) = &kind.value {
        return match value.reference() {
            Some(_) => format!("RowRefMap<{key}>"),
            None => format!("BTreeMap<{key}, {}>", atom_type(table, column, value, "Value")),
        };
    }
    let refers = kind.key.reference().is_some();
    match (refers, kind.is_composite(), kind.is_scalar()) {
        (true, true, _) => "RowRefs".to_owned(),
        (true, false, _) => "RowRef".to_owned(),
        (false, true, _) => format!("BTreeSet<{key}>"),
        // A scalar of named values has no default among them.
        (false, false, true) if !is_word_list(&kind.key) => key,
        (false, false, _) => format!("Option<{key}>"),
    }
}

/// The type that a column's value is read as.
fn read_type(table: &str, column: &ColumnSchema) -> String {
    let kind = &column.kind;
    let key = atom_type(table, column, &kind.key, "");
    if let Some(value) = &kind.value {
        return format!("BTreeMap<{key}, {}>", atom_type(table, column, value, "Value"));
    }
    match (kind.is_composite(), kind.is_scalar()) {
        (true, _) => format!("BTreeSet<{key}>"),
        (false, true) => key,
        (false, false) => format!("Option<{key}>"),
    }
}

fn atom_type(table: &str, column: &ColumnSchema, base: &BaseType, suffix: &str) -> String {
    if is_word_list(base) {
        return enumeration_name(table, column, suffix);
    }
    let name = match base.kind() {
        AtomKind::Integer => "i64",
        AtomKind::Real => "Real",
        AtomKind::Boolean => "bool",
        AtomKind::String => "String",
        AtomKind::Uuid => "Uuid",
    };
    name.to_owned()
}

fn is_word_list(base: &BaseType) -> bool {
    base.kind() == AtomKind::String && base.enumeration().is_some()
}

fn enumeration_name(table: &str, column: &ColumnSchema, suffix: &str) -> String {
    format!("{table}{}{suffix}", camel_case(&column.name))
}

fn render_enumerations(table: &str, column: &ColumnSchema) -> String {
    let parts = [(Some(&column.kind.key), ""), (column.kind.value.as_ref(), "Value")];
    let mut source = String::new();
    for (base, suffix) in parts {
        let Some(base) = base.filter(|base| is_word_list(base)) else { continue };
        let name = enumeration_name(table, column, suffix);
        let words = base.enumeration().into_iter().flat_map(ovsdb::Datum::atoms);
        let variants: String = words
            .filter_map(Atom::as_str)
            .map(|word| format!("        {} = {word:?},\n", camel_case(word)))
            .collect();
        let _ = write!(
            source,
            "\nenumeration! {{\n    /// A value of `{}`.\n    {name} {{\n{variants}    }}\n}}\n",
            column.name
        );
    }
    source
}

fn struct_name(table: &str) -> String {
    camel_case(table)
}

/// `DHCP_Options` → `DhcpOptions`, `allow-related` → `AllowRelated`, `sFlow` → `SFlow`.
fn camel_case(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let camel: String = words.map(capitalise).collect();
    if camel.starts_with(|c: char| c.is_ascii_digit()) { format!("V{camel}") } else { camel }
}

fn capitalise(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    let is_acronym = word.chars().all(|c| !c.is_ascii_lowercase());
    let rest = if is_acronym { rest.to_ascii_lowercase() } else { rest.to_owned() };
    first.to_ascii_uppercase() + &rest
}

fn field_name(column: &str) -> String {
    match column {
        "type" | "match" => format!("r#{column}"),
        plain => plain.to_owned(),
    }
}

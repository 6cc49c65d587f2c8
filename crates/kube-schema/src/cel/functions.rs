//! The functions of the language and of Kubernetes' libraries.
//!
//! Reads `declarations.txt`, which lists every overload as the server declares it; returns
//! functions with their implementations.
//! Invariant: every declared function has an implementation.

mod authorizer;
mod convert;
mod format;
mod format_text;
mod lists;
mod network;
mod operators;
mod optionals;
mod quantity;
mod regexes;
mod semver;
mod sets;
mod strings;
mod times;
mod url;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use format::NamedFormat;
pub use quantity::Quantity;
pub use semver::Semver;
pub use url::Url;

use super::error::Error;
use super::fuel::Fuel;
use super::types::{Type, split_params};
use super::value::Value;

pub(super) use convert::is_conversion;
pub(super) use format_text::{Clause, Piece, misfit as clause_misfit, piece as next_format_piece};
pub(super) use lists::insert_entry;
pub(crate) use regexes::GoRegex;

/// Why a function gave no value.
#[derive(Debug)]
pub(super) enum Failure {
    /// No overload takes these arguments.
    Mismatch,
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl Failure {
    pub(super) fn new(message: impl Into<std::sync::Arc<str>>) -> Self {
        Self::Error(Error::new(message))
    }
}

/// What a function returns.
pub(super) type Outcome = Result<Value, Failure>;

/// Arguments in order, a method's receiver first, and what may still be spent.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub args: &'a [Value],
    /// The cost that is left; what is larger than this need not be built.
    pub budget: u64,
    pub fuel: &'a Fuel,
}

type Implementation = fn(&Call<'_>) -> Outcome;

/// One signature of a function.
#[derive(Debug)]
pub(super) struct Overload {
    pub id: &'static str,
    pub is_member: bool,
    pub args: Vec<Type>,
    pub result: Type,
    /// The letters that stand for open types in it.
    pub letters: Vec<u32>,
}

/// A function: its signatures, and what it does.
#[derive(Debug)]
pub(super) struct Function {
    pub name: &'static str,
    pub overloads: Vec<Overload>,
    implementation: Implementation,
}

impl Overload {
    /// Whether values fit the declared types, as far as cel-go looks: into the first item of a
    /// list, and no deeper than its type's name elsewhere.
    pub(super) fn takes(&self, args: &[Value]) -> bool {
        self.args.len() == args.len() && self.args.iter().zip(args).all(|(of, arg)| fits(of, arg))
    }
}

fn fits(of_type: &Type, value: &Value) -> bool {
    match (of_type, value) {
        (Type::Dyn | Type::Param(_), _) => true,
        (Type::List(of_items), Value::List(list)) => {
            list.items().first().is_none_or(|first| fits(of_items, first))
        }
        (Type::Map(of_keys, of_values), Value::Map(map)) => map
            .entries()
            .next()
            .is_none_or(|(key, value)| fits(of_keys, &Value::from(&key)) && fits(of_values, value)),
        (Type::Bool, Value::Bool(_))
        | (Type::Int, Value::Int(_))
        | (Type::Uint, Value::Uint(_))
        | (Type::Double, Value::Double(_))
        | (Type::String, Value::String(_))
        | (Type::Bytes, Value::Bytes(_))
        | (Type::Timestamp, Value::Timestamp(_))
        | (Type::Duration, Value::Duration(_))
        | (Type::Null, Value::Null)
        | (Type::Meta(_), Value::Type(_)) => true,
        (Type::Object(name) | Type::Opaque(name, _), value) => **name == *value.type_name(),
        _ => false,
    }
}

impl Function {
    /// Looks a function up by its whole name, such as `sets.contains`.
    pub(super) fn find(name: &str) -> Option<&'static Function> {
        LIBRARY.get(name)
    }

    /// Runs the function; arguments that no overload takes are an error in cel-go's words.
    pub(super) fn call(&self, call: &Call<'_>) -> Result<Value, Error> {
        (self.implementation)(call).map_err(|failure| match failure {
            Failure::Error(error) => error,
            Failure::Mismatch => self.mismatch(call.args),
        })
    }

    /// Whether cel-go looks at the types of arguments before it calls.
    pub(super) fn is_guarded(&self) -> bool {
        !self.is_singleton()
            && !matches!(self.name, "contains" | "startsWith" | "endsWith" | "flatten")
    }

    /// Whether one implementation serves all overloads.
    pub(super) fn is_singleton(&self) -> bool {
        self.name.starts_with(['_', '-', '!', '@'])
            || matches!(self.name, "size" | "matches" | "sort" | "type" | "dyn")
    }

    pub(super) fn mismatch(&self, args: &[Value]) -> Error {
        let types: Vec<&str> = args.iter().map(Value::type_name).collect();
        Error::new(format!("no such overload: {}({})", self.name, types.join(", ")))
    }
}

static DECLARATIONS: &str = include_str!("functions/declarations.txt");

static LIBRARY: LazyLock<BTreeMap<&'static str, Function>> = LazyLock::new(|| {
    let mut library: BTreeMap<&'static str, Function> = BTreeMap::new();
    let mut name = "";
    for line in DECLARATIONS.lines() {
        match line.strip_prefix("    ") {
            None => {
                name = line;
                let implementation = implementation(name).unwrap_or(missing);
                library.insert(name, Function { name, overloads: vec![], implementation });
            }
            Some(signature) => {
                let function = library.get_mut(name).expect("a function precedes its overloads");
                function.overloads.push(overload(signature));
            }
        }
    }
    library
});

fn overload(signature: &'static str) -> Overload {
    let (head, result) = signature.rsplit_once(") ").expect("a signature has a result");
    let (id, args) = head.split_once('(').expect("a signature has arguments");
    let is_member = id.starts_with('.');
    let args: Vec<Type> = split_params(args).into_iter().map(Type::parse).collect();
    let result = Type::parse(result);
    let mut letters = Vec::new();
    args.iter().chain([&result]).for_each(|of_type| collect_letters(of_type, &mut letters));
    Overload { id: id.trim_start_matches('.'), is_member, args, result, letters }
}

fn collect_letters(of_type: &Type, letters: &mut Vec<u32>) {
    match of_type {
        Type::Param(letter) if !letters.contains(letter) => letters.push(*letter),
        of_type => of_type.params().into_iter().for_each(|param| collect_letters(param, letters)),
    }
}

fn implementation(name: &str) -> Option<Implementation> {
    operators::find(name)
        .or_else(|| convert::find(name))
        .or_else(|| times::find(name))
        .or_else(|| strings::find(name))
        .or_else(|| lists::find(name))
        .or_else(|| sets::find(name))
        .or_else(|| optionals::find(name))
        .or_else(|| regexes::find(name))
        .or_else(|| network::find(name))
        .or_else(|| format::find(name))
        .or_else(|| quantity::find(name))
        .or_else(|| url::find(name))
        .or_else(|| semver::find(name))
        .or_else(|| authorizer::find(name))
}

fn missing(_: &Call<'_>) -> Outcome {
    Err(Failure::Mismatch)
}

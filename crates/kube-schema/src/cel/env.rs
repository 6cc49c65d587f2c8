//! What surrounds an expression: declared variables, their values, and the cost it may spend.
//!
//! Reads declarations; returns an [`Env`] to compile with and [`Variables`] to run with.
//! Invariant: a variable keeps its slot; programs of one `Env` read the `Variables` of that `Env`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::declared::{Declared, Object};
use super::types::Type;
use super::value::Value;

/// The most that one call may cost. (compat: apiserver/pkg/apis/cel/config.go, PerCallLimit)
const PER_CALL_LIMIT: u64 = 1_000_000;

/// Fields of object types, by the types' names.
pub(super) type Objects = BTreeMap<Arc<str>, BTreeMap<String, Type>>;

/// The variables that expressions may name.
#[derive(Debug, Clone, Default)]
pub struct Env {
    scope: Arc<Scope>,
}

#[derive(Debug, Clone, Default)]
struct Scope {
    variables: Vec<Variable>,
    objects: Objects,
}

#[derive(Debug, Clone)]
struct Variable {
    name: String,
    declared: Declared,
    of_type: Type,
    /// What its type is called, and what lies in it after.
    type_name: String,
}

impl Env {
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares one more variable.
    ///
    /// Variables of equal declarations are of one type, so that `self` and `oldSelf` compare.
    #[must_use]
    pub fn with(mut self, name: &str, declared: Declared) -> Self {
        let scope = Arc::make_mut(&mut self.scope);
        let bare = inner(&declared);
        let twin = scope.variables.iter().find(|known| inner(&known.declared) == bare);
        let type_name = twin.map_or_else(|| format!("{name}Type"), |twin| twin.type_name.clone());
        let of_type = type_of(&declared, &type_name, &mut scope.objects);
        scope.variables.push(Variable { name: name.to_owned(), declared, of_type, type_name });
        self
    }

    /// Returns an empty set of values for the variables declared here.
    pub fn variables(&self) -> Variables {
        Variables { env: self.clone(), slots: vec![None; self.scope.variables.len()] }
    }

    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        self.scope.variables.iter().position(|known| known.name == name)
    }

    pub(super) fn type_of(&self, name: &str) -> Option<&Type> {
        self.slot(name).map(|slot| &self.scope.variables[slot].of_type)
    }

    pub(super) fn declared(&self, name: &str) -> Option<&Declared> {
        self.slot(name).map(|slot| &self.scope.variables[slot].declared)
    }

    pub(super) fn objects(&self) -> &Objects {
        &self.scope.objects
    }

    pub(super) fn name_of(&self, slot: usize) -> &str {
        &self.scope.variables[slot].name
    }
}

fn inner(declared: &Declared) -> &Declared {
    match declared {
        Declared::Optional(inner) => inner,
        declared => declared,
    }
}

/// The checker's view of a declaration; objects are called after where they stand.
/// (compat: apiserver/pkg/cel/types.go, MaybeAssignTypeName)
fn type_of(declared: &Declared, name: &str, objects: &mut Objects) -> Type {
    match declared {
        Declared::Bool => Type::Bool,
        Declared::Int => Type::Int,
        Declared::Uint => Type::Uint,
        Declared::Double => Type::Double,
        Declared::String { .. } => Type::String,
        Declared::Bytes { .. } => Type::Bytes,
        Declared::Timestamp { .. } => Type::Timestamp,
        Declared::Duration { .. } => Type::Duration,
        Declared::Dyn { .. } => Type::Dyn,
        Declared::List { items, .. } => {
            Type::list(type_of(items, &format!("{name}.@idx"), objects))
        }
        Declared::Map { keys, values, .. } => {
            let keys = type_of(keys, &format!("{name}.@key"), objects);
            Type::map(keys, type_of(values, &format!("{name}.@elem"), objects))
        }
        Declared::Object(object) => object_type(object, name, objects),
        Declared::Optional(inner) => Type::optional(type_of(inner, name, objects)),
    }
}

fn object_type(object: &Object, path: &str, objects: &mut Objects) -> Type {
    let name: Arc<str> = object.name.as_deref().unwrap_or(path).into();
    let mut fields = BTreeMap::new();
    for (field, declared) in &object.fields {
        fields.insert(field.clone(), type_of(declared, &format!("{name}.{field}"), objects));
    }
    objects.insert(name.clone(), fields);
    Type::Object(name)
}

/// Values of an [`Env`]'s variables for one run; an unset variable is an error only where used.
#[derive(Debug, Clone)]
pub struct Variables {
    env: Env,
    slots: Vec<Option<Value>>,
}

impl Variables {
    /// Gives a declared variable its value; an undeclared name is ignored.
    pub fn set(&mut self, name: &str, value: Value) {
        if let Some(slot) = self.env.slot(name) {
            self.slots[slot] = Some(value);
        }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.set(name, value);
        self
    }

    pub(super) fn slot(&self, slot: usize) -> Option<&Value> {
        self.slots.get(slot)?.as_ref()
    }
}

/// The cost that a call may spend, and what it has spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    limit: u64,
    spent: u64,
}

impl Budget {
    pub fn new(limit: u64) -> Self {
        Self { limit, spent: 0 }
    }

    /// What the server allows one rule to cost.
    pub fn per_call() -> Self {
        Self::new(PER_CALL_LIMIT)
    }

    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The actual cost of the calls so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    pub(super) fn set_spent(&mut self, spent: u64) {
        self.spent = spent;
    }
}

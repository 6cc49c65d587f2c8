//! What types the parts of an expression have.
//!
//! Reads a tree and the [`Env`] it lives in; returns a type for every node and what every name
//! and call refers to, or complaints in cel-go's words.
//! Invariant: a tree that was checked without complaint is one that the server accepts.

mod call;
mod literals;
mod unify;

use std::sync::Arc;

use super::env::Env;
use super::functions::{Function, Overload};
use super::source::Issues;
use super::syntax::{Ast, Comprehension, Entry, Kind, NodeId};
use super::types::Type;
use super::value::Value;
use unify::{Bindings, most_general};

pub(super) use literals::check_literals;

/// What a name or call refers to.
#[derive(Debug, Clone)]
pub(super) enum Reference {
    /// A variable of the environment or of a loop.
    Variable(String),
    /// A type, and its name at run time if it has one there.
    Type(String, Option<&'static str>),
    Call {
        function: &'static Function,
        overloads: Vec<&'static Overload>,
        has_target: bool,
    },
}

/// A checked tree's types and references, by node.
#[derive(Debug)]
pub(super) struct Checked {
    types: Vec<Option<Type>>,
    references: Vec<Option<Reference>>,
}

impl Checked {
    pub(super) fn type_of(&self, node: NodeId) -> &Type {
        self.types[node.index()].as_ref().unwrap_or(&Type::Dyn)
    }

    pub(super) fn reference(&self, node: NodeId) -> Option<&Reference> {
        self.references[node.index()].as_ref()
    }

    pub(super) fn references(&self) -> impl Iterator<Item = &Reference> {
        self.references.iter().flatten()
    }
}

/// Types that have a name in expressions: the name, the type, and its name at run time.
const TYPE_NAMES: [(&str, &str, Option<&str>); 17] = [
    ("bool", "bool", Some("bool")),
    ("bytes", "bytes", Some("bytes")),
    ("double", "double", Some("double")),
    ("google.protobuf.Duration", "duration", Some("google.protobuf.Duration")),
    ("int", "int", Some("int")),
    ("list", "list(A)", Some("list")),
    ("map", "map(A, B)", Some("map")),
    ("string", "string", Some("string")),
    ("google.protobuf.Timestamp", "timestamp", Some("google.protobuf.Timestamp")),
    ("uint", "uint", Some("uint")),
    ("net.IP", "net.IP", Some("net.IP")),
    ("net.CIDR", "net.CIDR", Some("net.CIDR")),
    ("optional_type", "optional_type()", Some("optional_type")),
    // compat: apiserver/pkg/cel/types.go, findScalar; known to the checker and to no one else
    ("duration", "duration", None),
    ("timestamp", "timestamp", None),
    ("type", "", Some("type")),
    ("null_type", "", Some("null_type")),
];

struct Checker<'a> {
    ast: &'a Ast,
    env: &'a Env,
    issues: &'a mut Issues,
    bindings: Bindings,
    /// Variables of loops, the innermost last.
    locals: Vec<(&'a str, Type)>,
    checked: Checked,
}

/// Checks a whole tree.
pub(super) fn check(ast: &Ast, root: NodeId, env: &Env, issues: &mut Issues) -> Checked {
    let checked = Checked { types: vec![None; ast.len()], references: vec![None; ast.len()] };
    let bindings = Bindings::new();
    let mut checker = Checker { ast, env, issues, bindings, locals: vec![], checked };
    checker.check(root);
    for place in 0..checker.checked.types.len() {
        if let Some(open) = checker.checked.types[place].take() {
            checker.checked.types[place] = Some(checker.bindings.resolve(&open, true));
        }
    }
    if checker.bindings.is_exhausted() {
        checker.issues.report_whole("expression is too complex to be checked");
    }
    checker.checked
}

impl<'a> Checker<'a> {
    fn check(&mut self, node: NodeId) -> Type {
        let of_type = match self.ast.kind(node) {
            Kind::Literal(value) => literal_type(value),
            Kind::Ident(name) => self.ident(node, name),
            Kind::Select { operand, field, is_test } => {
                self.select(node, *operand, field, *is_test)
            }
            Kind::Call { function, target, args } => self.call(node, function, *target, args),
            Kind::List(items) => self.list(items),
            Kind::Map(entries) => self.map(entries),
            Kind::Message { name, .. } => self.message(node, name),
            Kind::Comprehension(fold) => self.comprehension(fold),
            Kind::Broken => Type::Error,
        };
        self.checked.types[node.index()] = Some(of_type.clone());
        of_type
    }

    fn report(&mut self, node: NodeId, message: impl Into<String>) {
        self.issues.report(self.ast.place(node), message);
    }

    fn refer(&mut self, node: NodeId, reference: Reference) {
        self.checked.references[node.index()] = Some(reference);
    }

    fn ident(&mut self, node: NodeId, name: &str) -> Type {
        match self.lookup(name) {
            Some((of_type, reference)) => {
                self.refer(node, reference);
                of_type
            }
            None => self.undeclared(node, name),
        }
    }

    fn undeclared(&mut self, node: NodeId, name: &str) -> Type {
        self.report(node, format!("undeclared reference to '{name}' (in container '')"));
        Type::Error
    }

    fn lookup(&self, name: &str) -> Option<(Type, Reference)> {
        let name = name.strip_prefix('.').unwrap_or(name);
        let variable = || Reference::Variable(name.to_owned());
        if let Some((_, of_type)) = self.locals.iter().rev().find(|(known, _)| *known == name) {
            return Some((of_type.clone(), variable()));
        }
        if let Some(of_type) = self.env.type_of(name) {
            return Some((of_type.clone(), variable()));
        }
        let (inner, run_name) = self.type_named(name)?;
        let of_type = Type::Meta(inner.map(Arc::new));
        Some((of_type, Reference::Type(name.to_owned(), run_name)))
    }

    /// A type by its name: what it is, and what it is called at run time.
    fn type_named(&self, name: &str) -> Option<(Option<Type>, Option<&'static str>)> {
        if self.env.objects().contains_key(name) {
            return Some((Some(Type::Object(name.into())), None));
        }
        let (_, text, run_name) = TYPE_NAMES.iter().find(|(known, ..)| *known == name)?;
        let inner = match name {
            "type" => Type::Meta(None),
            "null_type" => Type::Null,
            _ => Type::parse(text),
        };
        Some((Some(inner), *run_name))
    }

    fn select(&mut self, node: NodeId, operand: NodeId, field: &str, is_test: bool) -> Type {
        let name = self.ast.qualified_name(node);
        if let Some((of_type, reference)) = name.and_then(|name| self.lookup(&name)) {
            self.refer(node, reference);
            return of_type;
        }
        let of_type = self.field(node, operand, field, false);
        if is_test { Type::Bool } else { self.bindings.resolve(&of_type, false) }
    }

    /// The type of a field; of an optional operand it is optional too.
    fn field(&mut self, node: NodeId, operand: NodeId, field: &str, is_optional: bool) -> Type {
        let operand_type = self.check(operand);
        let operand_type = self.bindings.resolve(&operand_type, false);
        let inner = operand_type.optional_inner();
        let target = inner.unwrap_or(&operand_type);
        let result = match target {
            Type::Map(_, values) => Type::clone(values),
            Type::Object(name) => self.field_of(node, name, field),
            Type::Param(_) => {
                self.bindings.fits(&Type::Dyn, target);
                Type::Dyn
            }
            target => {
                if !target.is_dyn_or_error() {
                    self.report(node, format!("type '{target}' does not support field selection"));
                }
                Type::Dyn
            }
        };
        if is_optional || inner.is_some() { Type::optional(result) } else { result }
    }

    fn field_of(&mut self, node: NodeId, object: &Arc<str>, field: &str) -> Type {
        match self.env.objects().get(object) {
            None => {
                self.report(node, format!("unexpected failed resolution of '{object}'"));
                Type::Error
            }
            Some(fields) => match fields.get(field) {
                Some(of_type) => of_type.clone(),
                None => {
                    self.report(node, format!("undefined field '{field}'"));
                    Type::Error
                }
            },
        }
    }

    fn list(&mut self, items: &'a [(NodeId, bool)]) -> Type {
        let mut joined = None;
        for (item, is_optional) in items {
            let item_type = self.check(*item);
            let item_type = self.item_type(*item, item_type, *is_optional);
            joined = Some(self.join(joined, item_type));
        }
        Type::list(joined.unwrap_or_else(|| self.bindings.fresh()))
    }

    fn map(&mut self, entries: &'a [Entry]) -> Type {
        let (mut keys, mut values) = (None, None);
        for entry in entries {
            let key = self.check(entry.key);
            keys = Some(self.join(keys, key));
            let value = self.check(entry.value);
            let value = self.item_type(entry.value, value, entry.is_optional);
            values = Some(self.join(values, value));
        }
        match (keys, values) {
            (Some(keys), Some(values)) => Type::map(keys, values),
            _ => Type::map(self.bindings.fresh(), self.bindings.fresh()),
        }
    }

    /// The type of an item, which must be optional where it is marked so.
    fn item_type(&mut self, node: NodeId, of_type: Type, is_optional: bool) -> Type {
        if !is_optional {
            return of_type;
        }
        match of_type.optional_inner() {
            Some(inner) => inner.clone(),
            None => {
                if of_type != Type::Dyn {
                    let wanted = Type::optional(of_type.clone());
                    self.mismatch(node, &wanted, &of_type);
                }
                of_type
            }
        }
    }

    fn join(&mut self, previous: Option<Type>, current: Type) -> Type {
        let Some(previous) = previous else { return current };
        if self.bindings.fits(&previous, &current) {
            return most_general(&previous, &current).clone();
        }
        // Lists and maps that mix types are judged with the other literals.
        Type::Dyn
    }

    fn mismatch(&mut self, node: NodeId, wanted: &Type, found: &Type) {
        self.report(node, format!("expected type '{wanted}' but found '{found}'"));
    }

    /// Messages can be built of no type that rules know; fields of one are not looked at.
    fn message(&mut self, node: NodeId, name: &str) -> Type {
        match self.lookup(name) {
            None => self.undeclared(node, name),
            Some((Type::Meta(Some(inner)), _)) => {
                self.report(node, format!("'{inner}' is not a message type"));
                Type::Error
            }
            Some((of_type, _)) => {
                self.report(node, format!("'{of_type}' is not a type"));
                Type::Error
            }
        }
    }

    fn comprehension(&mut self, fold: &'a Comprehension) -> Type {
        let range = self.check(fold.range);
        let accumulated = self.check(fold.init);
        let range = self.bindings.resolve(&range, false);
        let scope = self.locals.len();
        self.locals.push((&fold.accumulator, accumulated.clone()));
        let (first, second) = self.variable_types(fold, &range);
        self.locals.push((&fold.variable, first));
        if let Some(name) = &fold.second_variable {
            self.locals.push((name, second));
        }
        let condition = self.check(fold.condition);
        self.expect(fold.condition, &Type::Bool, &condition);
        let step = self.check(fold.step);
        self.expect(fold.step, &accumulated, &step);
        self.locals.truncate(scope + 1);
        let result = self.check(fold.result);
        self.locals.truncate(scope);
        self.bindings.resolve(&result, false)
    }

    fn variable_types(&mut self, fold: &Comprehension, range: &Type) -> (Type, Type) {
        let has_second = fold.second_variable.is_some();
        match range {
            Type::List(items) if has_second => (Type::Int, Type::clone(items)),
            Type::List(items) => (Type::clone(items), Type::Dyn),
            Type::Map(keys, values) => (Type::clone(keys), Type::clone(values)),
            Type::Dyn | Type::Error | Type::Param(_) => {
                self.bindings.fits(&Type::Dyn, range);
                (Type::Dyn, Type::Dyn)
            }
            range => {
                let problem = "cannot be range of a comprehension (must be list, map, or dynamic)";
                self.report(fold.range, format!("expression of type '{range}' {problem}"));
                (Type::Error, Type::Error)
            }
        }
    }

    fn expect(&mut self, node: NodeId, wanted: &Type, found: &Type) {
        if !self.bindings.fits(wanted, found) {
            self.mismatch(node, wanted, found);
        }
    }
}

fn literal_type(value: &Value) -> Type {
    match value {
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::Int,
        Value::Uint(_) => Type::Uint,
        Value::Double(_) => Type::Double,
        Value::String(_) => Type::String,
        Value::Bytes(_) => Type::Bytes,
        _ => Type::Null,
    }
}

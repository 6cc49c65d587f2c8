//! What can be said of constants before they are used.
//!
//! Reads a checked tree; complains of texts that are no duration, timestamp or pattern, of lists
//! and maps that mix types, and of formats that do not fit their values.
//! Invariant: constants are judged by the same code that would run them.

use super::Checked;
use crate::cel::fuel::Fuel;
use crate::cel::functions::{
    Call, Clause, Function, GoRegex, Piece, clause_misfit, next_format_piece,
};
use crate::cel::source::Issues;
use crate::cel::syntax::{Ast, Entry, Kind, NodeId};
use crate::cel::types::Type;
use crate::cel::value::Value;

struct Walk<'a> {
    ast: &'a Ast,
    checked: &'a Checked,
    issues: &'a mut Issues,
}

/// Complains of constants anywhere in the tree.
pub(in crate::cel) fn check_literals(
    ast: &Ast,
    root: NodeId,
    checked: &Checked,
    issues: &mut Issues,
) {
    Walk { ast, checked, issues }.node(root, false);
}

impl Walk<'_> {
    /// Looks at a node and below; arguments of `format` may mix types.
    fn node(&mut self, node: NodeId, is_exempt: bool) {
        let ast = self.ast;
        match ast.kind(node) {
            Kind::Literal(_) | Kind::Ident(_) | Kind::Broken => {}
            Kind::Select { operand, .. } => self.node(*operand, is_exempt),
            Kind::Call { function, target, args } => {
                self.call(node, function, *target, args);
                let is_exempt = is_exempt || function == "format";
                for part in target.iter().chain(args) {
                    self.node(*part, is_exempt);
                }
            }
            Kind::List(items) => {
                if !is_exempt {
                    self.list(items);
                }
                for (item, _) in items {
                    self.node(*item, is_exempt);
                }
            }
            Kind::Map(entries) => {
                if !is_exempt {
                    self.map(entries);
                }
                for entry in entries {
                    self.node(entry.key, is_exempt);
                    self.node(entry.value, is_exempt);
                }
            }
            Kind::Message { fields, .. } => {
                for (_, value) in fields {
                    self.node(*value, is_exempt);
                }
            }
            Kind::Comprehension(fold) => {
                for part in [fold.range, fold.init, fold.condition, fold.step, fold.result] {
                    self.node(part, is_exempt);
                }
            }
        }
    }

    fn report(&mut self, node: NodeId, message: impl Into<String>) {
        self.issues.report(self.ast.place(node), message);
    }

    fn call(&mut self, node: NodeId, function: &str, target: Option<NodeId>, args: &[NodeId]) {
        let literal = |node: NodeId| match self.ast.kind(node) {
            Kind::Literal(value) => Some(value),
            _ => None,
        };
        let first = args.first().and_then(|arg| literal(*arg));
        let is_wrong = match (function, first) {
            ("duration" | "timestamp", Some(value)) => {
                let call =
                    Call { args: std::slice::from_ref(value), budget: 0, fuel: &Fuel::new() };
                Function::find(function).is_none_or(|function| function.call(&call).is_err())
            }
            ("matches", Some(Value::String(pattern))) => GoRegex::new(pattern).is_err(),
            _ => false,
        };
        if is_wrong {
            self.report(args[0], format!("invalid {function} argument"));
        }
        let format = target.and_then(literal);
        if let ("format", Some(Value::String(format)), [arg]) = (function, format, args)
            && let Kind::List(items) = self.ast.kind(*arg)
        {
            self.format(node, format, items);
        }
    }

    fn format(&mut self, node: NodeId, format: &str, items: &[(NodeId, bool)]) {
        let mut rest = format;
        let mut used = 0;
        while !rest.is_empty() {
            let (piece, after) = match next_format_piece(rest) {
                Ok(read) => read,
                Err(problem) if problem.starts_with("unexpected") || used < items.len() => {
                    return self.report(node, problem);
                }
                Err(_) => return self.report(node, format!("index {used} out of range")),
            };
            rest = after;
            let Piece::Clause(clause) = piece else { continue };
            let Some((item, _)) = items.get(used) else {
                return self.report(node, format!("index {used} out of range"));
            };
            if let Some(bad) = self.misfit(clause, *item) {
                let name = type_name(self.checked.type_of(bad));
                let problem = clause_misfit(clause, &name);
                return self.report(bad, format!("error during formatting: {problem}"));
            }
            used += 1;
        }
        if items.len() > used {
            let found = items.len();
            let problem = "too many arguments supplied to string.format";
            self.report(node, format!("{problem} (expected {used}, got {found})"));
        }
    }

    /// The part of an argument whose type its clause does not take.
    fn misfit(&self, clause: Clause, node: NodeId) -> Option<NodeId> {
        let of_type = self.checked.type_of(node);
        let fits = match clause {
            Clause::String => is_printable(of_type),
            Clause::Decimal | Clause::Octal => matches!(of_type, Type::Int | Type::Uint),
            Clause::Fixed(_) | Clause::Scientific(_) => {
                matches!(of_type, Type::Double | Type::String)
            }
            Clause::Binary => matches!(of_type, Type::Int | Type::Uint | Type::Bool),
            Clause::Hex { .. } => {
                matches!(of_type, Type::Int | Type::Uint | Type::String | Type::Bytes)
            }
        };
        if !fits && *of_type != Type::Dyn {
            return Some(node);
        }
        if clause != Clause::String {
            return None;
        }
        match self.ast.kind(node) {
            Kind::List(items) => items.iter().find_map(|(item, _)| self.misfit(clause, *item)),
            Kind::Map(entries) => entries.iter().find_map(|entry| {
                self.misfit(clause, entry.key).or_else(|| self.misfit(clause, entry.value))
            }),
            _ => None,
        }
    }

    fn list(&mut self, items: &[(NodeId, bool)]) {
        let mut wanted: Option<Type> = None;
        for (item, is_optional) in items {
            let found = self.item_type(*item, *is_optional);
            match &wanted {
                None => wanted = Some(found),
                Some(wanted) if *wanted != found => return self.mismatch(*item, wanted, &found),
                Some(_) => {}
            }
        }
    }

    fn map(&mut self, entries: &[Entry]) {
        let mut wanted: Option<(Type, Type)> = None;
        for entry in entries {
            let key = self.item_type(entry.key, false);
            let value = self.item_type(entry.value, entry.is_optional);
            let Some((wanted_key, wanted_value)) = &wanted else {
                wanted = Some((key, value));
                continue;
            };
            if *wanted_key != key {
                self.mismatch(entry.key, wanted_key, &key);
            }
            if *wanted_value != value {
                self.mismatch(entry.value, wanted_value, &value);
            }
        }
    }

    fn item_type(&self, node: NodeId, is_optional: bool) -> Type {
        let of_type = self.checked.type_of(node);
        match of_type.optional_inner() {
            Some(inner) if is_optional => inner.clone(),
            _ => of_type.clone(),
        }
    }

    fn mismatch(&mut self, node: NodeId, wanted: &Type, found: &Type) {
        self.report(node, format!("expected type '{wanted}' but found '{found}'"));
    }
}

fn is_printable(of_type: &Type) -> bool {
    !matches!(of_type, Type::Object(_) | Type::Opaque(..) | Type::Error | Type::Param(_))
}

/// The name of a type without its parameters, as at run time.
fn type_name(of_type: &Type) -> String {
    match of_type {
        Type::Null => "null_type".to_owned(),
        Type::Duration => "google.protobuf.Duration".to_owned(),
        Type::Timestamp => "google.protobuf.Timestamp".to_owned(),
        Type::List(_) => "list".to_owned(),
        Type::Map(..) => "map".to_owned(),
        Type::Meta(_) => "type".to_owned(),
        Type::Opaque(name, _) => name.to_string(),
        other => other.to_string(),
    }
}

//! Which overloads a call may mean.
//!
//! Reads a call and the types of its arguments; returns its type and its candidates.
//! Invariant: candidates are kept in the order of their declaration; the first decides the type
//! unless another disagrees.

use super::unify::Bindings;
use super::{Checker, Reference, Type};
use crate::cel::functions::{Function, Overload};
use crate::cel::syntax::{Kind, NodeId};
use crate::cel::value::Value;

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        node: NodeId,
        name: &str,
        target: Option<NodeId>,
        args: &[NodeId],
    ) -> Type {
        if name == "_?._" {
            return self.optional_select(node, args);
        }
        let mut types = self.check_all(args);
        let Some(target) = target else {
            return match Function::find(name.strip_prefix('.').unwrap_or(name)) {
                Some(function) => self.resolve(node, function, None, args, &types),
                None => self.undeclared(node, name),
            };
        };
        let prefix = self.ast.qualified_name(target);
        let qualified = prefix
            .and_then(|prefix| Function::find(format!("{prefix}.{name}").trim_start_matches('.')));
        if let Some(function) = qualified {
            return self.resolve(node, function, None, args, &types);
        }
        types.insert(0, self.check(target));
        match Function::find(name) {
            Some(function) => self.resolve(node, function, Some(target), args, &types),
            None => self.undeclared(node, name),
        }
    }

    fn check_all(&mut self, nodes: &[NodeId]) -> Vec<Type> {
        let mut types = Vec::with_capacity(nodes.len() + 1);
        for node in nodes {
            types.push(self.check(*node));
        }
        types
    }

    fn optional_select(&mut self, node: NodeId, args: &[NodeId]) -> Type {
        let (operand, field) = (args[0], args[1]);
        let Kind::Literal(Value::String(field)) = self.ast.kind(field) else {
            self.report(field, "unsupported optional field selection");
            return Type::Error;
        };
        let of_type = self.field(node, operand, field, true);
        let function = Function::find("_?._").expect("optional selection is declared");
        let overloads = function.overloads.iter().collect();
        self.refer(node, Reference::Call { function, overloads, has_target: false });
        self.bindings.resolve(&of_type, false)
    }

    /// Finds the overloads that take these arguments, a target's type first.
    fn resolve(
        &mut self,
        node: NodeId,
        function: &'static Function,
        target: Option<NodeId>,
        args: &[NodeId],
        types: &[Type],
    ) -> Type {
        if matches!(function.name, "_&&_" | "_||_") {
            return self.logic(node, function, args, types);
        }
        let mut result: Option<Type> = None;
        let mut overloads: Vec<&'static Overload> = Vec::new();
        for overload in &function.overloads {
            if overload.is_member != target.is_some() || overload.args.len() != types.len() {
                continue;
            }
            let first = self.bindings.fresh_letters(&overload.letters);
            let wanted: Vec<Type> = overload
                .args
                .iter()
                .map(|arg| Bindings::instantiate(arg, &overload.letters, first))
                .collect();
            let pairs: Vec<(&Type, &Type)> = types.iter().zip(&wanted).collect();
            if !self.bindings.all_fit(&pairs) {
                continue;
            }
            overloads.push(overload);
            let found = Bindings::instantiate(&overload.result, &overload.letters, first);
            let found = self.bindings.resolve(&found, false);
            result = Some(match result {
                None => found,
                Some(known) if known == Type::Dyn || known == found => known,
                Some(_) => Type::Dyn,
            });
        }
        match result {
            Some(result) => {
                let has_target = target.is_some();
                self.refer(node, Reference::Call { function, overloads, has_target });
                result
            }
            None => {
                let signature = self.signature(types, target.is_some());
                let problem = "found no matching overload for";
                let name = function.name;
                self.report(node, format!("{problem} '{name}' applied to '{signature}'"));
                Type::Error
            }
        }
    }

    fn logic(
        &mut self,
        node: NodeId,
        function: &'static Function,
        args: &[NodeId],
        types: &[Type],
    ) -> Type {
        let mut fits = true;
        for (arg, of_type) in args.iter().zip(types) {
            if !self.bindings.fits(of_type, &Type::Bool) {
                self.mismatch(*arg, &Type::Bool, of_type);
                fits = false;
            }
        }
        if !fits {
            return Type::Error;
        }
        let overloads = function.overloads.iter().collect();
        self.refer(node, Reference::Call { function, overloads, has_target: false });
        Type::Bool
    }

    fn signature(&mut self, types: &[Type], has_target: bool) -> String {
        let mut names = types.iter().map(|it| self.bindings.resolve(it, true).to_string());
        let target = if has_target { names.next().map(|name| format!("{name}.")) } else { None };
        let args: Vec<String> = names.collect();
        format!("{}({})", target.unwrap_or_default(), args.join(", "))
    }
}

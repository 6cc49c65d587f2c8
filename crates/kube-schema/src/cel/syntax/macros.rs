//! Calls that are not calls: `has`, `all`, `map` and their like.
//!
//! Reads a call's function, target and arguments; returns the tree it stands for.
//! Invariant: a call that looks like a macro and is not well formed is a complaint.

use super::ast::{Ast, Comprehension, Kind, NodeId};
use crate::cel::value::Value;

/// The name no expression can write.
const ACCUMULATOR: &str = "@result";
const OLD_ACCUMULATOR: &str = "__result__";
const UNUSED: &str = "#unused";
const SORT_INPUT: &str = "@__sortBy_input__";

/// Copies of targets may not grow a tree beyond this.
const MOST_NODES: usize = 500_000;

/// A complaint about an argument.
#[derive(Debug)]
pub(super) struct Misuse {
    pub place: usize,
    pub message: String,
}

/// A tree in the making, at the place of the call that is expanded.
struct Builder<'a> {
    ast: &'a mut Ast,
    place: usize,
}

/// Expands the call if it is a macro.
pub(super) fn expand(
    ast: &mut Ast,
    place: usize,
    function: &str,
    target: Option<NodeId>,
    args: &[NodeId],
) -> Option<Result<NodeId, Misuse>> {
    let mut builder = Builder { ast, place };
    let Some(target) = target else {
        return (function == "has" && args.len() == 1).then(|| builder.has(args[0]));
    };
    Some(match (function, args) {
        ("all" | "exists" | "exists_one", [variable, predicate]) => {
            builder.quantifier(function, target, *variable, *predicate)
        }
        ("all" | "exists" | "existsOne" | "exists_one", [first, second, predicate]) => builder
            .variables(*first, *second)
            .map(|variables| builder.fold_quantifier(function, target, variables, *predicate)),
        ("map", [variable, transform]) => builder.map(target, *variable, None, *transform),
        ("map", [variable, filter, transform]) => {
            builder.map(target, *variable, Some(*filter), *transform)
        }
        ("filter", [variable, filter]) => builder.filter(target, *variable, *filter),
        ("optMap" | "optFlatMap", [variable, transform]) => {
            builder.optional_map(function, target, *variable, *transform)
        }
        ("transformList" | "transformMap" | "transformMapEntry", [first, second, rest @ ..])
            if matches!(rest.len(), 1 | 2) =>
        {
            builder.transform(function, target, [*first, *second], rest)
        }
        ("sortBy", [variable, key]) => builder.sort_by(target, *variable, *key),
        _ => return None,
    })
}

/// The names a loop binds.
struct Variables {
    first: String,
    second: Option<String>,
}

impl Builder<'_> {
    fn has(&mut self, arg: NodeId) -> Result<NodeId, Misuse> {
        match self.ast.kind(arg) {
            Kind::Select { operand, field, .. } => {
                let (operand, field) = (*operand, field.clone());
                Ok(self.add(Kind::Select { operand, field, is_test: true }))
            }
            _ => Err(self.misuse(arg, "invalid argument to has() macro")),
        }
    }

    fn quantifier(
        &mut self,
        function: &str,
        target: NodeId,
        variable: NodeId,
        predicate: NodeId,
    ) -> Result<NodeId, Misuse> {
        let first = self.variable(variable, "argument must be a simple name")?;
        let variables = Variables { first, second: None };
        Ok(self.fold_quantifier(function, target, variables, predicate))
    }

    fn fold_quantifier(
        &mut self,
        function: &str,
        range: NodeId,
        variables: Variables,
        predicate: NodeId,
    ) -> NodeId {
        let accumulator = self.accumulator();
        let (init, condition, step, result) = match function {
            "all" => {
                let condition = self.call("@not_strictly_false", vec![accumulator]);
                let current = self.accumulator();
                let step = self.call("_&&_", vec![current, predicate]);
                (self.literal(Value::Bool(true)), condition, step, self.accumulator())
            }
            "exists" => {
                let inverted = self.call("!_", vec![accumulator]);
                let condition = self.call("@not_strictly_false", vec![inverted]);
                let current = self.accumulator();
                let step = self.call("_||_", vec![current, predicate]);
                (self.literal(Value::Bool(false)), condition, step, self.accumulator())
            }
            _ => {
                let one = self.literal(Value::Int(1));
                let sum = self.call("_+_", vec![accumulator, one]);
                let current = self.accumulator();
                let step = self.call("_?_:_", vec![predicate, sum, current]);
                let (total, one) = (self.accumulator(), self.literal(Value::Int(1)));
                let result = self.call("_==_", vec![total, one]);
                let init = self.literal(Value::Int(0));
                (init, self.literal(Value::Bool(true)), step, result)
            }
        };
        self.fold(range, variables, init, condition, step, result)
    }

    fn map(
        &mut self,
        target: NodeId,
        variable: NodeId,
        filter: Option<NodeId>,
        transform: NodeId,
    ) -> Result<NodeId, Misuse> {
        let first = self.variable(variable, "argument is not an identifier")?;
        let item = self.add(Kind::List(vec![(transform, false)]));
        let current = self.accumulator();
        let step = self.call("_+_", vec![current, item]);
        Ok(self.collect(
            target,
            Variables { first, second: None },
            filter,
            step,
            Kind::List(vec![]),
        ))
    }

    fn filter(
        &mut self,
        target: NodeId,
        variable: NodeId,
        filter: NodeId,
    ) -> Result<NodeId, Misuse> {
        let first = self.variable(variable, "argument is not an identifier")?;
        let item = self.add(Kind::List(vec![(variable, false)]));
        let current = self.accumulator();
        let step = self.call("_+_", vec![current, item]);
        let variables = Variables { first, second: None };
        Ok(self.collect(target, variables, Some(filter), step, Kind::List(vec![])))
    }

    fn transform(
        &mut self,
        function: &str,
        target: NodeId,
        names: [NodeId; 2],
        rest: &[NodeId],
    ) -> Result<NodeId, Misuse> {
        let variables = self.variables(names[0], names[1])?;
        let (filter, transform) = match rest {
            [filter, transform] => (Some(*filter), *transform),
            _ => (None, rest[0]),
        };
        let current = self.accumulator();
        let (step, empty) = match function {
            "transformList" => {
                let item = self.add(Kind::List(vec![(transform, false)]));
                (self.call("_+_", vec![current, item]), Kind::List(vec![]))
            }
            "transformMap" => {
                let key = self.add(Kind::Ident(variables.first.clone()));
                let step = self.call("cel.@mapInsert", vec![current, key, transform]);
                (step, Kind::Map(vec![]))
            }
            _ => (self.call("cel.@mapInsert", vec![current, transform]), Kind::Map(vec![])),
        };
        Ok(self.collect(target, variables, filter, step, empty))
    }

    /// A loop that starts with something empty and adds to it, where the filter lets it.
    fn collect(
        &mut self,
        target: NodeId,
        variables: Variables,
        filter: Option<NodeId>,
        step: NodeId,
        empty: Kind,
    ) -> NodeId {
        let init = self.add(empty);
        let condition = self.literal(Value::Bool(true));
        let step = match filter {
            Some(filter) => {
                let current = self.accumulator();
                self.call("_?_:_", vec![filter, step, current])
            }
            None => step,
        };
        let result = self.accumulator();
        self.fold(target, variables, init, condition, step, result)
    }

    fn optional_map(
        &mut self,
        function: &str,
        target: NodeId,
        variable: NodeId,
        transform: NodeId,
    ) -> Result<NodeId, Misuse> {
        let Kind::Ident(name) = self.ast.kind(variable).clone() else {
            let message = format!("{function}() variable name must be a simple identifier");
            return Err(self.misuse(variable, &message));
        };
        let copy = self.copy(target)?;
        let has_value = self.member("hasValue", target, vec![]);
        let value = self.member("value", copy, vec![]);
        let mut present = self.bind(&name, value, transform);
        if function == "optMap" {
            present = self.call("optional.of", vec![present]);
        }
        let absent = self.call("optional.none", vec![]);
        Ok(self.call("_?_:_", vec![has_value, present, absent]))
    }

    fn sort_by(&mut self, target: NodeId, variable: NodeId, key: NodeId) -> Result<NodeId, Misuse> {
        let is_fit = matches!(
            self.ast.kind(target),
            Kind::List(_)
                | Kind::Select { .. }
                | Kind::Ident(_)
                | Kind::Comprehension(_)
                | Kind::Call { .. }
        );
        if !is_fit {
            let message = "sortBy can only be applied to a list, identifier, comprehension, call \
                           or select expression";
            return Err(self.misuse(target, message));
        }
        let input = self.add(Kind::Ident(SORT_INPUT.to_owned()));
        let keys = self.map(input, variable, None, key)?;
        let list = self.add(Kind::Ident(SORT_INPUT.to_owned()));
        let sorted = self.member("@sortByAssociatedKeys", list, vec![keys]);
        Ok(self.bind(SORT_INPUT, target, sorted))
    }

    /// A loop that never runs: its accumulator is a name for a value.
    fn bind(&mut self, name: &str, value: NodeId, result: NodeId) -> NodeId {
        let range = self.add(Kind::List(vec![]));
        let condition = self.literal(Value::Bool(false));
        let step = self.add(Kind::Ident(name.to_owned()));
        self.add(Kind::Comprehension(Box::new(Comprehension {
            range,
            variable: UNUSED.to_owned(),
            second_variable: None,
            accumulator: name.to_owned(),
            init: value,
            condition,
            step,
            result,
        })))
    }

    fn fold(
        &mut self,
        range: NodeId,
        variables: Variables,
        init: NodeId,
        condition: NodeId,
        step: NodeId,
        result: NodeId,
    ) -> NodeId {
        self.add(Kind::Comprehension(Box::new(Comprehension {
            range,
            variable: variables.first,
            second_variable: variables.second,
            accumulator: ACCUMULATOR.to_owned(),
            init,
            condition,
            step,
            result,
        })))
    }

    fn variable(&self, node: NodeId, message: &str) -> Result<String, Misuse> {
        match self.ast.kind(node) {
            Kind::Ident(name) if name == ACCUMULATOR || name == OLD_ACCUMULATOR => {
                Err(self.misuse(node, "iteration variable overwrites accumulator variable"))
            }
            Kind::Ident(name) => Ok(name.clone()),
            _ => Err(self.misuse(node, message)),
        }
    }

    fn variables(&self, first: NodeId, second: NodeId) -> Result<Variables, Misuse> {
        let simple = "argument must be a simple name";
        let name = |node: NodeId| match self.ast.kind(node) {
            Kind::Ident(name) => Ok(name.clone()),
            _ => Err(self.misuse(node, simple)),
        };
        if name(first)? == name(second)? {
            let message = format!("duplicate variable name: {}", name(first)?);
            return Err(self.misuse(second, &message));
        }
        let first = self.variable(first, simple)?;
        Ok(Variables { first, second: Some(self.variable(second, simple)?) })
    }

    fn misuse(&self, node: NodeId, message: &str) -> Misuse {
        Misuse { place: self.ast.place(node), message: message.to_owned() }
    }

    fn add(&mut self, kind: Kind) -> NodeId {
        self.ast.add(self.place, kind)
    }

    fn literal(&mut self, value: Value) -> NodeId {
        self.add(Kind::Literal(value))
    }

    fn accumulator(&mut self) -> NodeId {
        self.add(Kind::Ident(ACCUMULATOR.to_owned()))
    }

    fn call(&mut self, function: &str, args: Vec<NodeId>) -> NodeId {
        self.add(Kind::Call { function: function.to_owned(), target: None, args })
    }

    fn member(&mut self, function: &str, target: NodeId, args: Vec<NodeId>) -> NodeId {
        self.add(Kind::Call { function: function.to_owned(), target: Some(target), args })
    }

    /// A second tree of its own, for a target that the expansion needs twice.
    fn copy(&mut self, node: NodeId) -> Result<NodeId, Misuse> {
        if self.ast.len() > MOST_NODES {
            return Err(self.misuse(node, "expression is too large after its macros are expanded"));
        }
        let kind = match self.ast.kind(node).clone() {
            kind @ (Kind::Literal(_) | Kind::Ident(_) | Kind::Broken) => kind,
            Kind::Select { operand, field, is_test } => {
                Kind::Select { operand: self.copy(operand)?, field, is_test }
            }
            Kind::Call { function, target, args } => Kind::Call {
                function,
                target: target.map(|target| self.copy(target)).transpose()?,
                args: self.copies(&args)?,
            },
            Kind::List(items) => {
                let copies = items.iter().map(|(item, flag)| Ok((self.copy(*item)?, *flag)));
                Kind::List(copies.collect::<Result<_, Misuse>>()?)
            }
            Kind::Map(mut entries) => {
                for entry in &mut entries {
                    entry.key = self.copy(entry.key)?;
                    entry.value = self.copy(entry.value)?;
                }
                Kind::Map(entries)
            }
            Kind::Message { name, mut fields } => {
                for (_, value) in &mut fields {
                    *value = self.copy(*value)?;
                }
                Kind::Message { name, fields }
            }
            Kind::Comprehension(mut fold) => {
                fold.range = self.copy(fold.range)?;
                fold.init = self.copy(fold.init)?;
                fold.condition = self.copy(fold.condition)?;
                fold.step = self.copy(fold.step)?;
                fold.result = self.copy(fold.result)?;
                Kind::Comprehension(fold)
            }
        };
        Ok(self.ast.add(self.ast.place(node), kind))
    }

    fn copies(&mut self, nodes: &[NodeId]) -> Result<Vec<NodeId>, Misuse> {
        nodes.iter().map(|node| self.copy(*node)).collect()
    }
}

//! What an expression may cost at worst, from the declared sizes of its variables.
//!
//! Reads a checked tree; returns the estimate by which the server refuses a rule.
//! Invariant: estimates equal those of cel-go's `checker/cost.go` with Kubernetes' estimator.

mod calls;
mod extensions;
mod kubernetes;
mod range;

use std::sync::Arc;

use super::check::{Checked, Reference};
use super::cost::{self, REGEX_FACTOR, TEXT_FACTOR};
use super::declared::Declared;
use super::functions::{Function, Overload};
use super::syntax::{Ast, Comprehension, Kind, NodeId};
use super::types::Type;
use super::value::Value;
use range::Range;

const LIST_COST: Range = Range::fixed(cost::LIST_COST);
const MAP_COST: Range = Range::fixed(cost::MAP_COST);

/// Where a value comes from: a variable, then fields and places such as `@items`.
type Path = Vec<Arc<str>>;

/// What is known of the parts of a list or map.
#[derive(Debug, Clone, Copy)]
struct Entry {
    is_list: bool,
    key: Range,
    value: Range,
}

impl Entry {
    fn union(self, other: Self) -> Self {
        Self {
            is_list: self.is_list,
            key: self.key.union(other.key),
            value: self.value.union(other.value),
        }
    }
}

/// A variable of a loop.
#[derive(Debug, Clone)]
struct Local {
    path: Path,
    size: Option<Range>,
    entry: Option<Entry>,
}

/// An argument of a call, as estimators see it.
#[derive(Debug, Clone)]
struct Operand {
    path: Path,
    of_type: Type,
    node: Option<NodeId>,
    size: Option<Range>,
}

/// What a call costs, and how large its result is.
#[derive(Debug, Clone, Copy)]
struct Quote {
    cost: Range,
    size: Option<Range>,
}

impl Quote {
    fn new(cost: Range) -> Self {
        Self { cost, size: None }
    }

    fn sized(cost: Range, size: Range) -> Self {
        Self { cost, size: Some(size) }
    }
}

struct Estimator<'a> {
    ast: &'a Ast,
    checked: &'a Checked,
    /// The declaration that paths lead into.
    root: Option<&'a Declared>,
    paths: Vec<Path>,
    sizes: Vec<Option<Range>>,
    entries: Vec<Option<Entry>>,
    locals: Vec<(&'a str, Local)>,
}

/// The greatest cost of one run, with sizes of `root` for all variables.
pub(super) fn estimate(ast: &Ast, node: NodeId, checked: &Checked, root: Option<&Declared>) -> u64 {
    let count = ast.len();
    let mut estimator = Estimator {
        ast,
        checked,
        root,
        paths: vec![vec![]; count],
        sizes: vec![None; count],
        entries: vec![None; count],
        locals: vec![],
    };
    estimator.cost(node).max
}

impl<'a> Estimator<'a> {
    fn cost(&mut self, node: NodeId) -> Range {
        let (ast, checked) = (self.ast, self.checked);
        match checked.reference(node) {
            Some(Reference::Variable(name)) => return self.ident(node, name),
            Some(Reference::Type(name, _)) => return self.ident(node, name),
            Some(Reference::Call { function, overloads, has_target }) => {
                return self.call(node, function, overloads, *has_target);
            }
            None => {}
        }
        match ast.kind(node) {
            Kind::Select { operand, field, is_test } => {
                self.select(node, *operand, field, *is_test)
            }
            Kind::List(items) => self.list(node, items),
            Kind::Map(entries) => {
                let mut sum = MAP_COST;
                let (mut keys, mut values) = (Range::NOTHING, Range::NOTHING);
                if entries.is_empty() {
                    (keys, values) = (Range::ZERO, Range::ZERO);
                }
                for entry in entries {
                    sum = sum.plus(self.cost(entry.key)).plus(self.cost(entry.value));
                    keys = keys.union(self.size_or_unknown(entry.key));
                    values = values.union(self.size_or_unknown(entry.value));
                }
                self.entries[node.index()] =
                    Some(Entry { is_list: false, key: keys, value: values });
                sum
            }
            Kind::Comprehension(fold) if self.is_bind(fold) => self.bind(node, fold),
            Kind::Comprehension(fold) => self.comprehension(node, fold),
            Kind::Literal(_)
            | Kind::Ident(_)
            | Kind::Call { .. }
            | Kind::Message { .. }
            | Kind::Broken => Range::ZERO,
        }
    }

    fn ident(&mut self, node: NodeId, name: &str) -> Range {
        self.paths[node.index()] = match self.local(name) {
            Some(local) => local.path.clone(),
            None => vec![name.into()],
        };
        Range::ONE
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|(known, _)| *known == name).map(|(_, local)| local)
    }

    /// The loop variable that a node names.
    fn local_of(&self, node: NodeId) -> Option<&Local> {
        match self.checked.reference(node) {
            Some(Reference::Variable(name)) => self.local(name),
            _ => None,
        }
    }

    fn select(&mut self, node: NodeId, operand: NodeId, field: &str, is_test: bool) -> Range {
        let sum = self.cost(operand);
        if is_test {
            return sum;
        }
        let is_charged = matches!(self.checked.type_of(operand), Type::Map(..) | Type::Object(_));
        self.paths[node.index()] = self.longer_path(operand, field);
        if is_charged { sum.plus(Range::ONE) } else { sum }
    }

    fn path(&self, node: NodeId) -> &Path {
        self.local_of(node).map_or(&self.paths[node.index()], |local| &local.path)
    }

    fn longer_path(&self, node: NodeId, part: &str) -> Path {
        let mut path = self.path(node).clone();
        path.push(part.into());
        path
    }

    fn list(&mut self, node: NodeId, items: &[(NodeId, bool)]) -> Range {
        let mut sum = LIST_COST;
        let mut size = if items.is_empty() { Range::ZERO } else { Range::NOTHING };
        for (item, _) in items {
            sum = sum.plus(self.cost(*item));
            size = size.union(self.size_or_unknown(*item));
        }
        self.entries[node.index()] = Some(Entry { is_list: true, key: Range::ONE, value: size });
        sum
    }

    fn comprehension(&mut self, node: NodeId, fold: &'a Comprehension) -> Range {
        let mut sum = self.cost(fold.range).plus(self.cost(fold.init));
        let scope = self.locals.len();
        let accumulator = self.bound(fold.init);
        self.locals.push((&fold.accumulator, accumulator));
        self.push_variables(fold);
        let turn = self.cost(fold.condition).plus(self.cost(fold.step));
        self.locals.truncate(scope + 1);
        sum = sum.plus(self.cost(fold.result));
        self.locals.truncate(scope);
        let count = self.size_or_unknown(fold.range);
        match self.ast.kind(fold.init) {
            Kind::Literal(_) => {
                let size = self.size(fold.init);
                self.set_size(node, size);
            }
            Kind::List(_) | Kind::Map(_) => {
                self.set_size(node, Some(count));
                let entry = self.entry(fold.step);
                self.entries[node.index()] = entry.or(self.entries[node.index()]);
            }
            _ => {}
        }
        sum.plus(count.times(turn))
    }

    fn push_variables(&mut self, fold: &'a Comprehension) {
        let entry = self.entry(fold.range);
        let is_list = match entry {
            Some(entry) => entry.is_list,
            None => matches!(self.checked.type_of(fold.range), Type::List(_)),
        };
        let keys = ("@keys", "@indices", entry.map(|entry| entry.key));
        let values = ("@values", "@items", entry.map(|entry| entry.value));
        let single = if is_list { values } else { keys };
        let mut push = |name: &'a str, (of_map, of_list, size): (&str, &str, Option<Range>)| {
            let part = if is_list { of_list } else { of_map };
            let path = self.longer_path(fold.range, part);
            self.locals.push((name, Local { path, size, entry: None }));
        };
        match &fold.second_variable {
            Some(second) => {
                push(&fold.variable, keys);
                push(second, values);
            }
            None => push(&fold.variable, single),
        }
    }

    fn bound(&mut self, node: NodeId) -> Local {
        let path = self.path(node).clone();
        Local { path, size: self.size(node), entry: self.entry(node) }
    }

    /// Whether a loop only names a value.
    fn is_bind(&self, fold: &Comprehension) -> bool {
        let is_empty = matches!(self.ast.kind(fold.range), Kind::List(items) if items.is_empty());
        is_empty && matches!(self.ast.kind(fold.condition), Kind::Literal(Value::Bool(false)))
    }

    fn bind(&mut self, node: NodeId, fold: &'a Comprehension) -> Range {
        let sum = self.cost(fold.range).plus(self.cost(fold.init));
        let value = self.bound(fold.init);
        self.locals.push((&fold.accumulator, value));
        let sum = sum.plus(self.cost(fold.result));
        self.locals.pop();
        self.copy_sizes(node, fold.result);
        sum
    }

    fn call(
        &mut self,
        node: NodeId,
        function: &'static Function,
        overloads: &[&'static Overload],
        has_target: bool,
    ) -> Range {
        let ast = self.ast;
        let Kind::Call { target, args, .. } = ast.kind(node) else { return Range::ZERO };
        if function.name == "dyn" {
            let cost = self.cost(args[0]).plus(Range::ONE);
            self.copy_sizes(node, args[0]);
            return cost;
        }
        let costs = self.costs(args);
        let target = target.filter(|_| has_target);
        let target_cost = target.map_or(Range::ZERO, |target| self.cost(target));
        target_cost.plus(self.call_cost(node, function, overloads, target, &costs))
    }

    fn costs(&mut self, nodes: &[NodeId]) -> Vec<Range> {
        let mut costs = Vec::with_capacity(nodes.len());
        for node in nodes {
            costs.push(self.cost(*node));
        }
        costs
    }

    /// The cost of a call whose parts were estimated.
    fn call_cost(
        &mut self,
        node: NodeId,
        function: &'static Function,
        overloads: &[&'static Overload],
        target: Option<NodeId>,
        costs: &[Range],
    ) -> Range {
        let ast = self.ast;
        let Kind::Call { args, .. } = ast.kind(node) else { return Range::ZERO };
        let operands: Vec<Operand> = args.iter().map(|arg| self.operand(*arg)).collect();
        let target = target.map(|target| self.operand(target));
        let mut total = Range::NOTHING;
        let mut size: Option<Range> = None;
        for overload in overloads {
            let call = calls::Priced {
                node,
                function: function.name,
                overload: overload.id,
                target: target.as_ref(),
                args: &operands,
                costs,
            };
            let quote = self.quote(&call);
            total = total.union(quote.cost);
            size = match (size, quote.size) {
                (Some(known), Some(found)) => Some(known.union(found)),
                (known, found) => known.or(found),
            };
            let part = match overload.id {
                "index_list" => Some("@items"),
                "index_map" => Some("@values"),
                _ => None,
            };
            if let (Some(part), Some(list)) = (part, args.first()) {
                size = self.entry(*list).map(|entry| entry.value);
                self.paths[node.index()] = self.longer_path(*list, part);
            }
            size = size.or_else(|| self.size(node));
        }
        self.set_size(node, size);
        total
    }

    fn operand(&mut self, node: NodeId) -> Operand {
        let mut path = self.path(node).clone();
        if path.first().is_some_and(|first| matches!(&**first, "@result" | "__result__")) {
            path.clear();
        }
        let of_type = self.checked.type_of(node).clone();
        Operand { path, of_type, node: Some(node), size: self.size(node) }
    }

    fn set_size(&mut self, node: NodeId, size: Option<Range>) {
        if size.is_some() {
            self.sizes[node.index()] = size;
        }
    }

    fn copy_sizes(&mut self, to: NodeId, from: NodeId) {
        let size = self.size(from);
        self.set_size(to, size);
        if let Some(entry) = self.entry(from) {
            self.entries[to.index()] = Some(entry);
        }
    }

    fn size_or_unknown(&mut self, node: NodeId) -> Range {
        self.size(node).unwrap_or(Range::UNKNOWN)
    }

    fn size(&mut self, node: NodeId) -> Option<Range> {
        if let Some(size) = self.sizes[node.index()] {
            return Some(size);
        }
        if let Some(size) = literal_size(self.ast.kind(node)) {
            return Some(Range::fixed(size));
        }
        if let Some(size) = self.declared_size(self.path(node)) {
            self.sizes[node.index()] = Some(size);
            return Some(size);
        }
        if is_scalar(self.checked.type_of(node)) {
            return Some(Range::ONE);
        }
        self.local_of(node).and_then(|local| local.size)
    }

    fn entry(&self, node: NodeId) -> Option<Entry> {
        self.entries[node.index()].or_else(|| self.local_of(node)?.entry)
    }

    /// compat: schema/cel/compilation.go, sizeEstimator takes every variable for `self`
    fn declared_size(&self, path: &[Arc<str>]) -> Option<Range> {
        let (_, parts) = path.split_first()?;
        let mut declared = self.root?;
        for part in parts {
            declared = match (&**part, declared) {
                ("@items" | "@values", Declared::List { items, .. }) => items,
                ("@items" | "@values", Declared::Map { values, .. }) => values,
                ("@keys", Declared::Map { keys, .. }) => keys,
                ("@items" | "@values" | "@keys", _) => return None,
                (field, Declared::Object(object)) => object.fields.get(field)?,
                _ => return None,
            };
        }
        Some(Range { min: 0, max: max_elements(declared) })
    }
}

fn max_elements(declared: &Declared) -> u64 {
    match declared {
        Declared::Bool
        | Declared::Int
        | Declared::Uint
        | Declared::Double
        | Declared::Object(_)
        | Declared::Optional(_) => 0,
        Declared::String { max }
        | Declared::Bytes { max }
        | Declared::Timestamp { max }
        | Declared::Duration { max }
        | Declared::Dyn { max }
        | Declared::List { max, .. }
        | Declared::Map { max, .. } => *max,
    }
}

fn literal_size(kind: &Kind) -> Option<u64> {
    match kind {
        Kind::Literal(value) => Some(value.size().unwrap_or(1)),
        Kind::List(items) => Some(items.len() as u64),
        Kind::Map(entries) => Some(entries.len() as u64),
        _ => None,
    }
}

fn is_scalar(of_type: &Type) -> bool {
    match of_type {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => {
            true
        }
        of_type => of_type.optional_inner().is_some_and(is_scalar),
    }
}

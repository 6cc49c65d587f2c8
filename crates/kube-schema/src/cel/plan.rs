//! From a checked tree to steps that run.
//!
//! Reads a tree and what its names refer to; returns a [`Plan`] in which every name is a slot,
//! constants are computed and patterns compiled.
//! Invariant: steps are those that cel-go plans with its optimisations on, because costs count
//! them.

mod attribute;
mod constant;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::check::{Checked, Reference};
use super::cost::Price;
use super::env::Env;
use super::error::Error;
use super::functions::{Call, Function, GoRegex, Overload, is_conversion};
use super::syntax::{Ast, Kind, NodeId};
use super::value::Value;

pub(super) use attribute::{go_type, invalid_qualifier};

/// A step; its parts are steps.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Constant(Value),
    /// A call whose arguments are constants: its outcome, and what it costs each time.
    Folded {
        outcome: Result<Value, Error>,
        cost: u64,
    },
    Attribute(Attribute),
    /// `has(…)`.
    Test(Attribute),
    And(Box<[Step; 2]>),
    Or(Box<[Step; 2]>),
    /// `@not_strictly_false`, which takes errors.
    NotFalse(Box<Step>),
    /// `or` and `orValue` of optionals.
    OptionalOr {
        operands: Box<[Step; 2]>,
        unwraps: bool,
    },
    Call(Box<CallStep>),
    Membership {
        item: Box<Step>,
        set: Membership,
    },
    List(Vec<(Step, bool)>),
    Map(Vec<(Step, Step, bool)>),
    Fold(Box<FoldStep>),
}

/// A call of a function.
#[derive(Debug, Clone)]
pub(super) struct CallStep {
    pub function: &'static Function,
    pub args: Vec<Step>,
    pub price: Price,
    /// A constant pattern, compiled.
    pub regex: Option<GoRegex>,
    /// Whether the first argument that fails ends the call before the others are looked at.
    pub is_sequential: bool,
    /// Overloads of which arguments must fit one; the checker's types are promises only where
    /// nothing is `dyn`.
    pub guards: Vec<&'static Overload>,
    /// Whether the first argument is an accumulator that the call may change in place.
    pub takes_first: bool,
}

impl CallStep {
    /// Calls the function, unless the arguments fit no overload.
    pub(super) fn call(&self, call: &Call<'_>) -> Result<Value, Error> {
        if self.guards.is_empty() || self.guards.iter().any(|guard| guard.takes(call.args)) {
            self.function.call(call)
        } else {
            Err(self.function.mismatch(call.args))
        }
    }
}

/// A value and what is selected from it.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub base: Base,
    pub qualifiers: Vec<Qualifier>,
}

#[derive(Debug, Clone)]
pub(super) enum Base {
    /// A variable of the environment.
    Variable(usize),
    /// A variable of a loop.
    Register(usize),
    Relative(Box<Step>),
    Conditional(Box<(Step, Attribute, Attribute)>),
}

#[derive(Debug, Clone)]
pub(super) struct Qualifier {
    pub key: QualifierKey,
    pub is_optional: bool,
    /// Whether only presence is asked for.
    pub is_test: bool,
}

#[derive(Debug, Clone)]
pub(super) enum QualifierKey {
    Constant(Value),
    Attribute(Attribute),
    Step(Step),
}

/// A constant list that `in` looks into.
#[derive(Debug, Clone)]
pub(super) enum Membership {
    Strings(BTreeSet<Arc<str>>),
    Others(Vec<Value>),
}

/// A loop.
#[derive(Debug, Clone)]
pub(super) struct FoldStep {
    pub range: Step,
    pub init: Step,
    pub condition: Step,
    pub step: Step,
    pub result: Step,
    pub accumulator: usize,
    pub variable: usize,
    pub second_variable: Option<usize>,
}

/// A planned expression.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub root: Step,
    /// How many variables its loops have.
    pub registers: usize,
}

/// Where a loop's variables are.
#[derive(Debug, Clone, Copy)]
struct Registers {
    accumulator: usize,
    variable: usize,
    second_variable: Option<usize>,
}

/// What is left to do; a list of it stands in for recursion, so that deep trees need no stack.
#[derive(Debug, Clone, Copy)]
enum Task {
    Plan(NodeId),
    /// Brings a loop's variables into scope.
    Enter(NodeId),
    /// Leaves so many variables in scope.
    Leave(usize),
    /// Makes a step of the parts that were done since.
    Assemble {
        node: NodeId,
        start: usize,
    },
}

struct Planner<'a> {
    ast: &'a Ast,
    checked: &'a Checked,
    env: &'a Env,
    /// Loop variables in scope, the innermost last.
    locals: Vec<(&'a str, usize)>,
    registers: usize,
    /// Loops that are being planned, the innermost last.
    folds: Vec<Registers>,
    tasks: Vec<Task>,
    /// Parts that are planned and wait for what they are parts of.
    done: Vec<Step>,
}

/// Why a checked tree cannot be made to run; the server's words.
pub(super) type PlanError = String;

/// Plans a whole tree.
pub(super) fn plan(
    ast: &Ast,
    root: NodeId,
    checked: &Checked,
    env: &Env,
) -> Result<Plan, PlanError> {
    let mut planner = Planner {
        ast,
        checked,
        env,
        locals: vec![],
        registers: 0,
        folds: vec![],
        tasks: vec![Task::Plan(root)],
        done: vec![],
    };
    while let Some(task) = planner.tasks.pop() {
        planner.perform(task)?;
    }
    let root = planner.done.pop().ok_or_else(arity)?;
    Ok(Plan { root, registers: planner.registers })
}

impl<'a> Planner<'a> {
    fn perform(&mut self, task: Task) -> Result<(), PlanError> {
        match task {
            Task::Plan(node) => {
                self.tasks.push(Task::Assemble { node, start: self.done.len() });
                let first = self.tasks.len();
                self.plan_parts(node);
                // What was noted first is done first.
                self.tasks[first..].reverse();
            }
            Task::Enter(node) => self.enter(node),
            Task::Leave(count) => self.locals.truncate(count),
            Task::Assemble { node, start } => {
                let parts = self.done.split_off(start);
                let step = self.assemble(node, parts)?;
                self.done.push(step);
            }
        }
        Ok(())
    }

    /// Notes a node's parts in the order in which they are planned.
    fn plan_parts(&mut self, node: NodeId) {
        let has_target = match self.checked.reference(node) {
            Some(Reference::Variable(_) | Reference::Type(..)) => return,
            Some(Reference::Call { has_target, .. }) => *has_target,
            None => false,
        };
        let ast = self.ast;
        match ast.kind(node) {
            Kind::Call { target, args, .. } => {
                let parts = target.iter().filter(|_| has_target).chain(args);
                self.tasks.extend(parts.map(|part| Task::Plan(*part)));
            }
            Kind::Select { operand, .. } => self.tasks.push(Task::Plan(*operand)),
            Kind::List(items) => {
                self.tasks.extend(items.iter().map(|(item, _)| Task::Plan(*item)));
            }
            Kind::Map(entries) => {
                let parts = entries.iter().flat_map(|entry| [entry.key, entry.value]);
                self.tasks.extend(parts.map(Task::Plan));
            }
            Kind::Comprehension(fold) => {
                let scope = self.locals.len();
                self.tasks.extend([
                    Task::Plan(fold.init),
                    Task::Plan(fold.range),
                    Task::Enter(node),
                    Task::Plan(fold.condition),
                    Task::Plan(fold.step),
                    Task::Leave(scope + 1),
                    Task::Plan(fold.result),
                    Task::Leave(scope),
                ]);
            }
            Kind::Literal(_) | Kind::Ident(_) | Kind::Message { .. } | Kind::Broken => {}
        }
    }

    fn enter(&mut self, node: NodeId) {
        let Kind::Comprehension(fold) = self.ast.kind(node) else { return };
        let registers = Registers {
            accumulator: self.local(&fold.accumulator),
            variable: self.local(&fold.variable),
            second_variable: fold.second_variable.as_ref().map(|name| self.local(name)),
        };
        self.folds.push(registers);
    }

    /// Makes a step of a node and its planned parts.
    fn assemble(&mut self, node: NodeId, parts: Vec<Step>) -> Result<Step, PlanError> {
        match self.checked.reference(node) {
            Some(Reference::Variable(name)) => return self.variable(name).map(Step::Attribute),
            Some(Reference::Type(_, Some(name))) => return Ok(Step::Constant(Value::Type(name))),
            Some(Reference::Type(name, None)) => {
                return Err(format!("reference to undefined type: {name}"));
            }
            Some(Reference::Call { function, overloads, .. }) => {
                return self.call(function, overloads, parts);
            }
            None => {}
        }
        match self.ast.kind(node) {
            Kind::Literal(value) => Ok(Step::Constant(value.clone())),
            Kind::Select { field, is_test, .. } => {
                let [operand] = <[Step; 1]>::try_from(parts).map_err(|_| arity())?;
                Ok(attribute::select(operand, field, *is_test))
            }
            Kind::List(items) => {
                let flags = items.iter().map(|(_, is_optional)| *is_optional);
                Ok(constant::list(parts.into_iter().zip(flags).collect()))
            }
            Kind::Map(entries) => {
                let mut parts = parts.into_iter();
                let entries = entries
                    .iter()
                    .filter_map(|entry| Some((parts.next()?, parts.next()?, entry.is_optional)));
                Ok(constant::map(entries.collect()))
            }
            Kind::Comprehension(_) => fold(parts, self.folds.pop()),
            Kind::Ident(name) => Err(format!("no such attribute(s): {name}")),
            Kind::Call { function, .. } => Err(format!("no such overload: {function}")),
            Kind::Message { name, .. } => Err(format!("unknown type: {name}")),
            Kind::Broken => Err("unsupported expression".to_owned()),
        }
    }

    fn variable(&self, name: &str) -> Result<Attribute, PlanError> {
        let local = self.locals.iter().rev().find(|(known, _)| *known == name);
        let base = match (local, self.env.slot(name)) {
            (Some((_, register)), _) => Base::Register(*register),
            (None, Some(slot)) => Base::Variable(slot),
            (None, None) => return Err(format!("no such attribute(s): {name}")),
        };
        Ok(Attribute { base, qualifiers: vec![] })
    }

    fn call(
        &self,
        function: &'static Function,
        overloads: &[&'static Overload],
        args: Vec<Step>,
    ) -> Result<Step, PlanError> {
        match function.name {
            "_&&_" => pair(args).map(|pair| Step::And(Box::new(pair))),
            "_||_" => pair(args).map(|pair| Step::Or(Box::new(pair))),
            "_?_:_" => attribute::conditional(args),
            "_[_]" => attribute::index(pair(args)?, false),
            "_[?_]" | "_?._" => attribute::index(pair(args)?, true),
            "@not_strictly_false" => {
                let [arg] = <[Step; 1]>::try_from(args).map_err(|_| arity())?;
                Ok(Step::NotFalse(Box::new(arg)))
            }
            "or" => Ok(Step::OptionalOr { operands: Box::new(pair(args)?), unwraps: false }),
            "orValue" => Ok(Step::OptionalOr { operands: Box::new(pair(args)?), unwraps: true }),
            _ => self.plain_call(function, overloads, args),
        }
    }

    fn plain_call(
        &self,
        function: &'static Function,
        overloads: &[&'static Overload],
        args: Vec<Step>,
    ) -> Result<Step, PlanError> {
        let overload = match overloads {
            [overload] => Some(*overload),
            _ => None,
        };
        let price = Price::of(function, overload);
        if overload.is_some_and(|overload| overload.id == "in_list")
            && let Some(step) = constant::membership(&args)
        {
            return Ok(step);
        }
        if is_conversion(function.name)
            && let Some(outcome) = constant::conversion(function, &args)
        {
            return outcome.map(Step::Constant).map_err(|error| error.to_string());
        }
        let regex = match (function.name, args.get(1)) {
            ("matches" | "find" | "findAll", Some(Step::Constant(Value::String(pattern)))) => {
                Some(GoRegex::new(pattern)?)
            }
            _ => None,
        };
        let is_sequential = args.len() > 2
            || regex.is_some()
            || function.name == "format"
            || overload.is_none() && !function.is_singleton();
        let takes_first = matches!(function.name, "_+_" | "cel.@mapInsert")
            && args.first().is_some_and(|first| self.is_accumulator(first));
        let guards = match overload {
            _ if !function.is_guarded() => vec![],
            Some(overload) => vec![overload],
            None => function.overloads.iter().collect(),
        };
        let call = CallStep { function, args, price, regex, is_sequential, guards, takes_first };
        Ok(constant::call(call))
    }

    /// Whether a step reads what the loop around it accumulates, and nothing else does later.
    fn is_accumulator(&self, step: &Step) -> bool {
        let Step::Attribute(Attribute { base: Base::Register(register), qualifiers }) = step else {
            return false;
        };
        let is_hidden = |(name, known): &(&str, usize)| *name == "@result" && known == register;
        qualifiers.is_empty() && self.locals.iter().any(is_hidden)
    }

    fn local(&mut self, name: &'a str) -> usize {
        self.locals.push((name, self.registers));
        self.registers += 1;
        self.registers - 1
    }
}

fn fold(parts: Vec<Step>, registers: Option<Registers>) -> Result<Step, PlanError> {
    let [init, range, condition, step, result] =
        <[Step; 5]>::try_from(parts).map_err(|_| arity())?;
    let Registers { accumulator, variable, second_variable } = registers.ok_or_else(arity)?;
    Ok(Step::Fold(Box::new(FoldStep {
        range,
        init,
        condition,
        step,
        result,
        accumulator,
        variable,
        second_variable,
    })))
}

fn arity() -> PlanError {
    "wrong number of arguments".to_owned()
}

fn pair(args: Vec<Step>) -> Result<[Step; 2], PlanError> {
    <[Step; 2]>::try_from(args).map_err(|_| arity())
}

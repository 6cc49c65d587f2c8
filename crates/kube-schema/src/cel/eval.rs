//! Running a plan.
//!
//! Reads a [`Plan`] and the values of its variables; returns a value or an error, and the cost.
//! Invariant: every step that the server counts is counted; when the limit is passed, nothing more
//! is done.

mod attribute;
mod call;
mod fold;

use super::env::{Env, Variables};
use super::error::Error;
use super::fuel::Fuel;
use super::plan::{Membership, Plan, Step};
use super::value::{Key, Map, Value, equal};
use crate::cel::cost::{LIST_COST, MAP_COST};

/// A variable of a loop.
#[derive(Debug, Clone)]
enum Register<'p> {
    /// An accumulator that nothing has read yet.
    Pending(&'p Step),
    Ready(Value),
}

/// The state of one run.
struct Run<'p> {
    env: &'p Env,
    variables: &'p Variables,
    registers: Vec<Register<'p>>,
    spent: u64,
    limit: u64,
    fuel: Fuel,
}

/// What a run gave, and what it cost.
pub(super) struct Outcome {
    pub result: Result<Value, Error>,
    pub cost: u64,
}

/// Runs a plan within a limit.
pub(super) fn run(plan: &Plan, env: &Env, variables: &Variables, limit: u64) -> Outcome {
    let registers = vec![Register::Ready(Value::Null); plan.registers];
    let mut run = Run { env, variables, registers, spent: 0, limit, fuel: Fuel::new() };
    let result = run.eval(&plan.root);
    Outcome { result, cost: run.spent }
}

impl<'p> Run<'p> {
    fn spend(&mut self, cost: u64) -> Result<(), Error> {
        self.spent = self.spent.saturating_add(cost);
        if self.spent > self.limit { Err(Error::CostExceeded) } else { Ok(()) }
    }

    /// Runs one step. It only hands on, so that deep expressions need little stack.
    fn eval(&mut self, step: &'p Step) -> Result<Value, Error> {
        match step {
            Step::Constant(value) => Ok(value.clone()),
            Step::Folded { outcome, cost } => self.folded(outcome, *cost),
            Step::Attribute(attribute) => self.attribute(attribute),
            Step::Test(attribute) => self.test(attribute),
            Step::And(terms) => self.logic(terms, false),
            Step::Or(terms) => self.logic(terms, true),
            Step::NotFalse(arg) => self.not_false(arg),
            Step::OptionalOr { operands, unwraps } => self.optional_or(operands, *unwraps),
            Step::Call(call) => self.call(call),
            Step::Membership { item, set } => self.membership(item, set),
            Step::List(items) => self.list(items),
            Step::Map(entries) => self.map(entries),
            Step::Fold(fold) => self.fold(fold),
        }
    }

    fn folded(&mut self, outcome: &Result<Value, Error>, cost: u64) -> Result<Value, Error> {
        self.spend(cost)?;
        outcome.clone()
    }

    fn not_false(&mut self, arg: &'p Step) -> Result<Value, Error> {
        let outcome = passed(self.eval(arg))?;
        self.spend(1)?;
        Ok(Value::Bool(!matches!(outcome, Ok(Value::Bool(false)))))
    }

    fn membership(&mut self, item: &'p Step, set: &Membership) -> Result<Value, Error> {
        let item = self.eval(item)?;
        self.is_member(&item, set).map(Value::Bool)
    }

    /// `&&` and `||`: an operand that decides hides the error of the other.
    fn logic(&mut self, terms: &'p [Step; 2], decisive: bool) -> Result<Value, Error> {
        let mut error = None;
        for term in terms {
            let outcome = self.eval(term);
            if decides(outcome, decisive, &mut error)? {
                return Ok(Value::Bool(decisive));
            }
        }
        error.map_or(Ok(Value::Bool(!decisive)), Err)
    }

    fn optional_or(&mut self, operands: &'p [Step; 2], unwraps: bool) -> Result<Value, Error> {
        match self.eval(&operands[0])? {
            Value::Optional(None) => self.eval(&operands[1]),
            Value::Optional(Some(inner)) if unwraps => Ok(Value::clone(&inner)),
            other => Ok(other),
        }
    }

    fn is_member(&self, item: &Value, set: &Membership) -> Result<bool, Error> {
        match set {
            Membership::Strings(texts) => {
                Ok(matches!(item, Value::String(text) if texts.contains(text)))
            }
            Membership::Others(values) => {
                for value in values {
                    if equal(item, value, &self.fuel)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    fn list(&mut self, items: &'p [(Step, bool)]) -> Result<Value, Error> {
        let outcome = passed(self.items(items))?;
        self.spend(LIST_COST)?;
        outcome.map(Value::list)
    }

    fn items(&mut self, items: &'p [(Step, bool)]) -> Result<Vec<Value>, Error> {
        let mut values = Vec::with_capacity(items.len());
        for (item, is_optional) in items {
            match self.eval(item)? {
                Value::Optional(inner) if *is_optional => {
                    values.extend(inner.map(|inner| Value::clone(&inner)));
                }
                value if *is_optional => {
                    let problem = "cannot initialize optional list element from non-optional value";
                    return Err(Error::new(format!("{problem} {value}")));
                }
                value => values.push(value),
            }
        }
        Ok(values)
    }

    fn map(&mut self, entries: &'p [(Step, Step, bool)]) -> Result<Value, Error> {
        let outcome = passed(self.entries(entries))?;
        self.spend(MAP_COST)?;
        outcome.map(Value::map)
    }

    fn entries(&mut self, entries: &'p [(Step, Step, bool)]) -> Result<Map, Error> {
        let mut map = Map::default();
        for (key, value, is_optional) in entries {
            let key = self.eval(key)?;
            let value = self.eval(value)?;
            let Some(known) = Key::of(&key) else {
                return Err(Error::new(format!("unsupported key type: {}", key.type_name())));
            };
            match value {
                Value::Optional(None) if *is_optional => map.remove(&known),
                Value::Optional(Some(inner)) if *is_optional => {
                    map.insert(known, Value::clone(&inner));
                }
                value if *is_optional => {
                    return Err(Error::new(format!(
                        "cannot initialize optional entry '{key}' from non-optional value {value}"
                    )));
                }
                value => {
                    map.insert(known, value);
                }
            }
        }
        Ok(map)
    }
}

/// Whether an operand decides alone; if not, the first error is kept.
fn decides(
    outcome: Result<Value, Error>,
    decisive: bool,
    error: &mut Option<Error>,
) -> Result<bool, Error> {
    match passed(outcome)? {
        Ok(Value::Bool(flag)) => return Ok(flag == decisive),
        Ok(_) => *error = error.take().or_else(|| Some(Error::no_such_overload())),
        Err(found) => *error = error.take().or(Some(found)),
    }
    Ok(false)
}

/// Lets an expression's own errors go on as values, but nothing after the limit is passed.
fn passed<T>(outcome: Result<T, Error>) -> Result<Result<T, Error>, Error> {
    match outcome {
        Err(error @ (Error::CostExceeded | Error::Aborted(_))) => Err(error),
        outcome => Ok(outcome),
    }
}

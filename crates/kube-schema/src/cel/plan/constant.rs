//! What is known before anything runs.
//!
//! Reads planned parts; returns constants where cel-go has constants, and outcomes that need not
//! be computed twice where it does not.
//! Invariant: an outcome that is kept costs as much each time as computing it would.

use super::{CallStep, Membership, Step};
use crate::cel::error::Error;
use crate::cel::fuel::Fuel;
use crate::cel::functions::{Call, Function};
use crate::cel::value::{Key, Map, Value};

/// What a constant call may cost when it is planned.
const BUDGET: u64 = 10_000;

fn constants(steps: &[Step]) -> Option<Vec<Value>> {
    steps.iter().map(constant).collect()
}

fn constant(step: &Step) -> Option<Value> {
    match step {
        Step::Constant(value) => Some(value.clone()),
        _ => None,
    }
}

/// A list; constant if its items are, and none is optional.
pub(super) fn list(items: Vec<(Step, bool)>) -> Step {
    let values = items.iter().map(|(item, is_optional)| match constant(item) {
        Some(value) if !is_optional => Some(value),
        Some(Value::Optional(Some(inner))) => Some(Value::clone(&inner)),
        _ => None,
    });
    match values.collect::<Option<Vec<Value>>>() {
        Some(values) => Step::Constant(Value::list(values)),
        None => Step::List(items),
    }
}

/// A map; constant if its keys and values are.
pub(super) fn map(entries: Vec<(Step, Step, bool)>) -> Step {
    let pairs = entries.iter().map(|(key, value, is_optional)| {
        if *is_optional {
            return None;
        }
        Some((Key::of(&constant(key)?)?, constant(value)?))
    });
    match pairs.collect::<Option<Vec<(Key, Value)>>>() {
        Some(pairs) => Step::Constant(Value::map(Map::new(pairs))),
        None => Step::Map(entries),
    }
}

/// `in` over a constant list of scalars, which costs nothing.
pub(super) fn membership(args: &[Step]) -> Option<Step> {
    let [item, Step::Constant(Value::List(list))] = args else { return None };
    if list.items().is_empty() {
        return Some(Step::Constant(Value::Bool(false)));
    }
    let strings = list.items().iter().map(|item| match item {
        Value::String(text) => Some(text.clone()),
        _ => None,
    });
    let is_scalar = |item: &Value| {
        matches!(item, Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_))
    };
    let set = match strings.collect() {
        Some(strings) => Membership::Strings(strings),
        None if list.items().iter().all(|it| is_scalar(it) || matches!(it, Value::String(_))) => {
            Membership::Others(list.items().to_vec())
        }
        None => return None,
    };
    Some(Step::Membership { item: Box::new(item.clone()), set })
}

/// The outcome of a conversion of a constant.
pub(super) fn conversion(function: &Function, args: &[Step]) -> Option<Result<Value, Error>> {
    let args = constants(args)?;
    if args.len() != 1 {
        return None;
    }
    Some(function.call(&Call { args: &args, budget: BUDGET, fuel: &Fuel::new() }))
}

/// A call; if its arguments are constants, with its outcome.
pub(super) fn call(call: CallStep) -> Step {
    let Some(args) = constants(&call.args) else { return Step::Call(Box::new(call)) };
    let fuel = Fuel::new();
    let outcome = match (&call.regex, &args[..]) {
        (Some(_), _) => return Step::Call(Box::new(call)),
        (None, args) => call.call(&Call { args, budget: BUDGET, fuel: &fuel }),
    };
    let cost = call.price.cost(&args, outcome.as_ref().ok(), &fuel);
    match (outcome, cost) {
        (Err(Error::CostExceeded), _) | (_, Err(_)) => Step::Call(Box::new(call)),
        (outcome, Ok(cost)) => Step::Folded { outcome, cost },
    }
}

//! Calling functions.
//!
//! Reads a [`CallStep`]; returns what its function gives.
//! Invariant: a call is charged for its arguments even where one of them failed, as on the server.

use std::sync::Arc;

use super::{Register, Run, passed};
use crate::cel::cost::LIST_COST;
use crate::cel::error::Error;
use crate::cel::functions::{Call, insert_entry};
use crate::cel::plan::{Attribute, Base, CallStep, Step};
use crate::cel::value::Value;

impl<'p> Run<'p> {
    pub(super) fn call(&mut self, call: &'p CallStep) -> Result<Value, Error> {
        if call.takes_first {
            return self.accumulate(call);
        }
        match call.args.as_slice() {
            [] => self.invoke(call, &[]),
            [arg] => match passed(self.eval(arg))? {
                Ok(arg) => self.invoke(call, &[arg]),
                Err(error) => self.fail(call, &[broken(&error)], error),
            },
            [left, right] if !call.is_sequential => self.binary(call, left, right),
            args => self.sequential(call, args),
        }
    }

    fn binary(
        &mut self,
        call: &'p CallStep,
        left: &'p Step,
        right: &'p Step,
    ) -> Result<Value, Error> {
        let left = passed(self.eval(left))?;
        let right = passed(self.eval(right))?;
        self.invoke_pair(call, left, right)
    }

    fn invoke_pair(
        &mut self,
        call: &CallStep,
        left: Result<Value, Error>,
        right: Result<Value, Error>,
    ) -> Result<Value, Error> {
        match (left, right) {
            (Ok(left), Ok(right)) => self.invoke(call, &[left, right]),
            (Err(error), Ok(right)) => self.fail(call, &[broken(&error), right], error),
            (Ok(left), Err(error)) => self.fail(call, &[left, broken(&error)], error),
            (Err(error), Err(second)) => self.fail(call, &[broken(&error), broken(&second)], error),
        }
    }

    /// The first argument that fails ends the call; only if it is the last, the call is charged.
    fn sequential(&mut self, call: &'p CallStep, args: &'p [Step]) -> Result<Value, Error> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            match passed(self.eval(arg))? {
                Ok(value) => values.push(value),
                Err(error) if values.len() + 1 == args.len() => {
                    values.push(broken(&error));
                    return self.fail(call, &values, error);
                }
                Err(error) => return Err(error),
            }
        }
        self.invoke(call, &values)
    }

    fn invoke(&mut self, call: &CallStep, args: &[Value]) -> Result<Value, Error> {
        let budget = self.limit.saturating_sub(self.spent);
        let outcome = match (&call.regex, args) {
            (Some(regex), [Value::String(text), rest @ ..]) => match (call.function.name, rest) {
                ("matches", _) => Ok(Value::Bool(regex.is_match(text))),
                ("find", _) => Ok(regex.find(text)),
                (_, [_, Value::Int(limit)]) => Ok(regex.find_all(text, *limit)),
                (_, _) => Ok(regex.find_all(text, -1)),
            },
            (Some(_), _) => Err(Error::no_such_overload()),
            (None, args) => call.call(&Call { args, budget, fuel: &self.fuel }),
        };
        let range = args.first().filter(|_| call.function.name == "lists.range");
        if let (Err(Error::CostExceeded), Some(Value::Int(end))) = (&outcome, range) {
            // A range that was not built is charged as if it were.
            self.spend((*end as u64).saturating_add(1 + LIST_COST))?;
        }
        let outcome = passed(outcome)?;
        self.charge(call, args, outcome.as_ref().ok())?;
        outcome
    }

    fn fail(&mut self, call: &CallStep, args: &[Value], error: Error) -> Result<Value, Error> {
        self.charge(call, args, None)?;
        Err(error)
    }

    fn charge(
        &mut self,
        call: &CallStep,
        args: &[Value],
        result: Option<&Value>,
    ) -> Result<(), Error> {
        let cost = call.price.cost(args, result, &self.fuel)?;
        self.spend(cost)
    }

    /// Adds to what a loop accumulates, in place.
    fn accumulate(&mut self, call: &'p CallStep) -> Result<Value, Error> {
        let first = self.take_accumulator(call)?;
        let rest = passed(self.rest(call))?;
        self.add_to(call, first, rest)
    }

    /// Takes the accumulator, so that it has no second owner while it grows.
    fn take_accumulator(&mut self, call: &'p CallStep) -> Result<Result<Value, Error>, Error> {
        let Some(Step::Attribute(Attribute { base: Base::Register(register), .. })) =
            call.args.first()
        else {
            return Err(Error::no_such_overload());
        };
        let first = passed(self.register(*register))?;
        self.spend(1)?;
        if first.is_ok() {
            self.registers[*register] = Register::Ready(Value::Null);
        }
        Ok(first)
    }

    fn rest(&mut self, call: &'p CallStep) -> Result<Vec<Value>, Error> {
        let mut rest = Vec::with_capacity(call.args.len() - 1);
        for arg in &call.args[1..] {
            rest.push(self.eval(arg)?);
        }
        Ok(rest)
    }

    fn add_to(
        &mut self,
        call: &CallStep,
        first: Result<Value, Error>,
        rest: Result<Vec<Value>, Error>,
    ) -> Result<Value, Error> {
        let (first, rest) = match (first, rest) {
            (Ok(first), Ok(rest)) => (first, rest),
            (Err(error), _) | (Ok(_), Err(error)) => {
                self.spend(1)?;
                return Err(error);
            }
        };
        match grown(first, rest) {
            Ok(outcome) => {
                self.spend(1)?;
                outcome
            }
            Err(args) => self.invoke(call, &args),
        }
    }
}

fn broken(error: &Error) -> Value {
    Value::Error(Arc::new(error.clone()))
}

/// A list with more items, or a map with more entries; other values are handed back.
fn grown(first: Value, rest: Vec<Value>) -> Result<Result<Value, Error>, Vec<Value>> {
    match (first, rest.as_slice()) {
        (Value::List(mut list), [Value::List(more)]) if list.is_plain() => {
            Arc::make_mut(&mut list).items_mut().extend_from_slice(more.items());
            Ok(Ok(Value::List(list)))
        }
        (Value::Map(mut map), [key, value]) => {
            let added = insert_entry(Arc::make_mut(&mut map), key, value.clone());
            Ok(added.map(|()| Value::Map(map)))
        }
        (Value::Map(mut map), [Value::Map(more)]) => {
            let target = Arc::make_mut(&mut map);
            for (key, value) in more.entries() {
                if let Err(error) = insert_entry(target, &Value::from(&key), value.clone()) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(Value::Map(map)))
        }
        (first, _) => {
            let mut args = vec![first];
            args.extend(rest);
            Err(args)
        }
    }
}

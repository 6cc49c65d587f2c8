//! Reading variables and what is selected from them.
//!
//! Reads an [`Attribute`]; returns a value.
//! Invariant: once something on the way is optional, the result is.

use super::{Register, Run, passed};
use crate::cel::error::Error;
use crate::cel::plan::{Attribute, Base, Qualifier, QualifierKey, invalid_qualifier};
use crate::cel::value::{List, Value, exact_int};

impl<'p> Run<'p> {
    pub(super) fn attribute(&mut self, attribute: &'p Attribute) -> Result<Value, Error> {
        let outcome = passed(self.resolve(attribute))?;
        if !matches!(attribute.base, Base::Conditional(_)) {
            self.spend(1)?;
        }
        outcome
    }

    /// `has(…)`: what leads to the field costs, the question itself does not.
    pub(super) fn test(&mut self, attribute: &'p Attribute) -> Result<Value, Error> {
        let outcome = passed(self.resolve(attribute))?;
        if matches!(attribute.base, Base::Conditional(_)) {
            // compat: runtimecost.go takes off what a choice was never charged
            self.spent = self.spent.wrapping_sub(1);
            self.spend(0)?;
        }
        match outcome? {
            Value::Optional(inner) => Ok(Value::Bool(inner.is_some())),
            value => Ok(value),
        }
    }

    /// The attribute's value, without the cost of the attribute as a whole.
    fn resolve(&mut self, attribute: &'p Attribute) -> Result<Value, Error> {
        let base = match &attribute.base {
            Base::Variable(slot) => match self.variables.slot(*slot) {
                Some(value) => value.read()?,
                None => {
                    let name = self.env.name_of(*slot);
                    return Err(Error::new(format!("no such attribute(s): {name}")));
                }
            },
            Base::Register(register) => self.register(*register)?,
            Base::Relative(step) => self.eval(step)?,
            Base::Conditional(branches) => {
                return match self.eval(&branches.0)? {
                    Value::Bool(true) => self.resolve(&branches.1),
                    Value::Bool(false) => self.resolve(&branches.2),
                    _ => Err(Error::no_such_overload()),
                };
            }
        };
        self.qualified(base, &attribute.qualifiers)
    }

    pub(super) fn register(&mut self, register: usize) -> Result<Value, Error> {
        if let Register::Pending(init) = self.registers[register] {
            // An error is a value of the accumulator like any other.
            let value = match passed(self.eval(init))? {
                Ok(value) => value,
                Err(error) => Value::Error(error.into()),
            };
            self.registers[register] = Register::Ready(value);
        }
        match &self.registers[register] {
            Register::Ready(value) => value.read(),
            Register::Pending(_) => Err(Error::no_such_overload()),
        }
    }

    fn qualified(&mut self, base: Value, qualifiers: &'p [Qualifier]) -> Result<Value, Error> {
        let (mut value, mut is_optional) = match base {
            Value::Optional(None) => return Ok(Value::Optional(None)),
            Value::Optional(Some(inner)) => (Value::clone(&inner), true),
            base => (base, false),
        };
        for qualifier in qualifiers {
            is_optional |= qualifier.is_optional;
            let computed;
            let key = match &qualifier.key {
                QualifierKey::Constant(key) => key,
                QualifierKey::Attribute(attribute) => {
                    computed = self.computed_key(|run| run.resolve(attribute), is_optional)?;
                    &computed
                }
                QualifierKey::Step(step) => {
                    computed = self.computed_key(|run| run.eval(step), is_optional)?;
                    &computed
                }
            };
            let found = find(&value, key, is_optional || qualifier.is_test);
            if qualifier.is_test && !is_optional {
                // A question for presence costs whatever the answer is.
                self.spend(1)?;
                value = Value::Bool(found?.is_some());
            } else if is_optional {
                let Some(found) = found? else { return Ok(Value::Optional(None)) };
                self.spend(1)?;
                value = found;
            } else {
                self.spend(1)?;
                value = found?.ok_or_else(|| missing(&value, key))?;
            }
        }
        Ok(if is_optional { Value::some(value) } else { value })
    }

    fn computed_key(
        &mut self,
        compute: impl FnOnce(&mut Self) -> Result<Value, Error>,
        is_optional: bool,
    ) -> Result<Value, Error> {
        let outcome = passed(compute(self))?;
        let outcome = outcome.and_then(|key| match invalid_qualifier(&key) {
            None => Ok(key),
            Some(problem) => Err(Error::new(problem)),
        });
        if outcome.is_err() && !is_optional {
            self.spend(1)?;
        }
        outcome
    }
}

/// What stands under a key; absence is none, a key that does not fit is an error.
fn find(value: &Value, key: &Value, is_lenient: bool) -> Result<Option<Value>, Error> {
    match value {
        Value::Map(map) => match map.lookup(key)? {
            Some(found) => found.read().map(Some),
            None => Ok(None),
        },
        Value::List(list) => item(list, key),
        Value::Error(error) => Err(Error::clone(error)),
        _ if is_lenient => Ok(None),
        _ => Err(Error::new(format!("no such key: {key}"))),
    }
}

fn item(list: &List, key: &Value) -> Result<Option<Value>, Error> {
    let index = match key {
        Value::Int(_) | Value::Uint(_) | Value::Double(_) => exact_int(key)
            .and_then(|exact| i64::try_from(exact).ok())
            .ok_or_else(|| Error::new(format!("unsupported index value {key} in list")))?,
        other => {
            let name = other.type_name();
            return Err(Error::new(format!("unsupported index type '{name}' in list")));
        }
    };
    let found = usize::try_from(index).ok().and_then(|index| list.items().get(index));
    let Some(found) = found else { return Ok(None) };
    if !list.is_plain() && !matches!(key, Value::Int(_)) {
        return Err(Error::new(format!("unsupported index: {key}")));
    }
    found.read().map(Some)
}

fn missing(value: &Value, key: &Value) -> Error {
    match value {
        Value::List(_) => Error::new(format!("index out of bounds: {key}")),
        _ => Error::new(format!("no such key: {key}")),
    }
}

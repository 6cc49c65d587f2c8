//! Running loops.
//!
//! Reads a [`FoldStep`]; returns what it accumulates.
//! Invariant: a loop ends when its condition is false; an error in a step is what it accumulates,
//! and the loop goes on.

use std::sync::Arc;

use super::{Register, Run, passed};
use crate::cel::error::Error;
use crate::cel::plan::{FoldStep, go_type};
use crate::cel::value::{List, Map, Value};

impl<'p> Run<'p> {
    pub(super) fn fold(&mut self, fold: &'p FoldStep) -> Result<Value, Error> {
        let range = self.eval(&fold.range)?;
        self.registers[fold.accumulator] = Register::Pending(&fold.init);
        match range {
            Value::List(list) => self.fold_list(fold, &list)?,
            Value::Map(map) => self.fold_map(fold, &map)?,
            other => return Err(not_iterable(fold, &other)),
        }
        self.eval(&fold.result)
    }

    fn fold_list(&mut self, fold: &'p FoldStep, list: &Arc<List>) -> Result<(), Error> {
        for (place, item) in list.items().iter().enumerate() {
            match fold.second_variable {
                Some(second) => {
                    self.registers[fold.variable] = Register::Ready(Value::Int(place as i64));
                    self.registers[second] = Register::Ready(item.clone());
                }
                None => self.registers[fold.variable] = Register::Ready(item.clone()),
            }
            if !self.turn(fold)? {
                break;
            }
        }
        Ok(())
    }

    fn fold_map(&mut self, fold: &'p FoldStep, map: &Arc<Map>) -> Result<(), Error> {
        for (key, value) in map.entries() {
            self.registers[fold.variable] = Register::Ready(Value::from(&key));
            if let Some(second) = fold.second_variable {
                self.registers[second] = Register::Ready(value.clone());
            }
            if !self.turn(fold)? {
                break;
            }
        }
        Ok(())
    }

    /// One turn; says whether there may be another.
    fn turn(&mut self, fold: &'p FoldStep) -> Result<bool, Error> {
        if let Ok(Value::Bool(false)) = passed(self.eval(&fold.condition))? {
            return Ok(false);
        }
        let value = match passed(self.eval(&fold.step))? {
            Ok(value) => value,
            Err(error) => Value::Error(Arc::new(error)),
        };
        self.registers[fold.accumulator] = Register::Ready(value);
        Ok(true)
    }
}

fn not_iterable(fold: &FoldStep, range: &Value) -> Error {
    let name = go_type(range);
    Error::new(match fold.second_variable {
        Some(_) => format!("unsupported comprehension range type: {name}"),
        None => format!("got '{name}', expected iterable type"),
    })
}

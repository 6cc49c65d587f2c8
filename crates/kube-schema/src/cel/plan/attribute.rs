//! Values, what is selected from them, and choices between them.
//!
//! Reads planned operands; returns attributes.
//! Invariant: a selection from a choice is a selection from both of its branches.

use super::{Attribute, Base, PlanError, Qualifier, QualifierKey, Step, arity};
use crate::cel::value::{ListKind, Value};

/// A field of an operand, or the question whether it is there.
pub(super) fn select(operand: Step, field: &str, is_test: bool) -> Step {
    let mut attribute = into_attribute(operand);
    let key = QualifierKey::Constant(Value::string(field));
    attribute.qualify(Qualifier { key, is_optional: false, is_test });
    if is_test { Step::Test(attribute) } else { Step::Attribute(attribute) }
}

/// An entry or item of an operand.
pub(super) fn index(args: [Step; 2], is_optional: bool) -> Result<Step, PlanError> {
    let [operand, index] = args;
    let key = match index {
        Step::Constant(value) => {
            if let Some(problem) = invalid_qualifier(&value) {
                return Err(problem);
            }
            QualifierKey::Constant(value)
        }
        Step::Attribute(attribute) | Step::Test(attribute) => QualifierKey::Attribute(attribute),
        step => QualifierKey::Step(step),
    };
    let mut attribute = into_attribute(operand);
    attribute.qualify(Qualifier { key, is_optional, is_test: false });
    Ok(Step::Attribute(attribute))
}

/// `a ? b : c`.
pub(super) fn conditional(args: Vec<Step>) -> Result<Step, PlanError> {
    let [condition, then, otherwise] = <[Step; 3]>::try_from(args).map_err(|_| arity())?;
    let branches = (condition, into_attribute(then), into_attribute(otherwise));
    let base = Base::Conditional(Box::new(branches));
    Ok(Step::Attribute(Attribute { base, qualifiers: vec![] }))
}

fn into_attribute(step: Step) -> Attribute {
    match step {
        Step::Attribute(attribute) | Step::Test(attribute) => attribute,
        step => Attribute { base: Base::Relative(Box::new(step)), qualifiers: vec![] },
    }
}

impl Attribute {
    fn qualify(&mut self, qualifier: Qualifier) {
        match &mut self.base {
            Base::Conditional(branches) => {
                branches.1.qualify(qualifier.clone());
                branches.2.qualify(qualifier);
            }
            Base::Variable(_) | Base::Register(_) | Base::Relative(_) => {
                self.qualifiers.push(qualifier);
            }
        }
    }
}

/// What cel-go says of a value that nothing can be indexed by.
pub(in crate::cel) fn invalid_qualifier(value: &Value) -> Option<String> {
    match value {
        Value::String(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Double(_)
        | Value::Bool(_)
        | Value::Error(_) => None,
        other => Some(format!("invalid qualifier type: {}", go_type(other))),
    }
}

/// The name that Go's `%T` gives to a value's type.
pub(in crate::cel) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::List(list) => match list.kind() {
            ListKind::Plain => "*types.baseList",
            ListKind::Atomic => "*common.unstructuredList",
            ListKind::Set => "*common.unstructuredSetList",
            ListKind::Map { .. } => "*common.unstructuredMapList",
        },
        Value::Map(map) if map.is_of_schema() => "*common.unstructuredMap",
        Value::Map(_) => "*types.baseMap",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Duration(_) => "types.Duration",
        Value::Optional(_) => "*types.Optional",
        Value::Type(_) => "*types.Type",
        Value::Ip(_) => "cel.IP",
        Value::Cidr(_) => "cel.CIDR",
        Value::Quantity(_) => "cel.Quantity",
        Value::Url(_) => "cel.URL",
        Value::Semver(_) => "cel.Semver",
        Value::Format(_) => "cel.Format",
        Value::Error(_) => "*types.Err",
    }
}

//! Walks an object with the rules of its schema.
//!
//! Reads a new object, perhaps an old one, and a [`RuleTree`]; returns errors in the server's
//! words, and tells an observer of every rule that ran.
//! Invariant: a walk never spends more than the budget the server gives one object.

use serde_json::Value;

use super::convert::convert;
use super::{CompiledRule, RuleTree};
use crate::cel::{self, Budget, Variables, escape};
use crate::correlate::{ByKey, Pair};
use crate::field_error::{BadValue, ErrorKind, FieldError};
use crate::go_text;
use crate::path::{Path, Step};
use crate::schema::{Kind, Reason, Rule, Schema};

/// The most that all rules on one object may cost. (compat: apiserver/pkg/apis/cel/config.go)
const OBJECT_BUDGET: u64 = 10_000_000;

/// The most bytes a `messageExpression` may yield.
const MESSAGE_LIMIT: usize = 5 * 1024;

/// One evaluation of a rule, as an observer sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleRun<'a> {
    /// Where in the schema the rule stands: `spec.subnets[]`, `spec.labels[*]`, empty at the root.
    pub path: &'a str,
    pub rule: &'a str,
    pub outcome: Outcome,
}

/// What came of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Passed,
    Failed,
    Errored,
}

/// Says that the budget is spent and no further rule is run.
struct Spent;

/// A walk in progress.
pub(crate) struct Walk<'o> {
    remaining: u64,
    at: Path,
    errors: Vec<FieldError>,
    /// What is told but does not refuse the object, for it was so before.
    forgiven: Vec<FieldError>,
    observer: &'o mut dyn FnMut(RuleRun<'_>),
}

/// What a value was before, and what errors may be forgiven for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Old<'a> {
    pub(crate) object: &'a Value,
    /// None where nothing is forgiven.
    pub(crate) pair: Option<&'a Pair<'a>>,
}

/// A value of an object, and its converted form if a node above needed it.
struct Side<'a> {
    json: &'a Value,
    converted: Option<cel::Value>,
}

/// The nearest parts of the object that have an old counterpart.
#[derive(Clone, Copy)]
struct Ratchet<'p, 'a> {
    current: Option<&'p Pair<'a>>,
    parent: Option<&'p Pair<'a>>,
}

impl<'o> Walk<'o> {
    /// Runs all rules on `object`; returns errors in the order of fields.
    pub(crate) fn run(
        tree: &RuleTree,
        schema: &Schema,
        object: &Value,
        old: Option<Old<'_>>,
        observer: &'o mut dyn FnMut(RuleRun<'_>),
    ) -> Vec<FieldError> {
        Self::run_forgiving(tree, schema, object, old, observer).0
    }

    /// The same, and what was forgiven.
    pub(crate) fn run_forgiving(
        tree: &RuleTree,
        schema: &Schema,
        object: &Value,
        old: Option<Old<'_>>,
        observer: &'o mut dyn FnMut(RuleRun<'_>),
    ) -> (Vec<FieldError>, Vec<FieldError>) {
        let (at, errors, forgiven) = (Path::root(), Vec::new(), Vec::new());
        let mut walk = Walk { remaining: OBJECT_BUDGET, at, errors, forgiven, observer };
        let old_side = old.map(|old| Side { json: old.object, converted: None });
        let ratchet = Ratchet { current: old.and_then(|old| old.pair), parent: None };
        let new = Side { json: object, converted: None };
        // A spent budget has left its own error.
        let _ = walk.node(tree, schema, new, old_side, ratchet);
        (walk.errors.into_iter().map(FieldError::of_rule).collect(), walk.forgiven)
    }

    fn node(
        &mut self,
        tree: &RuleTree,
        schema: &Schema,
        mut new: Side<'_>,
        old: Option<Side<'_>>,
        ratchet: Ratchet<'_, '_>,
    ) -> Result<(), Spent> {
        let mut old = old.filter(|old| !old.json.is_null());
        if new.json.is_null() {
            return Ok(());
        }
        if !tree.rules.is_empty() {
            self.rules(tree, schema, &mut new, old.as_mut(), ratchet)?;
        }
        match new.json {
            Value::Array(items) => self.items(tree, schema, items, &new, old.as_ref(), ratchet),
            Value::Object(_) => self.fields(tree, schema, &new, old.as_ref(), ratchet),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn items(
        &mut self,
        tree: &RuleTree,
        schema: &Schema,
        items: &[Value],
        new: &Side<'_>,
        old: Option<&Side<'_>>,
        ratchet: Ratchet<'_, '_>,
    ) -> Result<(), Spent> {
        let (Some(tree), Some(of_items)) = (&tree.items, schema.items.as_deref()) else {
            return Ok(());
        };
        let old_items = old.and_then(|old| old.json.as_array()).map_or(&[][..], Vec::as_slice);
        let by_key = ByKey::new(old_items, schema);
        for (index, item) in items.iter().enumerate() {
            let old = by_key.place(item).and_then(|place| old?.item(place));
            let pair = ratchet.current.and_then(|pair| pair.item(index));
            let new = Side { json: item, converted: new.converted_item(index) };
            self.at.push(Step::Index(index));
            let done = self.node(tree, of_items, new, old, ratchet.below(pair.as_ref()));
            self.at.pop();
            done?;
        }
        Ok(())
    }

    fn fields(
        &mut self,
        tree: &RuleTree,
        schema: &Schema,
        new: &Side<'_>,
        old: Option<&Side<'_>>,
        ratchet: Ratchet<'_, '_>,
    ) -> Result<(), Spent> {
        let names = || new.json.as_object().into_iter().flatten().map(|(name, _)| name);
        if let (Some(tree), Some(values)) = (&tree.values, schema.of_values()) {
            for name in names() {
                self.field(tree, values, Step::Key(name.clone()), (name, new, old), ratchet)?;
            }
        }
        for name in names() {
            let node = tree.properties.get(name).zip(schema.properties.get(name));
            if let Some((tree, property)) = node {
                let step = Step::Field(name.clone());
                self.field(tree, property, step, (name, new, old), ratchet)?;
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        tree: &RuleTree,
        schema: &Schema,
        step: Step,
        (name, new, old): (&str, &Side<'_>, Option<&Side<'_>>),
        ratchet: Ratchet<'_, '_>,
    ) -> Result<(), Spent> {
        let Some(new) = new.field(&step, name) else {
            return Ok(());
        };
        let old = old.and_then(|old| old.field(&step, name));
        let pair = ratchet.current.and_then(|pair| pair.field(name));
        let is_root = ratchet.parent.is_none();
        let ratchet = match is_root && (name == "apiVersion" || name == "kind") {
            true => Ratchet { current: None, parent: None },
            false => ratchet.below(pair.as_ref()),
        };
        self.at.push(step);
        let done = self.node(tree, schema, new, old, ratchet);
        self.at.pop();
        done
    }

    fn rules(
        &mut self,
        tree: &RuleTree,
        schema: &Schema,
        new: &mut Side<'_>,
        mut old: Option<&mut Side<'_>>,
        ratchet: Ratchet<'_, '_>,
    ) -> Result<(), Spent> {
        if self.remaining == 0 {
            return Err(self.out_of_budget(schema));
        }
        let value = new.converted(schema, tree.is_resource);
        for rule in &tree.rules {
            let is_optional = rule.rule.optional_old_self == Some(true);
            if rule.uses_old_self && old.is_none() && !is_optional {
                continue;
            }
            let mut variables = rule.env.variables();
            variables.set("self", value.clone());
            if rule.uses_old_self {
                let old = old.as_mut().map(|old| old.converted(schema, tree.is_resource));
                match (is_optional, old) {
                    (true, old) => {
                        variables.set("oldSelf", cel::Value::Optional(old.map(Into::into)));
                    }
                    (false, Some(old)) => variables.set("oldSelf", old),
                    (false, None) => {}
                }
            }
            self.rule(rule, &variables, &tree.place, schema, (new.json, ratchet))?;
        }
        Ok(())
    }

    fn rule(
        &mut self,
        rule: &CompiledRule,
        variables: &Variables,
        place: &str,
        schema: &Schema,
        (json, ratchet): (&Value, Ratchet<'_, '_>),
    ) -> Result<(), Spent> {
        let mut budget = Budget::per_call();
        let result = rule.program.run(variables, &mut budget);
        let outcome = match &result {
            Ok(value) if value.is_true() => Outcome::Passed,
            Ok(_) => Outcome::Failed,
            Err(_) => Outcome::Errored,
        };
        (self.observer)(RuleRun { path: place, rule: &rule.rule.rule, outcome });
        let Some(remaining) = self.remaining.checked_sub(budget.spent()) else {
            return Err(self.out_of_budget(schema));
        };
        self.remaining = remaining;
        match result {
            Ok(value) if value.is_true() => Ok(()),
            Ok(_) => self.failed(rule, variables, schema, json, ratchet),
            Err(error) => self.errored(&error, &rule.rule, schema),
        }
    }

    fn errored(&mut self, error: &cel::Error, rule: &Rule, schema: &Schema) -> Result<(), Spent> {
        let (text, told) = (error.to_string(), rule_text(rule));
        let (detail, done) = if error.is_cost_exceeded() {
            let why = "no further validation rules will be run due to call cost exceeds limit";
            (format!("'{text}': {why} for rule: {told}"), Err(Spent))
        } else if text.starts_with("no such overload") {
            let why = "call arguments did not match a supported operator, function or macro \
                       signature";
            (format!("'{text}': {why} for rule: {told}"), Ok(()))
        } else {
            (format!("{text} evaluating rule: {told}"), Ok(()))
        };
        self.errors.push(FieldError::invalid(self.at.clone(), type_name(schema), detail));
        done
    }

    fn failed(
        &mut self,
        rule: &CompiledRule,
        variables: &Variables,
        schema: &Schema,
        json: &Value,
        ratchet: Ratchet<'_, '_>,
    ) -> Result<(), Spent> {
        let at = self.at.join(&rule.field_path);
        let is_forgiven = !rule.uses_old_self && ratchet.is_unchanged();
        let mut push = |error: FieldError| match is_forgiven {
            true => self.forgiven.push(error),
            false => self.errors.push(error),
        };
        let detail = match message(rule, variables, &mut self.remaining) {
            Ok(detail) => detail,
            Err(why) => {
                push(FieldError::invalid(at, type_name(schema), why));
                return Err(Spent);
            }
        };
        let value = match schema.kind {
            Some(Kind::Object | Kind::Array) => BadValue::Omitted,
            _ => BadValue::Json(json.clone()),
        };
        push(match rule.rule.reason {
            None | Some(Reason::Invalid) => FieldError::new(ErrorKind::Invalid, at, value, detail),
            Some(Reason::Forbidden) => FieldError::forbidden(at, detail),
            Some(Reason::Required) => FieldError::required(at, detail),
            Some(Reason::Duplicate) => FieldError::duplicate(at, value),
        });
        Ok(())
    }

    fn out_of_budget(&mut self, schema: &Schema) -> Spent {
        let why = "validation failed due to running out of cost budget, \
                   no further validation rules will be run";
        self.errors.push(FieldError::invalid(self.at.clone(), type_name(schema), why));
        Spent
    }
}

/// The text a failed rule gives; the error is told in its place, and no further rule is run.
fn message(
    rule: &CompiledRule,
    variables: &Variables,
    remaining: &mut u64,
) -> Result<String, String> {
    let fallback = || match rule.rule.message.is_empty() {
        true => format!("failed rule: {}", rule_text(&rule.rule)),
        false => rule.rule.message.trim().to_owned(),
    };
    let Some(program) = &rule.message else {
        return Ok(fallback());
    };
    let mut budget = Budget::per_call();
    let result = program.run(variables, &mut budget);
    *remaining = remaining.checked_sub(budget.spent()).ok_or_else(|| {
        "messageExpression evaluation failed due to running out of cost budget, \
         no further validation rules will be run"
            .to_owned()
    })?;
    match result {
        Ok(cel::Value::String(text)) => {
            let text = text.trim();
            let is_usable = !text.is_empty() && text.len() <= MESSAGE_LIMIT && !text.contains('\n');
            Ok(if is_usable { text.to_owned() } else { fallback() })
        }
        Err(error) if error.is_cost_exceeded() => {
            let source = go_text::quoted(&rule.rule.message_expression);
            Err(format!(
                "no further validation rules will be run due to call cost exceeds limit \
                 for messageExpression: {source}"
            ))
        }
        Ok(_) | Err(_) => Ok(fallback()),
    }
}

fn rule_text(rule: &Rule) -> &str {
    match rule.message.is_empty() {
        true => rule.rule.trim(),
        false => rule.message.trim(),
    }
}

fn type_name(schema: &Schema) -> &'static str {
    schema.kind.map_or("", Kind::name)
}

impl<'a> Side<'a> {
    fn converted(&mut self, schema: &Schema, is_resource: bool) -> cel::Value {
        let convert = || convert(self.json, schema, is_resource);
        self.converted.get_or_insert_with(convert).clone()
    }

    fn field(&self, step: &Step, name: &str) -> Option<Side<'a>> {
        let json = self.json.get(name)?;
        let converted = match (&self.converted, step) {
            (Some(cel::Value::Map(map)), Step::Key(_)) => map.field(name).cloned(),
            (Some(cel::Value::Map(map)), Step::Field(_) | Step::Index(_)) => {
                escape(name).and_then(|name| map.field(&name)).cloned()
            }
            _ => None,
        };
        Some(Side { json, converted })
    }

    fn item(&self, index: usize) -> Option<Side<'a>> {
        let json = self.json.get(index)?;
        Some(Side { json, converted: self.converted_item(index) })
    }

    fn converted_item(&self, index: usize) -> Option<cel::Value> {
        match &self.converted {
            Some(cel::Value::List(list)) => list.items().get(index).cloned(),
            _ => None,
        }
    }
}

impl<'p, 'a> Ratchet<'p, 'a> {
    /// One step down, to a part that may have an old counterpart.
    fn below<'q>(self, pair: Option<&'q Pair<'a>>) -> Ratchet<'q, 'a>
    where
        'p: 'q,
    {
        match self.current {
            None => self,
            Some(_) => Ratchet { current: pair, parent: self.current },
        }
    }

    fn is_unchanged(self) -> bool {
        self.current.or(self.parent).is_some_and(Pair::is_unchanged)
    }
}

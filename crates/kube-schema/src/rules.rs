//! The rules of a schema, compiled, as a tree beside the schema's own.
//!
//! Reads `x-kubernetes-validations`; returns a tree that an object is walked with.
//! Invariant: a node exists only if it or a node below it has rules, and all rules compiled.

mod convert;
mod declare;
pub(crate) mod field_path;
mod resource;
mod walk;

use std::collections::BTreeMap;

use crate::cel::{Declared, Env, Program};
use crate::field_error::FieldError;
use crate::path::Path;
use crate::schema::{ListType, Rule, Schema};
use declare::{declare, max_cardinality, natural};

pub(crate) use convert::dynamic;
pub(crate) use walk::{Old, Walk};
pub use walk::{Outcome, RuleRun};

/// The most one rule may be estimated to cost. (compat: apiextensions validation.go)
const RULE_COST_LIMIT: u64 = 10_000_000;

/// The most all rules of a version may be estimated to cost together.
const TOTAL_COST_LIMIT: u64 = 100_000_000;

/// How many rules are told to be the most expensive.
const TOLD_COSTS: usize = 4;

/// The rules at one node of a schema and below it.
#[derive(Debug, Clone)]
pub(crate) struct RuleTree {
    /// Where in the schema: `spec.subnets[]`.
    place: String,
    is_resource: bool,
    rules: Vec<CompiledRule>,
    items: Option<Box<RuleTree>>,
    values: Option<Box<RuleTree>>,
    properties: BTreeMap<String, RuleTree>,
}

/// One rule, ready to run.
#[derive(Debug, Clone)]
struct CompiledRule {
    rule: Rule,
    program: Program,
    env: Env,
    uses_old_self: bool,
    message: Option<Program>,
    field_path: Path,
}

impl RuleTree {
    /// Compiles the rules of a version's schema, which stands at `at` in its manifest.
    pub(crate) fn compile(schema: &Schema, at: &Path) -> Result<Option<Self>, Vec<FieldError>> {
        let mut compiler = Compiler::default();
        let place = String::new();
        let scope = Scope { at: at.clone(), place, is_resource: true, repeats: Some(1) };
        let tree = compiler.node(schema, &scope, None);
        compiler.check_total(at);
        match compiler.errors.is_empty() {
            true => Ok(tree),
            false => Err(compiler.errors),
        }
    }
}

impl RuleTree {
    /// The rules of a list's items.
    pub(crate) fn of_items(&self) -> Option<&RuleTree> {
        self.items.as_deref()
    }

    /// The rules of a property.
    pub(crate) fn of_property(&self, name: &str) -> Option<&RuleTree> {
        self.properties.get(name)
    }
}

/// Where the compiler is.
struct Scope {
    at: Path,
    place: String,
    is_resource: bool,
    /// How often a value of this node can occur; none if nothing bounds it.
    repeats: Option<u64>,
}

impl Scope {
    fn property(&self, name: &str, property: &Schema) -> Self {
        let place = match self.place.is_empty() {
            true => name.to_owned(),
            false => format!("{}.{name}", self.place),
        };
        Self {
            at: self.at.field("properties").key(name),
            place,
            is_resource: property.embedded_resource,
            repeats: self.repeats,
        }
    }

    fn below(&self, keyword: &str, mark: &str, child: &Schema, limit: Option<i64>) -> Self {
        let repeats = self.repeats.zip(limit.map(natural));
        Self {
            at: self.at.field(keyword),
            place: format!("{}{mark}", self.place),
            is_resource: child.embedded_resource,
            repeats: repeats.map(|(repeats, limit)| repeats.saturating_mul(limit)),
        }
    }
}

#[derive(Default)]
struct Compiler {
    errors: Vec<FieldError>,
    total_cost: u64,
    /// The costs that count, and where they come from.
    costs: Vec<(u64, Path)>,
}

impl Compiler {
    /// Compiles a node; `unrelated` is the list above it whose items cannot be told apart.
    fn node(
        &mut self,
        schema: &Schema,
        scope: &Scope,
        unrelated: Option<&Path>,
    ) -> Option<RuleTree> {
        let rules = self.rules(schema, scope, unrelated);
        let items = schema.items.as_deref().and_then(|items| {
            let is_related = schema.list_type == Some(ListType::Map);
            let unrelated = unrelated.or((!is_related).then_some(&scope.at));
            self.node(items, &scope.below("items", "[]", items, schema.max_items), unrelated)
        });
        let values = schema.of_values().and_then(|values| {
            let limit = schema.max_properties;
            let scope = scope.below("additionalProperties", "[*]", values, limit);
            self.node(values, &scope, unrelated)
        });
        let mut properties = BTreeMap::new();
        for (name, property) in &schema.properties {
            if let Some(tree) = self.node(property, &scope.property(name, property), unrelated) {
                properties.insert(name.clone(), tree);
            }
        }
        let is_bare = rules.is_empty() && items.is_none() && values.is_none();
        (!is_bare || !properties.is_empty()).then(|| RuleTree {
            place: scope.place.clone(),
            is_resource: scope.is_resource,
            rules,
            items: items.map(Box::new),
            values: values.map(Box::new),
            properties,
        })
    }

    fn rules(
        &mut self,
        schema: &Schema,
        scope: &Scope,
        unrelated: Option<&Path>,
    ) -> Vec<CompiledRule> {
        if schema.rules.is_empty() {
            return Vec::new();
        }
        let at = scope.at.field("x-kubernetes-validations");
        let Some(typed) = declare(schema, scope.is_resource) else {
            let why = "failed to retrieve type information for x-kubernetes-validations";
            self.errors.push(FieldError::forbidden(at, why));
            return Vec::new();
        };
        let repeats = scope.repeats.unwrap_or_else(|| max_cardinality(typed.min_size));
        let mut compiled = Vec::with_capacity(schema.rules.len());
        for (place, rule) in schema.rules.iter().enumerate() {
            let at = at.index(place);
            match compile_rule(rule, schema, &typed.declared, &at) {
                Ok(rule) => {
                    self.check(&rule, repeats, unrelated, &at);
                    compiled.push(rule);
                }
                Err(error) => self.errors.push(error),
            }
        }
        compiled
    }

    fn check(&mut self, rule: &CompiledRule, repeats: u64, unrelated: Option<&Path>, at: &Path) {
        let cost = rule.program.estimated_cost().saturating_mul(repeats);
        self.check_cost(cost, "estimated rule cost", &at.field("rule"));
        if let Some(message) = &rule.message {
            let at = at.field("messageExpression");
            self.check_cost(message.estimated_cost(), "estimated messageExpression cost", &at);
        }
        match unrelated {
            Some(list) if rule.uses_old_self => {
                let why = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {list}"
                );
                let text = rule.rule.rule.as_str();
                self.errors.push(FieldError::invalid(at.field("rule"), text, why));
            }
            Some(_) | None => {}
        }
        if let (false, Some(optional)) = (rule.uses_old_self, rule.rule.optional_old_self) {
            let why = "may not be set if oldSelf is not used in rule";
            let value = serde_json::Value::Bool(optional);
            self.errors.push(FieldError::invalid(at.field("optionalOldSelf"), value, why));
        }
    }

    fn check_cost(&mut self, cost: u64, name: &str, at: &Path) {
        self.total_cost = self.total_cost.saturating_add(cost);
        if cost >= TOTAL_COST_LIMIT / 100 {
            self.costs.push((cost, at.clone()));
        }
        if cost > RULE_COST_LIMIT {
            let why = over_budget(name, cost, RULE_COST_LIMIT);
            self.errors.push(FieldError::forbidden(at.clone(), why));
        }
    }

    fn check_total(&mut self, at: &Path) {
        if self.total_cost <= TOTAL_COST_LIMIT {
            return;
        }
        self.costs.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
        for (_, at) in self.costs.drain(..).take(TOLD_COSTS) {
            let why = "contributed to estimated rule cost total exceeding cost limit for entire \
                       OpenAPIv3 schema";
            self.errors.push(FieldError::forbidden(at, why));
        }
        let name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let why = over_budget(name, self.total_cost, TOTAL_COST_LIMIT);
        self.errors.push(FieldError::forbidden(at.clone(), why));
    }
}

fn over_budget(name: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = match factor {
        _ if factor > 100.0 => "more than 100x".to_owned(),
        _ if factor < 1.5 => format!("{factor:.6}x"),
        _ => format!("{factor:.1}x"),
    };
    format!(
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, \
         maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )
}

fn compile_rule(
    rule: &Rule,
    schema: &Schema,
    declared: &Declared,
    at: &Path,
) -> Result<CompiledRule, FieldError> {
    let old_self = match rule.optional_old_self {
        Some(true) => Declared::optional(declared.clone()),
        Some(false) | None => declared.clone(),
    };
    let env = Env::new().with("self", declared.clone()).with("oldSelf", old_self);
    let wrong = |name: &str, text: &str, why: String| {
        FieldError::invalid(at.field(name), text, why).of_rule()
    };
    let program = Program::compile(&rule.rule, &env)
        .map_err(|error| wrong("rule", &rule.rule, format!("compilation failed: {error}")))?;
    if !program.yields_bool() {
        let why = "cel expression must evaluate to a bool".to_owned();
        return Err(wrong("rule", &rule.rule, why));
    }
    let message = match rule.message_expression.trim().is_empty() {
        true => None,
        false => Some(
            compile_message(&rule.message_expression, &env)
                .map_err(|why| wrong("messageExpression", &rule.message_expression, why))?,
        ),
    };
    Ok(CompiledRule {
        uses_old_self: program.references("oldSelf"),
        field_path: field_path::read(&rule.field_path, schema).unwrap_or_default(),
        rule: rule.clone(),
        program,
        env,
        message,
    })
}

fn compile_message(text: &str, env: &Env) -> Result<Program, String> {
    let program = Program::compile(text, env)
        .map_err(|error| format!("messageExpression compilation failed: {error}"))?;
    match program.yields_string() {
        true => Ok(program),
        false => Err("messageExpression must evaluate to a string".to_owned()),
    }
}

#[cfg(test)]
mod tests;

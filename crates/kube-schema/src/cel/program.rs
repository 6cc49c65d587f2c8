//! A compiled expression.
//!
//! Reads a text and an [`Env`]; returns a [`Program`] to run.
//! Invariant: running never panics and never works more than its budget pays for.

use std::sync::Arc;

use super::check::{Reference, check, check_literals};
use super::declared::{Declared, Object};
use super::env::{Budget, Env, Variables};
use super::error::{CompileError, Error};
use super::estimate::estimate;
use super::eval;
use super::plan::{Plan, plan};
use super::source::{Issues, Source};
use super::syntax::parse;
use super::types::Type;
use super::value::Value;

/// An expression that was parsed and checked, ready to run.
#[derive(Debug, Clone)]
pub struct Program {
    source: Arc<str>,
    env: Env,
    plan: Arc<Plan>,
    output: Type,
    estimate: u64,
    variables: Vec<String>,
}

impl Program {
    /// Compiles `source` in the environment of a rule.
    pub fn compile(source: &str, env: &Env) -> Result<Self, CompileError> {
        let text = Source::new(source);
        let mut issues = Issues::default();
        let (ast, root) = parse(&text, &mut issues);
        issues.into_result(&text)?;
        let mut issues = Issues::default();
        let checked = check(&ast, root, env, &mut issues);
        if issues.is_empty() {
            check_literals(&ast, root, &checked, &mut issues);
        }
        issues.into_result(&text)?;
        let plan = plan(&ast, root, &checked, env).map_err(CompileError::instantiation)?;
        let variables = checked.references().filter_map(|reference| match reference {
            Reference::Variable(name) => Some(name.clone()),
            Reference::Type(..) | Reference::Call { .. } => None,
        });
        Ok(Self {
            source: source.into(),
            env: env.clone(),
            plan: Arc::new(plan),
            output: checked.type_of(root).clone(),
            estimate: estimate(&ast, root, &checked, env.declared("self")),
            variables: variables.collect(),
        })
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Says whether the expression reads a variable of this name, in any place.
    pub fn references(&self, variable: &str) -> bool {
        self.variables.iter().any(|known| known == variable)
    }

    /// Says whether the checker knows the result to be a bool (`dyn` is not).
    pub fn yields_bool(&self) -> bool {
        self.output == Type::Bool
    }

    /// Says whether the checker knows the result to be a string (`dyn` is not).
    pub fn yields_string(&self) -> bool {
        self.output == Type::String
    }

    /// The type of the result, as messages write it.
    pub fn output(&self) -> String {
        self.output.to_string()
    }

    /// The result as a declaration, for it to be a variable of other expressions. What only
    /// libraries know is `dyn`.
    pub fn declared(&self) -> Declared {
        declared(&self.output, &self.env)
    }

    /// The worst cost the server would estimate for one call, from the declared sizes.
    pub fn estimated_cost(&self) -> u64 {
        self.estimate
    }

    /// Runs the expression; `budget` learns what it cost, also when it fails.
    pub fn run(&self, variables: &Variables, budget: &mut Budget) -> Result<Value, Error> {
        let outcome = eval::run(&self.plan, &self.env, variables, budget.limit());
        budget.set_spent(outcome.cost);
        outcome.result
    }
}

fn declared(of_type: &Type, env: &Env) -> Declared {
    match of_type {
        Type::Bool => Declared::Bool,
        Type::Int => Declared::Int,
        Type::Uint => Declared::Uint,
        Type::Double => Declared::Double,
        Type::String => Declared::String { max: 0 },
        Type::Bytes => Declared::Bytes { max: 0 },
        Type::Timestamp => Declared::Timestamp { max: 0 },
        Type::Duration => Declared::Duration { max: 0 },
        Type::List(items) => Declared::list(declared(items, env), 0),
        Type::Map(keys, values) => Declared::Map {
            keys: Arc::new(declared(keys, env)),
            values: Arc::new(declared(values, env)),
            max: 0,
        },
        Type::Object(name) => {
            let fields = env.objects().get(name).into_iter().flatten();
            let fields = fields.map(|(name, field)| (name.clone(), declared(field, env)));
            let name = Some(name.to_string());
            Declared::Object(Arc::new(Object { name, fields: fields.collect() }))
        }
        Type::Opaque(..) => match of_type.optional_inner() {
            Some(inner) => Declared::optional(declared(inner, env)),
            None => Declared::DYN,
        },
        Type::Dyn | Type::Error | Type::Null | Type::Meta(_) | Type::Param(_) => Declared::DYN,
    }
}

//! Which types fit which, and what open types become by that.
//!
//! Reads types; remembers what each open type stands for.
//! Invariant: a fit that fails leaves no trace; work is bounded, whatever the types are.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cel::types::{FIRST_VARIABLE, Type};

/// Far above what sensible expressions need.
const MOST_STEPS: u64 = 20_000_000;

/// What open types stand for.
#[derive(Debug)]
pub(super) struct Bindings {
    map: BTreeMap<u32, Type>,
    /// What was bound before, to be put back if a fit fails.
    trail: Vec<(u32, Option<Type>)>,
    next: u32,
    steps: u64,
}

impl Bindings {
    pub(super) fn new() -> Self {
        Self { map: BTreeMap::new(), trail: vec![], next: FIRST_VARIABLE, steps: MOST_STEPS }
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.steps == 0
    }

    fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }

    pub(super) fn fresh(&mut self) -> Type {
        self.next += 1;
        Type::Param(self.next - 1)
    }

    /// Reserves numbers for the letters of a declaration; returns the first.
    pub(super) fn fresh_letters(&mut self, letters: &[u32]) -> u32 {
        self.next += letters.len() as u32;
        self.next - letters.len() as u32
    }

    /// Says whether `from` can be used where `to` is wanted; if so, open types are bound.
    pub(super) fn fits(&mut self, from: &Type, to: &Type) -> bool {
        self.all_fit(&[(from, to)])
    }

    pub(super) fn all_fit(&mut self, pairs: &[(&Type, &Type)]) -> bool {
        self.trail.clear();
        let fits = pairs.iter().all(|(from, to)| self.unify(from, to));
        if !fits {
            while let Some((number, before)) = self.trail.pop() {
                match before {
                    Some(before) => self.map.insert(number, before),
                    None => self.map.remove(&number),
                };
            }
        }
        fits
    }

    fn bind(&mut self, number: u32, to: Type) {
        let before = self.map.insert(number, to);
        self.trail.push((number, before));
    }

    fn unify(&mut self, from: &Type, to: &Type) -> bool {
        if !self.step() {
            return false;
        }
        if let Type::Param(number) = to {
            match self.substitutes(from, *number) {
                (true, _) => return true,
                (false, true) => return false,
                (false, false) => {}
            }
        }
        if let Type::Param(number) = from {
            return self.substitutes(to, *number).0;
        }
        if from.is_dyn_or_error() || to.is_dyn_or_error() {
            return true;
        }
        match (from, to) {
            (Type::Null, other) | (other, Type::Null) => is_nullable(other),
            (Type::Meta(_), Type::Meta(_)) => true,
            (Type::List(from), Type::List(to)) => self.unify(from, to),
            (Type::Map(from_key, from_value), Type::Map(to_key, to_value)) => {
                self.unify(from_key, to_key) && self.unify(from_value, to_value)
            }
            (Type::Opaque(from_name, from), Type::Opaque(to_name, to)) => {
                from_name == to_name
                    && from.len() == to.len()
                    && from.iter().zip(to.iter()).all(|(from, to)| self.unify(from, to))
            }
            (from, to) => from == to,
        }
    }

    /// Whether a type can stand for an open one, and whether that stands for something already.
    fn substitutes(&mut self, candidate: &Type, number: u32) -> (bool, bool) {
        if *candidate == Type::Param(number) {
            return (true, true);
        }
        let Some(bound) = self.map.get(&number).cloned() else {
            if self.is_free_in(number, candidate) {
                self.bind(number, candidate.clone());
                return (true, false);
            }
            return (false, false);
        };
        if *candidate == bound {
            return (true, true);
        }
        if !self.unify(candidate, &bound) {
            return (false, true);
        }
        let general = most_general(candidate, &bound).clone();
        if self.is_free_in(number, &general) {
            self.bind(number, general);
        }
        (true, true)
    }

    /// Whether an open type does not occur in another.
    fn is_free_in(&mut self, number: u32, within: &Type) -> bool {
        if !self.step() {
            return false;
        }
        match within {
            Type::Param(other) if *other == number => false,
            Type::Param(other) => match self.map.get(other).cloned() {
                None => true,
                Some(bound) => self.is_free_in(number, &bound),
            },
            within => within.params().into_iter().all(|param| self.is_free_in(number, param)),
        }
    }

    /// The type with what is known filled in; what stays open becomes `dyn` if asked for.
    pub(super) fn resolve(&mut self, of: &Type, opens_to_dyn: bool) -> Type {
        if !self.step() {
            return Type::Dyn;
        }
        match of {
            Type::Param(number) => match self.map.get(number).cloned() {
                Some(bound) => self.resolve(&bound, opens_to_dyn),
                None if opens_to_dyn => Type::Dyn,
                None => of.clone(),
            },
            of => map_params(of, &mut |param| self.resolve(param, opens_to_dyn)),
        }
    }

    /// A declared type whose letters are numbers from `first` on.
    pub(super) fn instantiate(of: &Type, letters: &[u32], first: u32) -> Type {
        match of {
            Type::Param(letter) => {
                let place = letters.iter().position(|known| known == letter).unwrap_or(0);
                Type::Param(first + place as u32)
            }
            of => map_params(of, &mut |param| Self::instantiate(param, letters, first)),
        }
    }
}

fn map_params(of: &Type, map: &mut dyn FnMut(&Type) -> Type) -> Type {
    match of {
        Type::List(items) => Type::List(Arc::new(map(items))),
        Type::Map(keys, values) => Type::Map(Arc::new(map(keys)), Arc::new(map(values))),
        Type::Meta(Some(inner)) => Type::Meta(Some(Arc::new(map(inner)))),
        Type::Opaque(name, params) => Type::Opaque(name.clone(), params.iter().map(map).collect()),
        other => other.clone(),
    }
}

/// compat: checker/types.go, isLegacyNullable
fn is_nullable(of: &Type) -> bool {
    matches!(of, Type::Null | Type::Opaque(..) | Type::Object(_) | Type::Duration | Type::Timestamp)
}

/// The more general of two types that fit each other.
pub(super) fn most_general<'a>(left: &'a Type, right: &'a Type) -> &'a Type {
    if is_equal_or_less_specific(left, right) { left } else { right }
}

fn is_equal_or_less_specific(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::Dyn | Type::Param(_), _) => true,
        (_, Type::Dyn | Type::Param(_)) => false,
        (Type::Meta(_), Type::Meta(_)) => true,
        (Type::List(_), Type::List(_)) | (Type::Map(..), Type::Map(..)) => params_are(left, right),
        (Type::Opaque(left_name, left_params), Type::Opaque(right_name, right_params)) => {
            left_name == right_name
                && left_params.len() == right_params.len()
                && params_are(left, right)
        }
        (left, right) => left == right,
    }
}

fn params_are(left: &Type, right: &Type) -> bool {
    let pairs = left.params().into_iter().zip(right.params());
    pairs.into_iter().all(|(left, right)| is_equal_or_less_specific(left, right))
}

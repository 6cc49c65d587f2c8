//! What calls of cel-go's extensions cost at worst: lists and sets.
//!
//! Reads a call; returns a quote without the cost of its arguments.
//! Invariant: a call that is not of these libraries has no quote here.

use super::calls::Priced;
use super::{Estimator, LIST_COST, Operand, Quote, Range, TEXT_FACTOR};
use crate::cel::syntax::Kind;
use crate::cel::value::Value;

impl Estimator<'_> {
    pub(super) fn extension(&self, call: &Priced<'_>) -> Option<Quote> {
        let target = call.target;
        Some(match (call.overload, call.args) {
            ("list_sets_contains_list" | "list_sets_intersects_list", [left, right]) => {
                self.pairs(left, right, 1.0)
            }
            ("list_sets_equivalent_list", [left, right]) => self.pairs(left, right, 2.0),
            ("list_slice", [start, end]) => {
                let size = self.operand_size(target?);
                let start = self.int_value(start, 0);
                let end = self.int_value(end, size.max);
                allocation(1.0, Range::fixed(end.wrapping_sub(start)))
            }
            ("lists_range", [end]) => allocation(1.0, Range::fixed(self.int_value(end, u64::MAX))),
            ("list_reverse", []) => allocation(1.0, self.operand_size(target?)),
            ("list_flatten" | "list_flatten_int", args) => {
                let depth = args.first().map_or(1, |depth| self.int_value(depth, u64::MAX));
                allocation(depth as f64, self.operand_size(target?))
            }
            ("list_distinct", []) => {
                let size = self.operand_size(target?);
                allocation(2.0, size.times(size))
            }
            (id, []) if id.starts_with("list_") && id.ends_with("_sort") => self.sort(target?, id),
            (id, [keys]) if id.ends_with("_sortByAssociatedKeys") => self.sort(keys, id),
            _ => return None,
        })
    }

    fn pairs(&self, left: &Operand, right: &Operand, factor: f64) -> Quote {
        let product = self.operand_size(left).times(self.operand_size(right));
        Quote::new(product.scaled(factor).plus(Range::ONE))
    }

    fn sort(&self, list: &Operand, overload: &str) -> Quote {
        let size = self.operand_size(list);
        let is_text = overload.starts_with("list_string_") || overload.starts_with("list_bytes_");
        let factor = if is_text { 2.0 + TEXT_FACTOR } else { 2.0 };
        allocation(factor, size.times(size))
    }

    /// A number that stands in the text; a negative one counts as none.
    fn int_value(&self, operand: &Operand, otherwise: u64) -> u64 {
        match operand.node.map(|node| self.ast.kind(node)) {
            Some(Kind::Literal(Value::Int(int))) => u64::try_from(*int).unwrap_or(0),
            _ => otherwise,
        }
    }

    pub(super) fn operand_size(&self, operand: &Operand) -> Range {
        operand.size.or_else(|| self.declared_size(&operand.path)).unwrap_or(Range::UNKNOWN)
    }
}

fn allocation(factor: f64, size: Range) -> Quote {
    Quote::sized(size.scaled(factor).plus(Range::ONE).plus(LIST_COST), size)
}

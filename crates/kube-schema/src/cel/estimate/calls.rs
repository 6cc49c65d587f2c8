//! What calls of the standard library cost at worst.
//!
//! Reads a call with its arguments' sizes and costs; returns a quote.
//! Invariant: the libraries' own quotes come first.

use super::cost::is_comparison;
use super::{Estimator, NodeId, Operand, Quote, REGEX_FACTOR, Range, TEXT_FACTOR};

/// A call to be priced, of one overload.
pub(super) struct Priced<'a> {
    pub node: NodeId,
    pub function: &'static str,
    pub overload: &'static str,
    pub target: Option<&'a Operand>,
    pub args: &'a [Operand],
    pub costs: &'a [Range],
}

impl Priced<'_> {
    fn args_cost(&self) -> Range {
        self.costs.iter().fold(Range::ZERO, |sum, cost| sum.plus(*cost))
    }

    fn arg_size(&self, place: usize) -> Range {
        self.args.get(place).and_then(|arg| arg.size).unwrap_or(Range::UNKNOWN)
    }

    fn target_size(&self) -> Range {
        self.target.and_then(|target| target.size).unwrap_or(Range::UNKNOWN)
    }
}

impl Estimator<'_> {
    /// A quote for one overload, the cost of its arguments included.
    pub(super) fn quote(&mut self, call: &Priced<'_>) -> Quote {
        let of_library = self.extension(call).or_else(|| self.kubernetes(call));
        if let Some(quote) = of_library {
            return Quote { cost: quote.cost.plus(call.args_cost()), ..quote };
        }
        match call.overload {
            "logical_or" | "logical_and" => {
                let (left, right) = (call.costs[0], call.costs[1]);
                Quote::new(Range { min: left.min, max: left.plus(right).max })
            }
            "conditional" => self.conditional(call),
            "add_string" | "add_bytes" | "add_list" => self.sum(call),
            _ => {
                let quote = standard(call);
                Quote { cost: quote.cost.plus(call.args_cost()), ..quote }
            }
        }
    }

    fn conditional(&mut self, call: &Priced<'_>) -> Quote {
        let size = call.arg_size(1).union(call.arg_size(2));
        self.join_entries(call, 1, 2);
        let branches = call.costs[1].union(call.costs[2]);
        Quote::sized(call.costs[0].plus(branches), size)
    }

    fn sum(&mut self, call: &Priced<'_>) -> Quote {
        let size = call.arg_size(0).plus(call.arg_size(1));
        self.join_entries(call, 0, 1);
        let cost = match call.overload {
            "add_list" => Range::ONE,
            _ => size.scaled(TEXT_FACTOR),
        };
        Quote::sized(cost.plus(call.args_cost()), size)
    }

    /// The result's parts are those of two arguments.
    fn join_entries(&mut self, call: &Priced<'_>, first: usize, second: usize) {
        let entry = |place: usize| self.entry(call.args.get(place)?.node?);
        if let (Some(first), Some(second)) = (entry(first), entry(second)) {
            self.entries[call.node.index()] = Some(first.union(second));
        }
    }
}

fn standard(call: &Priced<'_>) -> Quote {
    let size = call.arg_size(0);
    match call.overload {
        "string_format" if call.target.is_some() => {
            Quote::new(call.target_size().scaled(TEXT_FACTOR))
        }
        "string_to_bytes" => {
            let result = Range { min: size.min, max: size.max.wrapping_mul(4) };
            Quote::sized(size.scaled(TEXT_FACTOR), result)
        }
        "bytes_to_string" => {
            let result = Range { min: size.min / 4, max: size.max };
            Quote::sized(size.scaled(TEXT_FACTOR), result)
        }
        "strings_quote" => {
            let max = size.max.wrapping_mul(2).wrapping_add(2);
            let result = Range { min: size.min.wrapping_add(2), max };
            Quote::sized(size.scaled(TEXT_FACTOR), result)
        }
        "starts_with_string" | "ends_with_string" => Quote::new(size.scaled(TEXT_FACTOR)),
        "in_list" => Quote::new(call.arg_size(1).scaled(1.0)),
        "matches_string" => {
            let text = call.target_size().plus(Range::ONE).scaled(TEXT_FACTOR);
            Quote::new(text.times(size.scaled(REGEX_FACTOR)))
        }
        "contains_string" => {
            Quote::new(call.target_size().scaled(TEXT_FACTOR).times(size.scaled(TEXT_FACTOR)))
        }
        overload if is_comparison(overload) => {
            let max = size.max.min(call.arg_size(1).max);
            Quote::new(Range { min: u64::from(max > 0), max }.scaled(TEXT_FACTOR))
        }
        _ => Quote::new(Range::ONE),
    }
}

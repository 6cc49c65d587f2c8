//! What calls cost at run time.
//!
//! Reads a call's arguments and result; returns units of cost.
//! Invariant: costs equal those of cel-go's `runtimecost.go` with Kubernetes' `library/cost.go`.

use super::error::Error;
use super::fuel::Fuel;
use super::functions::{Function, Overload};
use super::plan::go_type;
use super::value::Value;

/// compat: cel-go common/cost.go
pub(super) const LIST_COST: u64 = 10;
pub(super) const MAP_COST: u64 = 30;
pub(super) const TEXT_FACTOR: f64 = 0.1;
pub(super) const REGEX_FACTOR: f64 = 0.25;

/// How the cost of a call is computed, known once its overload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Price {
    Fixed(u64),
    /// A look at everything in the first argument.
    Traversal,
    /// A pass over the first argument's text.
    Pass,
    TwoPasses,
    ResultTwoPasses,
    /// A pattern, the second argument, run over a text.
    Regex,
    Substring,
    Equality,
    Shorter,
    Both,
    InList,
    ContainsIp {
        is_text: bool,
    },
    ContainsCidr {
        is_text: bool,
    },
    Format,
    /// Every item with every item of the other list, so many times.
    Pairs(u64),
    ResultList,
    Flatten,
    /// Every item of the list at this place with every other.
    SelfPairs(usize),
}

impl Price {
    /// The price of a call; without one overload that is certain, `overload` is none.
    pub(super) fn of(function: &Function, overload: Option<&Overload>) -> Self {
        let id = overload.map_or("", |overload| overload.id);
        of_extension(id)
            .or_else(|| of_kubernetes(function.name, id))
            .unwrap_or_else(|| of_standard(id))
    }

    /// What the call cost. Arguments that are errors count as one.
    pub(super) fn cost(
        self,
        args: &[Value],
        result: Option<&Value>,
        fuel: &Fuel,
    ) -> Result<u64, Error> {
        Ok(match self {
            Self::Fixed(cost) => cost,
            Self::Traversal => traversal(&args[0], fuel)?,
            Self::Pass => pass(size(&args[0])),
            Self::TwoPasses => two_passes(size(&args[0])),
            Self::ResultTwoPasses => two_passes(result.map_or(1, size)),
            Self::Regex => regex(size(&args[0]), size(&args[1])),
            Self::Substring => pass(size(&args[0])) * pass(size(&args[1])),
            Self::Equality => equality(&args[0], &args[1]),
            Self::Shorter => pass(inner_size(&args[0]).min(inner_size(&args[1]))),
            Self::Both => pass(inner_size(&args[0]) + inner_size(&args[1])),
            Self::InList => inner_size(&args[1]),
            Self::ContainsIp { is_text } => {
                pass(2 * size(&args[0])) + if is_text { pass(size(&args[1])) } else { 0 }
            }
            Self::ContainsCidr { is_text } => {
                let own = size(&args[0]);
                let text = if is_text { pass(size(&args[1])) } else { 0 };
                pass(2 * own) + pass(own) + 1 + text
            }
            Self::Format => match &args[0] {
                Value::Format(format) => regex(size(&args[1]), format.pattern_size()),
                _ => 1,
            },
            Self::Pairs(times) => 1 + size(&args[0]).saturating_mul(size(&args[1])) * times,
            Self::ResultList => allocation(1.0, result.map_or(1, size)),
            Self::Flatten => {
                let depth = match args.get(1) {
                    Some(Value::Int(depth)) => *depth as f64,
                    _ => 1.0,
                };
                allocation(depth, size(&args[0]))
            }
            Self::SelfPairs(place) => self_pairs(&args[place])?,
        })
    }
}

fn of_extension(id: &str) -> Option<Price> {
    Some(match id {
        "list_sets_contains_list" | "list_sets_intersects_list" => Price::Pairs(1),
        "list_sets_equivalent_list" => Price::Pairs(2),
        "list_slice" | "lists_range" | "list_reverse" => Price::ResultList,
        "list_flatten" | "list_flatten_int" => Price::Flatten,
        "list_distinct" => Price::SelfPairs(0),
        _ if id.starts_with("list_") && id.ends_with("_sort") => Price::SelfPairs(0),
        _ if id.starts_with("list_") && id.ends_with("_sortByAssociatedKeys") => {
            Price::SelfPairs(1)
        }
        _ => return None,
    })
}

fn of_kubernetes(function: &str, id: &str) -> Option<Price> {
    Some(match function {
        "check" => Price::Fixed(350_000),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => Price::Traversal,
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR"
        | "quantity" | "isQuantity" | "semver" | "isSemver" => Price::Pass,
        "replace" | "split" | "ip.isCanonical" => Price::TwoPasses,
        "join" => Price::ResultTwoPasses,
        "find" | "findAll" => Price::Regex,
        "ip" if id == "cidr_ip" => Price::Fixed(1),
        "ip" => Price::Pass,
        "containsIP" => Price::ContainsIp { is_text: id == "cidr_contains_ip_string" },
        "containsCIDR" => Price::ContainsCidr { is_text: id == "cidr_contains_cidr_string" },
        "validate" => Price::Format,
        "_==_" => Price::Equality,
        _ => return None,
    })
}

fn of_standard(id: &str) -> Price {
    match id {
        "starts_with_string" | "ends_with_string" | "string_to_bytes" | "bytes_to_string"
        | "strings_quote" | "string_format" => Price::Pass,
        "in_list" => Price::InList,
        _ if is_comparison(id) => Price::Shorter,
        "add_string" | "add_bytes" => Price::Both,
        "matches_string" => Price::Regex,
        "contains_string" => Price::Substring,
        _ => Price::Fixed(1),
    }
}

/// Whether an overload reads two texts up to the end of the shorter one.
pub(super) fn is_comparison(overload: &str) -> bool {
    matches!(
        overload,
        "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes"
            | "equals"
            | "not_equals"
    )
}

fn size(value: &Value) -> u64 {
    value.size().unwrap_or(1)
}

/// The size of a value, or of what an optional holds.
fn inner_size(value: &Value) -> u64 {
    match value {
        Value::Optional(Some(inner)) => inner_size(inner),
        value => size(value),
    }
}

fn pass(size: u64) -> u64 {
    (size as f64 * TEXT_FACTOR).ceil() as u64
}

fn two_passes(size: u64) -> u64 {
    (size as f64 * 2.0 * TEXT_FACTOR).ceil() as u64
}

fn regex(text: u64, pattern: u64) -> u64 {
    let text = ((1.0 + text as f64) * TEXT_FACTOR).ceil() as u64;
    text.saturating_mul((pattern as f64 * REGEX_FACTOR).ceil() as u64)
}

fn equality(left: &Value, right: &Value) -> u64 {
    match left {
        Value::Quantity(_)
        | Value::Ip(_)
        | Value::Cidr(_)
        | Value::Format(_)
        | Value::Url(_)
        | Value::Semver(_) => 1,
        left => pass(inner_size(left).min(inner_size(right))),
    }
}

fn allocation(factor: f64, size: u64) -> u64 {
    let work = size as f64 * factor;
    // Go turns a negative number into a huge one, which then overflows.
    let work = if work < 0.0 { work as i64 as u64 } else { work as u64 };
    work.wrapping_add(1 + LIST_COST)
}

fn self_pairs(list: &Value) -> Result<u64, Error> {
    let Value::List(list) = list else {
        // compat: ext/lists.go, trackListSelfCompare expects nothing but a list
        let method = if is_adder(list) { "Contains" } else { "Add" };
        let problem = format!("{} is not traits.Lister: missing method {method}", go_type(list));
        let text = format!("internal error: interface conversion: {problem}");
        return Err(Error::Aborted(text.into()));
    };
    let items = list.items().len() as u64;
    let factor = match list.items().first() {
        Some(Value::String(_) | Value::Bytes(_)) => 2.0 + TEXT_FACTOR,
        _ => 2.0,
    };
    Ok(allocation(factor, items.saturating_mul(items)))
}

fn is_adder(value: &Value) -> bool {
    matches!(
        value,
        Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_)
    )
}

fn traversal(value: &Value, fuel: &Fuel) -> Result<u64, Error> {
    fuel.burn(0)?;
    Ok(match value {
        Value::String(text) => (text.len() as f64 * TEXT_FACTOR) as u64,
        Value::Bytes(bytes) => (bytes.len() as f64 * TEXT_FACTOR) as u64,
        Value::List(list) => {
            let mut total = 0;
            for item in list.items() {
                total += traversal(item, fuel)?;
            }
            total
        }
        Value::Map(map) => {
            let mut total = 0;
            for (key, item) in map.entries() {
                total += traversal(&Value::from(&key), fuel)? + traversal(item, fuel)?;
            }
            total
        }
        _ => 1,
    })
}

//! What calls of Kubernetes' libraries cost at worst.
//!
//! Reads a call; returns a quote without the cost of its arguments.
//! Invariant: quotes equal those of `library/cost.go`, EstimateCallCost.

use super::calls::Priced;
use super::{Estimator, Operand, Quote, REGEX_FACTOR, Range, TEXT_FACTOR};
use crate::cel::syntax::Kind;
use crate::cel::types::Type;
use crate::cel::value::Value;

/// compat: apiserver/pkg/cel/limits.go
const FORMAT_SIZE: u64 = 64;
const NAME_REGEX_SIZE: f64 = 128.0;

/// An address in bytes.
const ADDRESS: Range = Range { min: 4, max: 16 };

impl Estimator<'_> {
    pub(super) fn kubernetes(&self, call: &Priced<'_>) -> Option<Quote> {
        fixed(call).or_else(|| self.of_text(call)).or_else(|| self.of_parts(call))
    }

    /// Functions that read a text from its start to its end.
    fn of_text(&self, call: &Priced<'_>) -> Option<Quote> {
        let first = call.args.first();
        Some(match call.function {
            "url" => {
                let size = self.operand_size(first?);
                Quote::sized(size.scaled(TEXT_FACTOR), size)
            }
            "lowerAscii" | "upperAscii" | "substring" | "trim" => {
                let size = self.operand_size(call.target?);
                Quote::sized(size.scaled(TEXT_FACTOR), size)
            }
            "find" | "findAll" => {
                let size = self.operand_size(call.target?);
                let text = size.plus(Range::ONE).scaled(TEXT_FACTOR);
                let pattern = self.operand_size(first?).scaled(REGEX_FACTOR);
                Quote::sized(text.times(pattern), Range { min: 0, max: size.max })
            }
            "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver"
            | "isSemver" => Quote::new(self.operand_size(first?).scaled(TEXT_FACTOR)),
            "ip.isCanonical" => Quote::new(self.operand_size(first?).scaled(2.0 * TEXT_FACTOR)),
            "validate" => {
                let text = self.operand_size(first?).scaled(TEXT_FACTOR);
                Quote::new(text.scaled(NAME_REGEX_SIZE * REGEX_FACTOR))
            }
            _ => return None,
        })
    }

    /// Functions whose cost depends on parts of what they are given.
    fn of_parts(&self, call: &Priced<'_>) -> Option<Quote> {
        match call.function {
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
                call.target.map(|target| self.traversal(target))
            }
            "replace" => self.replace(call),
            "split" => self.split(call),
            "join" => self.join(call),
            "containsIP" => self.contains(call, "cidr_contains_ip_string", Range::ZERO),
            "containsCIDR" => {
                let masking = ADDRESS.scaled(TEXT_FACTOR).plus(Range::ONE);
                self.contains(call, "cidr_contains_cidr_string", masking)
            }
            "_==_" => equality(call),
            _ => None,
        }
    }

    fn traversal(&self, target: &Operand) -> Quote {
        let size = self.operand_size(target);
        let Some(item) = item_of(target) else { return Quote::new(size.scaled(TEXT_FACTOR)) };
        let cost = match item.of_type {
            Type::String | Type::Bytes => {
                Range::ONE.plus(self.operand_size(&item).scaled(TEXT_FACTOR))
            }
            _ => Range::ONE,
        };
        Quote::new(size.times(cost))
    }

    fn replace(&self, call: &Priced<'_>) -> Option<Quote> {
        let [old, new, ..] = call.args else { return None };
        let size = self.operand_size(call.target?);
        let (old, new) = (self.operand_size(old), self.operand_size(new));
        let (mut count, mut kept) = (Range::ZERO, Range::ZERO);
        if old.min == 0 {
            (count.max, kept.max) = (size.max.saturating_add(1), size.max);
        } else if new.max <= old.min {
            kept.max = size.max;
        } else {
            count.max = (size.max as f64 / old.min as f64).ceil() as u64;
        }
        if old.max == 0 {
            (count.min, kept.min) = (size.min.saturating_add(1), size.min);
        } else if old.max <= new.min {
            kept.min = size.min;
        } else {
            count.min = (size.min as f64 / old.max as f64).ceil() as u64;
        }
        let result = count.times(new).plus(kept);
        Some(Quote::sized(size.scaled(2.0 * TEXT_FACTOR), result))
    }

    fn split(&self, call: &Priced<'_>) -> Option<Quote> {
        let size = self.operand_size(call.target?);
        let limit = call.args.get(1).and_then(|limit| limit.node);
        let max = match limit.map(|limit| self.ast.kind(limit)) {
            Some(Kind::Literal(Value::Int(limit))) => *limit as u64,
            _ => size.max,
        };
        Some(Quote::sized(size.scaled(2.0 * TEXT_FACTOR), Range { min: 0, max }))
    }

    fn join(&self, call: &Priced<'_>) -> Option<Quote> {
        let target = call.target?;
        let count = self.operand_size(target);
        let mut size =
            item_of(target).map_or(Range::ZERO, |item| count.times(self.operand_size(&item)));
        if let Some(separator) = call.args.first() {
            let gaps = Range { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
            size = size.plus(self.operand_size(separator).times(gaps));
        }
        Some(Quote::sized(size.scaled(TEXT_FACTOR), size))
    }

    fn contains(&self, call: &Priced<'_>, of_text: &str, masking: Range) -> Option<Quote> {
        let first = call.args.first()?;
        let mut cost = ADDRESS.plus(ADDRESS).scaled(TEXT_FACTOR).plus(masking);
        if call.overload == of_text {
            cost = cost.plus(self.operand_size(first).scaled(TEXT_FACTOR));
        }
        Some(Quote::new(cost))
    }
}

/// Functions that cost the same whatever they are given.
fn fixed(call: &Priced<'_>) -> Option<Quote> {
    Some(match call.function {
        "check" => Quote::new(Range::fixed(350_000)),
        "serviceAccount"
        | "path"
        | "group"
        | "resource"
        | "subresource"
        | "namespace"
        | "name"
        | "allowed"
        | "reason"
        | "error"
        | "errored"
        | "masked"
        | "prefixLength"
        | "family"
        | "isUnspecified"
        | "isLoopback"
        | "isLinkLocalMulticast"
        | "isLinkLocalUnicast"
        | "isGlobalUnicast"
        | "format.named"
        | "sign"
        | "asInteger"
        | "isInteger"
        | "asApproximateFloat"
        | "isGreaterThan"
        | "isLessThan"
        | "compareTo"
        | "add"
        | "sub"
        | "major"
        | "minor"
        | "patch"
        | "getScheme"
        | "getHostname"
        | "getHost"
        | "getPort"
        | "getEscapedPath"
        | "getQuery" => Quote::new(Range::ONE),
        "ip" if call.overload == "cidr_ip" => Quote::new(Range::ONE),
        _ => return None,
    })
}

/// The items of a list.
fn item_of(list: &Operand) -> Option<Operand> {
    let of_type = Type::clone(list.of_type.params().first()?);
    let mut path = list.path.clone();
    if !path.is_empty() {
        path.push("@items".into());
    }
    Some(Operand { path, of_type, node: None, size: None })
}

fn equality(call: &Priced<'_>) -> Option<Quote> {
    let [left, right] = call.args else { return None };
    if left.of_type != right.of_type {
        return None;
    }
    let (Type::Object(name) | Type::Opaque(name, _)) = &left.of_type else { return None };
    match &**name {
        "net.IP"
        | "net.CIDR"
        | "kubernetes.Quantity"
        | "kubernetes.Semver"
        | "kubernetes.authorization.Authorizer"
        | "kubernetes.authorization.PathCheck"
        | "kubernetes.authorization.GroupCheck"
        | "kubernetes.authorization.ResourceCheck"
        | "kubernetes.authorization.Decision" => Some(Quote::new(Range::ONE)),
        "kubernetes.NamedFormat" => {
            Some(Quote::new(Range { min: 1, max: FORMAT_SIZE }.scaled(TEXT_FACTOR)))
        }
        "kubernetes.URL" => {
            let max = right.size.map_or(1, |size| size.max);
            Some(Quote::new(Range { min: 1, max }.scaled(TEXT_FACTOR)))
        }
        _ => None,
    }
}

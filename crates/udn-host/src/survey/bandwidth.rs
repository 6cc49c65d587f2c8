//! How fast a pod may send and receive, as its annotations say.
//!
//! Reads the pod's metadata; returns [`Bandwidth`].
//! Invariant: a bandwidth is within the bounds that Kubernetes sets, or refused with what to write.

use udn_wire::keys::{EGRESS_BANDWIDTH, INGRESS_BANDWIDTH};
use udn_wire::object::Metadata;

use crate::facts::Bandwidth;

#[cfg(test)]
mod tests;

// compat: k8s.io/kubernetes/pkg/util/bandwidth, validateBandwidthIsReasonable
const LEAST: f64 = 1e3;
const MOST: f64 = 1e15;

/// A bandwidth that cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("annotation {key}: {problem}; write bits per second from 1k to 1P, such as 10M")]
pub struct BandwidthError {
    key: &'static str,
    problem: String,
}

/// What the annotations of a pod allow it.
pub fn bandwidth(metadata: &Metadata) -> Result<Bandwidth, BandwidthError> {
    let read = |key: &'static str| {
        let read = metadata.annotation(key).map(parse).transpose();
        read.map_err(|problem| BandwidthError { key, problem })
    };
    Ok(Bandwidth { ingress: read(INGRESS_BANDWIDTH)?, egress: read(EGRESS_BANDWIDTH)? })
}

fn parse(text: &str) -> Result<u64, String> {
    let bits = quantity(text);
    let bits = bits.ok_or_else(|| format!("\"{}\" is no quantity", text.escape_default()))?;
    match bits {
        it if it < LEAST => Err(format!("{text} is too little")),
        it if it > MOST => Err(format!("{text} is too much")),
        // Within the bounds nothing is lost but parts of a bit.
        it => Ok(it as u64),
    }
}

/// Reads a number as Kubernetes writes quantities: `1500`, `1.5M`, `10Gi`, `1e6`.
// compat: k8s.io/apimachinery/pkg/api/resource, Quantity
fn quantity(text: &str) -> Option<f64> {
    let is_of_number = |it: char| it.is_ascii_digit() || it == '.';
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let end = unsigned.find(|it| !is_of_number(it)).unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    let number: f64 = number.parse().ok()?;
    Some(number * factor(suffix)?)
}

fn factor(suffix: &str) -> Option<f64> {
    let decimal = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
    let binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    if let Some(place) = decimal.iter().position(|it| *it == suffix) {
        return Some(1000_f64.powi(i32::try_from(place).ok()? - 3));
    }
    if let Some(place) = binary.iter().position(|it| *it == suffix) {
        return Some(1024_f64.powi(i32::try_from(place).ok()? + 1));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    let exponent: i32 = exponent.parse().ok().filter(|it| (-30..=30).contains(it))?;
    Some(10_f64.powi(exponent))
}

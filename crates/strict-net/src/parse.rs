//! The two parsers.
//!
//! Invariant: nothing is guessed; no leading zeros, no zones, no missing lengths.

use std::net::IpAddr;

use ipnet::IpNet;

#[cfg(test)]
mod tests;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseProblem {
    #[error("\"{text}\" is not an IP address")]
    NotAnAddress { text: String },
    #[error("\"{text}\" has no prefix length; write {text}/{suggestion}")]
    NoLength { text: String, suggestion: u8 },
    #[error("\"{text}\" is not a CIDR such as 10.0.0.0/16 or fd00::/64")]
    NotACidr { text: String },
    #[error("\"{text}\" has a prefix length that is not a plain number from 0 to {longest}")]
    BadLength { text: String, longest: u8 },
}

/// Reads an address.
pub fn parse_ip(text: &str) -> Result<IpAddr, ParseProblem> {
    text.parse().map_err(|_| ParseProblem::NotAnAddress { text: text.to_owned() })
}

/// Reads a CIDR; its host bits are kept.
pub fn parse_cidr(text: &str) -> Result<IpNet, ParseProblem> {
    let Some((address, length)) = text.rsplit_once('/') else {
        return Err(match parse_ip(text) {
            Ok(ip) => ParseProblem::NoLength { text: text.to_owned(), suggestion: longest(ip) },
            Err(_) => ParseProblem::NotACidr { text: text.to_owned() },
        });
    };
    let ip = parse_ip(address).map_err(|_| ParseProblem::NotACidr { text: text.to_owned() })?;
    let longest = longest(ip);
    let bad_length = || ParseProblem::BadLength { text: text.to_owned(), longest };
    let length = parse_length(length).ok_or_else(bad_length)?;
    IpNet::new(ip, length).map_err(|_| bad_length())
}

fn longest(ip: IpAddr) -> u8 {
    match ip {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// A number as Go writes it: no sign and no leading zero.
fn parse_length(text: &str) -> Option<u8> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = text.len() > 1 && text.starts_with('0');
    if is_plain && !has_leading_zero { text.parse().ok() } else { None }
}

//! IP and CIDR texts, read as strictly as Go's `netip` reads them.
//!
//! Reads text; returns an address or an [`IpNet`] whose host bits are kept.
//! Invariant: a text has one reading here and in Kubernetes; `10.0.0.0/08` has none in either.

mod parse;

pub use ipnet::{IpNet, Ipv4Net, Ipv6Net};
pub use parse::{ParseProblem, parse_cidr, parse_ip};

//! Where a server is: `unix:/path`, `tcp:host:port`, `ssl:host:port`.
//!
//! Reads the texts that every OVN program takes, several separated by commas.
//! Invariant: a parsed remote names exactly one place; nothing was looked up yet.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use ovsdb::Retry;

#[cfg(test)]
mod tests;

/// One place to connect to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Remote {
    Unix(PathBuf),
    Tcp(Address),
    Tls(Address),
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// A name or an IP address, without brackets.
    pub host: String,
    pub port: u16,
}

/// A text that names no remote.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    #[error("{text:?} does not begin with unix:, tcp: or ssl:")]
    Scheme { text: String },
    #[error("{text:?} names no path")]
    Path { text: String },
    #[error("{text:?} names no host")]
    Host { text: String },
    #[error("{text:?} has an IPv6 address without brackets")]
    Brackets { text: String },
    #[error("{text:?} does not end with a port from 1 to 65535")]
    Port { text: String },
    #[error("no remote given")]
    Empty,
}

impl RemoteError {
    /// What the caller should do next.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Scheme { .. }
            | Self::Path { .. }
            | Self::Host { .. }
            | Self::Brackets { .. }
            | Self::Port { .. }
            | Self::Empty => Retry::Never,
        }
    }
}

impl Remote {
    /// Reads several remotes, separated by commas.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, RemoteError> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let remotes: Vec<Self> = parts.map(str::parse).collect::<Result<_, _>>()?;
        if remotes.is_empty() { Err(RemoteError::Empty) } else { Ok(remotes) }
    }
}

impl FromStr for Remote {
    type Err = RemoteError;

    fn from_str(text: &str) -> Result<Self, RemoteError> {
        let own = || text.to_owned();
        match text.split_once(':') {
            Some(("unix", "")) => Err(RemoteError::Path { text: own() }),
            Some(("unix", path)) => Ok(Self::Unix(path.into())),
            Some(("tcp", address)) => Ok(Self::Tcp(parse_address(text, address)?)),
            Some(("ssl", address)) => Ok(Self::Tls(parse_address(text, address)?)),
            _ => Err(RemoteError::Scheme { text: own() }),
        }
    }
}

fn parse_address(text: &str, address: &str) -> Result<Address, RemoteError> {
    let own = || text.to_owned();
    let (host, port) = address.rsplit_once(':').ok_or_else(|| RemoteError::Port { text: own() })?;
    let host = match host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(inner) => inner,
        None if host.contains(':') => return Err(RemoteError::Brackets { text: own() }),
        None => host,
    };
    if host.is_empty() {
        return Err(RemoteError::Host { text: own() });
    }
    match port.parse() {
        Ok(port) if port > 0 => Ok(Address { host: host.to_owned(), port }),
        Ok(_) | Err(_) => Err(RemoteError::Port { text: own() }),
    }
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(address) => write!(f, "tcp:{address}"),
            Self::Tls(address) => write!(f, "ssl:{address}"),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

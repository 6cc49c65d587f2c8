//! What names one interface of one container: the two words every CNI request is about.
//!
//! Reads `CNI_CONTAINERID` and `CNI_IFNAME`, or an entry of `cni.dev/valid-attachments`; returns an
//! [`Attachment`]. Invariant: a name that was accepted may stand in a path, a link's name and an
//! argument of a program.

use std::fmt;

use crate::error::{CniError, Code};
use crate::quote::quote;

/// The kernel holds a name in 16 bytes, of which the last is zero.
const LONGEST_INTERFACE_NAME: usize = 15;

/// The specification sets no limit; runtimes use 64 hexadecimal digits.
const LONGEST_CONTAINER_ID: usize = 255;

/// A container's sandbox, as the runtime calls it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContainerId(String);

impl ContainerId {
    /// Letters, digits, `_`, `.` and `-`, and a letter or digit first.
    pub fn parse(text: &str) -> Result<Self, CniError> {
        let refuse = |reason: &str| {
            let message = format!("CNI_CONTAINERID {} {reason}", quote(text));
            Err(CniError::new(Code::InvalidEnvironment, message))
        };
        if text.is_empty() {
            return refuse("is empty");
        }
        if text.len() > LONGEST_CONTAINER_ID {
            return refuse("is longer than 255 bytes");
        }
        let may_follow = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if !text.as_bytes()[0].is_ascii_alphanumeric() || !text.bytes().all(may_follow) {
            return refuse("has other characters than letters, digits, `_`, `.` and `-`");
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContainerId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The name of an interface inside of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceName(String);

impl InterfaceName {
    /// A name that the kernel takes as it is.
    pub fn parse(text: &str) -> Result<Self, CniError> {
        let refuse = |reason: &str| {
            let message = format!("the interface name {} {reason}", quote(text));
            Err(CniError::new(Code::InvalidEnvironment, message))
        };
        if text.is_empty() {
            return refuse("is empty");
        }
        if text.len() > LONGEST_INTERFACE_NAME {
            return refuse("is longer than 15 bytes, which is the most that Linux takes");
        }
        if text == "." || text == ".." {
            return refuse("means a folder");
        }
        // The kernel counts interfaces up where a name has a `%`.
        let is_bad = |it: char| "/:%".contains(it) || it.is_whitespace() || it.is_control();
        if text.contains(is_bad) {
            return refuse("has a `/`, `:`, `%`, white space or a control character");
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InterfaceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One interface of one container.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attachment {
    pub container_id: ContainerId,
    pub interface: InterfaceName,
}

impl Attachment {
    pub fn parse(container_id: &str, interface: &str) -> Result<Self, CniError> {
        let container_id = ContainerId::parse(container_id)?;
        Ok(Self { container_id, interface: InterfaceName::parse(interface)? })
    }
}

impl fmt::Display for Attachment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {}", self.interface, self.container_id)
    }
}

#[cfg(test)]
mod tests;

//! Parameters of the kernel below `/proc/sys/net`, of the namespace that the thread is in.
//!
//! Invariant: a value that stands already is not written again.

use std::fs;
use std::path::Path;

use udn_host::links::Parameter;

use super::KernelError;

const ROOT: &str = "/proc/sys/net";

/// Sets what differs; returns how much that was.
pub(super) fn apply(wanted: &[Parameter]) -> Result<usize, KernelError> {
    let mut changes = 0;
    for parameter in wanted {
        changes += usize::from(set(parameter)?);
    }
    Ok(changes)
}

fn set(Parameter { path, value }: &Parameter) -> Result<bool, KernelError> {
    let root = Path::new(ROOT);
    // A kernel without IPv6 has no use for its parameters.
    if path.starts_with("ipv6/") && !root.join("ipv6").is_dir() {
        return Ok(false);
    }
    let refused = |source| KernelError::Parameter { path: path.clone(), value, source };
    let file = root.join(path);
    let stands = fs::read_to_string(&file).map_err(refused)?;
    if stands.trim() == *value {
        return Ok(false);
    }
    fs::write(&file, value).map_err(refused)?;
    Ok(true)
}

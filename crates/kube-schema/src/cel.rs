//! The Common Expression Language, as kube-apiserver 1.35 runs it.
//!
//! Reads an expression and the [`Env`] that declares its variables; returns a [`Program`] that
//! can be run many times over different [`Variables`].
//! Invariant: results, error texts and costs are those of cel-go 0.26 with Kubernetes' libraries.

mod check;
mod cost;
mod declared;
mod env;
mod error;
mod escape;
mod estimate;
mod eval;
mod fuel;
mod functions;
mod plan;
mod program;
mod source;
mod syntax;
mod types;
mod value;

pub use declared::{Declared, Object};
pub use env::{Budget, Env, Variables};
pub use error::{CompileError, Error};
pub use escape::{escape, unescape};
pub(crate) use functions::GoRegex;
pub use functions::{NamedFormat, Quantity, Semver, Url};
pub use program::Program;
pub use value::{Duration, Key, List, ListKind, Map, Timestamp, Value};

#[cfg(test)]
mod tests;

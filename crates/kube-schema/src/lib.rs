//! Judges an object against a CRD and admission policies, as kube-apiserver would.
//!
//! Reads manifests of CRDs and policies into a [`Catalog`]; returns verdicts in the server's words.
//! Invariant: what is accepted here is accepted by the server, and what is refused is refused
//! there with the same causes.

mod catalog;
pub mod cel;
mod correlate;
mod decode;
mod defaults;
mod definition;
mod embedded;
mod field_error;
mod formats;
pub mod go_text;
mod go_time;
mod intake;
mod judge;
mod list_types;
mod manifest;
mod metadata;
mod number;
mod openapi;
mod path;
mod policy;
mod prune;
mod quantity;
mod rules;
mod scale;
mod schema;
pub mod selector;
mod verdict;

pub use catalog::{Catalog, CatalogError};
pub use definition::{Column, Definition, Scale, Scope, Version};
pub use field_error::{BadValue, ErrorKind, FieldError, Source};
pub use go_text::{json_type, quoted};
pub use judge::{Operation, Request};
pub use metadata::check::NameRule;
pub use metadata::{check_created, check_updated, names};
pub use path::{Path, Step};
pub use policy::{Denial, Opinion, Policy, Question};
pub use quantity::Quantity;
pub use rules::{Outcome, RuleRun};
pub use schema::{Additional, Kind, ListType, MapType, Pattern, Reason, Rule, Schema};
pub use selector::LabelSelector;
pub use verdict::{StrictError, Verdict, aggregate};

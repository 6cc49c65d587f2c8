//! Writes: create, update and patch, from the object asked for to the object stored.
//!
//! Reads a request; answers what was stored, or why nothing was.
//! Invariant: what is stored was judged, and was judged against what it replaces.

mod admit;
mod create;
mod patch;
mod provide;
mod scale;
mod settle;
mod stored;
mod unfit;
mod update;
mod version;

pub(crate) use admit::{Admission, admit, mutate};
pub(crate) use create::create;
pub(crate) use patch::patch;
pub(crate) use scale::scale;
pub(crate) use stored::{Kept, insert, remove, replace};
pub(crate) use update::{check_name, update};

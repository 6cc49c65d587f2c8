//! From text to a tree.
//!
//! Reads an expression; returns an [`Ast`] with macros expanded, or complaints.
//! Invariant: a tree is never deeper than the server allows, so walking it is safe.

mod ast;
mod explain;
mod lexer;
mod literal;
mod macros;
mod parser;

pub(super) use ast::{Ast, Comprehension, Entry, Kind, NodeId};
pub(super) use parser::parse;

//! Checks how long functions are, and that `lib.rs` holds none.
//!
//! Takes parsed files; returns problems. Invariant: length is measured on the parsed function,
//! from its signature to its closing brace, so comments above it are free.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, ItemMod, Signature, TraitItemFn};

use super::problem::Problem;
use super::source::{Source, is_for_tests};
use crate::text_file::TextFile;

/// The longest a function may be.
const MOST_LINES: usize = 60;

pub(crate) fn check(sources: &[Source<'_>]) -> Vec<Problem> {
    let written = sources.iter().filter(|source| !source.file.is_generated());
    written.flat_map(check_source).collect()
}

fn check_source(source: &Source<'_>) -> Vec<Problem> {
    let mut walk = Walk { file: source.file, problems: Vec::new() };
    walk.visit_file(&source.parsed);
    walk.problems
}

struct Walk<'a> {
    file: &'a TextFile,
    problems: Vec<Problem>,
}

impl Walk<'_> {
    fn judge(&mut self, signature: &Signature, body: &Block) {
        let (first, last) = (line(signature.fn_token.span()), body.span().end().line);
        let lines = last + 1 - first;
        let name = &signature.ident;
        if lines > MOST_LINES {
            let text = format!("`{name}` has {lines} lines, the most is {MOST_LINES}; divide it");
            self.problems.push(Problem::at(self.file, first, text));
        }
        if self.file.name() == "lib.rs" {
            let text = format!("lib.rs holds no logic; move `{name}` into a module");
            self.problems.push(Problem::at(self.file, first, text));
        }
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.judge(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.judge(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(body) = &function.default {
            self.judge(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

fn line(span: Span) -> usize {
    span.start().line
}

#[cfg(test)]
mod tests;

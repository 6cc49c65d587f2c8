//! Checks how long functions are, and that `lib.rs` holds none.
//!
//! Takes files; returns problems. Invariant: length is measured on the parsed function, from its
//! signature to its closing brace, so comments above it are free.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ImplItemFn, ItemFn, ItemMod, Signature, TraitItemFn};

use super::problem::Problem;
use crate::text_file::TextFile;

/// The longest a function may be.
const MOST_LINES: usize = 60;

pub(crate) fn check(files: &[TextFile]) -> Vec<Problem> {
    let is_checked =
        |file: &&TextFile| file.is_rust() && !file.is_test_code() && !file.is_generated();
    files.iter().filter(is_checked).flat_map(check_file).collect()
}

fn check_file(file: &TextFile) -> Vec<Problem> {
    match syn::parse_file(&file.text) {
        Ok(parsed) => {
            let mut walk = Walk { file, problems: Vec::new() };
            walk.visit_file(&parsed);
            walk.problems
        }
        Err(error) => {
            let line = error.span().start().line;
            vec![Problem::at(file, line, format!("cannot be parsed: {error}"))]
        }
    }
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

/// Whether the item carries `#[cfg(test)]`.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

#[cfg(test)]
mod tests;

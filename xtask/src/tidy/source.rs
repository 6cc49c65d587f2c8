//! Rust files of the product as syntax trees, parsed once for every check that reads them.
//!
//! Takes files; returns a [`Source`] for each that parses and a problem for each that does not.
//! Invariant: files that hold nothing but tests are left out.

use syn::Attribute;

use super::problem::Problem;
use crate::text_file::TextFile;

/// A file and what the parser made of it.
pub(crate) struct Source<'a> {
    pub(crate) file: &'a TextFile,
    pub(crate) parsed: syn::File,
}

pub(crate) fn parse_all(files: &[TextFile]) -> (Vec<Source<'_>>, Vec<Problem>) {
    let mut sources = Vec::new();
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && !file.is_test_code()) {
        match syn::parse_file(&file.text) {
            Ok(parsed) => sources.push(Source { file, parsed }),
            Err(error) => {
                let line = error.span().start().line;
                problems.push(Problem::at(file, line, format!("cannot be parsed: {error}")));
            }
        }
    }
    (sources, problems)
}

/// Whether something with these attributes carries `#[cfg(test)]`.
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

#[cfg(test)]
mod tests;

//! Finds the modules: by which paths the test programs of a crate hold a file.
//!
//! Takes files and the programs asked for; returns for each file its [`Place`]s.
//! Invariant: as the compiler finds them, from the program's root by `mod` and `#[path]`; a file
//! that no root leads to has no place.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Attribute, Expr, Item, ItemMod, Lit, Meta};

use crate::program::{Program, UNIT};
use crate::text_file::TextFile;

/// A file inside a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) program: Program,
    /// The module that the file is; empty for a root.
    pub(crate) module: Vec<String>,
}

/// The places of each file, by path.
pub(crate) type Places = BTreeMap<String, Vec<Place>>;

/// A `mod name { … }` inside a file, by its lines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inline {
    pub(crate) name: String,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// The folder of a crate, seen from the root.
pub(crate) fn folder(owner: &str) -> String {
    if owner == "xtask" { owner.to_owned() } else { format!("crates/{owner}") }
}

/// The crate that holds a file.
pub(crate) fn owner(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("crates/").unwrap_or(path);
    inside.split_once('/').map(|(owner, _)| owner)
}

/// Every place of every file that the programs hold.
pub(crate) fn places(files: &[TextFile], programs: &BTreeSet<Program>) -> Places {
    let by_path = files.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut walk = Walk { files: by_path, program: Program::default(), places: Places::new() };
    for program in programs {
        walk.program = program.clone();
        for root in roots(program, files) {
            let folder = parent(&root).to_owned();
            walk.file(&root, &folder, &[]);
        }
    }
    walk.places
}

/// The inline modules of a file, outer ones first; none when it cannot be parsed.
pub(crate) fn inline_modules(file: &TextFile) -> Vec<Inline> {
    fn collect(items: &[Item], found: &mut Vec<Inline>) {
        for item in items {
            let Item::Mod(ItemMod { ident, content: Some((braces, inside)), .. }) = item else {
                continue;
            };
            let (first, last) = (braces.span.open().start().line, braces.span.close().end().line);
            found.push(Inline { name: ident.to_string(), first, last });
            collect(inside, found);
        }
    }
    let mut found = Vec::new();
    if let Ok(parsed) = syn::parse_file(&file.text) {
        collect(&parsed.items, &mut found);
    }
    found
}

/// Where the compiler begins: one file for a test program, several for what is in `src/`.
fn roots(program: &Program, files: &[TextFile]) -> Vec<String> {
    let folder = folder(&program.owner);
    let exists = |path: &String| files.iter().any(|file| file.path == *path);
    if program.name != UNIT {
        let (file, main) = (format!("{folder}/tests/{}.rs", program.name), "/main.rs");
        let beside = file.trim_end_matches(".rs").to_owned() + main;
        return [file, beside].into_iter().filter(exists).collect();
    }
    let binaries = format!("{folder}/src/bin/");
    let more = files.iter().map(|file| file.path.clone());
    let more = more.filter(|path| path.strip_prefix(&binaries).is_some_and(|p| !p.contains('/')));
    let usual = ["lib", "main"].map(|root| format!("{folder}/src/{root}.rs"));
    usual.into_iter().filter(exists).chain(more).collect()
}

/// A walk through the modules of one program after the other.
struct Walk<'a> {
    files: BTreeMap<&'a str, &'a TextFile>,
    program: Program,
    places: Places,
}

/// Where the modules that a stretch of code declares are looked for.
struct Folders<'a> {
    /// For a `#[path]`.
    paths: &'a str,
    /// For everything else.
    children: &'a str,
}

impl Walk<'_> {
    fn file(&mut self, path: &str, children: &str, module: &[String]) {
        let Some(file) = self.files.get(path) else { return };
        let place = Place { program: self.program.clone(), module: module.to_vec() };
        let known = self.places.entry(path.to_owned()).or_default();
        if known.contains(&place) {
            return;
        }
        known.push(place);
        if let Ok(parsed) = syn::parse_file(&file.text) {
            self.items(&parsed.items, &Folders { paths: parent(path), children }, module);
        }
    }

    fn items(&mut self, items: &[Item], folders: &Folders<'_>, module: &[String]) {
        for item in items {
            let Item::Mod(item) = item else { continue };
            let name = item.ident.to_string();
            let module = [module, std::slice::from_ref(&name)].concat();
            let told = path_attribute(&item.attrs).map(|path| join(folders.paths, &path));
            let usual = join(folders.children, &name);
            match &item.content {
                Some((_, inside)) => {
                    let folder = told.unwrap_or(usual);
                    let folders = Folders { paths: &folder, children: &folder };
                    self.items(inside, &folders, &module);
                }
                None => self.declared(told, &usual, &module),
            }
        }
    }

    /// A module in a file of its own: the one that `#[path]` tells, or the usual one.
    fn declared(&mut self, told: Option<String>, usual: &str, module: &[String]) {
        if let Some(path) = told {
            self.file(&path, parent(&path), module);
        } else {
            self.file(&format!("{usual}.rs"), usual, module);
        }
    }
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path seen from a folder, without `..`.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests;

//! Draws for each crate which of its top-level modules uses which.
//!
//! Takes parsed files; returns a [`Graph`] for every crate below `crates/`.
//! What the root imports counts as the module it comes from; a glob of the root is not followed.
//! Invariant: a module that is declared for tests only is not in the graph, nor are those below it.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Arrow, Graph, Place};
use super::names;
use crate::tidy::source::Source;

/// The graph of every crate, by name.
pub(super) fn graphs<'a>(sources: &'a [Source<'a>]) -> BTreeMap<&'a str, Graph> {
    let mut crates: BTreeMap<&str, Vec<Module<'_>>> = BTreeMap::new();
    for (name, module) in sources.iter().filter_map(Module::find) {
        crates.entry(name).or_default().push(module);
    }
    crates.into_iter().map(|(name, modules)| (name, graph(&modules))).collect()
}

fn graph(modules: &[Module<'_>]) -> Graph {
    let for_tests: Vec<String> = modules.iter().flat_map(Module::test_modules).collect();
    let is_product = |module: &&Module<'_>| !for_tests.iter().any(|test| module.is_within(test));
    let product: Vec<&Module<'_>> = modules.iter().filter(is_product).collect();
    let root = Root::new(&product);
    let mut graph = Graph::default();
    for module in product {
        let Some(from) = module.top() else { continue };
        for used in names::used(&module.source.parsed, module.depth()) {
            let Some(to) = root.module_of(&used.name) else { continue };
            let place = Place { path: module.source.file.path.clone(), line: used.line };
            graph.add(Arrow { from: from.to_owned(), to: to.to_owned(), place });
        }
    }
    graph
}

/// A file of a crate as a module.
struct Module<'a> {
    source: &'a Source<'a>,
    /// Its name and those around it, with `/`; empty for a root.
    way: &'a str,
}

impl<'a> Module<'a> {
    /// The crate and the module, if the file lies below `crates/*/src`.
    fn find(source: &'a Source<'a>) -> Option<(&'a str, Self)> {
        let (name, file) = source.file.path.strip_prefix("crates/")?.split_once("/src/")?;
        let way = file.strip_suffix(".rs")?;
        let way = if ["lib", "main"].contains(&way) { "" } else { way };
        Some((name, Self { source, way }))
    }

    /// The top-level module it belongs to; `None` for a root.
    fn top(&self) -> Option<&'a str> {
        self.way.split('/').next().filter(|top| !top.is_empty())
    }

    fn depth(&self) -> usize {
        self.way.split('/').count()
    }

    fn is_within(&self, other: &str) -> bool {
        self.way.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The modules it declares for tests only.
    fn test_modules(&self) -> impl Iterator<Item = String> {
        let way = self.way;
        names::test_modules(&self.source.parsed)
            .map(move |name| if way.is_empty() { name } else { format!("{way}/{name}") })
    }
}

/// The names that a path from the root can begin with.
struct Root<'a> {
    modules: BTreeSet<&'a str>,
    imports: BTreeMap<String, String>,
}

impl<'a> Root<'a> {
    fn new(modules: &[&Module<'a>]) -> Self {
        let roots = modules.iter().filter(|module| module.top().is_none());
        Self {
            modules: modules.iter().filter_map(|module| module.top()).collect(),
            imports: roots.flat_map(|root| names::imports(&root.source.parsed)).collect(),
        }
    }

    /// The module that a name stands for or comes from.
    fn module_of<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        let import = || self.imports.get(name).map(String::as_str);
        let is_module = |name: &&str| self.modules.contains(name);
        Some(name).filter(is_module).or_else(|| import().filter(is_module))
    }
}

//! Reads which names of its crate's root a file uses, and which modules are there for tests only.
//!
//! Takes a parsed file and how deep its module lies below the root; returns names with their lines.
//! Paths count wherever they stand: in `use` trees, types, expressions, attributes and the words
//! given to a macro. Invariant: what carries `#[cfg(test)]` is not looked at.

use proc_macro2::{Literal, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ImplItem, Item, ItemMod, ItemUse, Lit, Path, UseTree};

use crate::tidy::source::is_for_tests;

/// A name of the root, and the line that uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) name: String,
    pub(super) line: usize,
}

/// What the file uses of the root; `depth` is 1 for a top-level module.
pub(super) fn used(file: &syn::File, depth: usize) -> Vec<Used> {
    let mut walk = Walk { depth, found: Vec::new() };
    walk.visit_file(file);
    walk.found
}

/// What the root imports from its modules: the name it gives, and the module it comes from.
pub(super) fn imports(root: &syn::File) -> Vec<(String, String)> {
    let uses = root.items.iter().filter_map(|item| match item {
        Item::Use(item) if !is_for_tests(&item.attrs) => Some(leaves(item)),
        _ => None,
    });
    uses.flatten()
        .filter_map(|leaf| {
            let mut way = leaf.way.iter().skip_while(|word| *word == "self" || *word == "crate");
            Some((leaf.name, way.next()?.unraw().to_string()))
        })
        .collect()
}

/// The modules that the file declares for tests only.
pub(super) fn test_modules(file: &syn::File) -> impl Iterator<Item = String> {
    file.items.iter().filter_map(|item| match item {
        Item::Mod(module) if is_for_tests(&module.attrs) => Some(module.ident.unraw().to_string()),
        _ => None,
    })
}

struct Walk {
    depth: usize,
    found: Vec<Used>,
}

impl Walk {
    /// Keeps the name if the path climbs to the root.
    fn keep(&mut self, way: &[Ident]) {
        let mut words = way.iter().skip_while(|word| *word == "self").peekable();
        let mut climbed = 0;
        if words.next_if(|word| *word == "crate").is_some() {
            climbed = self.depth;
        }
        while words.next_if(|word| *word == "super").is_some() {
            climbed += 1;
        }
        if climbed == self.depth
            && let Some(name) = words.next()
        {
            let line = name.span().start().line;
            self.found.push(Used { name: name.unraw().to_string(), line });
        }
    }

    /// Finds paths among the words given to a macro or an attribute, which have no syntax tree.
    fn read_tokens(&mut self, tokens: &TokenStream) {
        let mut way: Vec<Ident> = Vec::new();
        let mut colons = 0;
        for token in tokens.clone() {
            let is_next_step = colons == 2;
            colons = if is_colon(&token) { colons + 1 } else { 0 };
            match token {
                TokenTree::Ident(word) if is_next_step => way.push(word),
                TokenTree::Ident(word) => self.keep(&std::mem::replace(&mut way, vec![word])),
                TokenTree::Group(group) => self.read_tokens(&group.stream()),
                TokenTree::Literal(text) => self.read_literal(text),
                TokenTree::Punct(_) if colons > 0 => {}
                TokenTree::Punct(_) => self.keep(&std::mem::take(&mut way)),
            }
        }
        self.keep(&way);
    }

    /// serde and its like take a path as text.
    fn read_literal(&mut self, text: Literal) {
        if let Lit::Str(text) = Lit::new(text)
            && ["crate::", "super::"].iter().any(|start| text.value().starts_with(start))
            && let Ok(path) = text.parse_with(Path::parse_mod_style)
        {
            self.keep(&steps(&path));
        }
    }
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !is_for_tests(impl_attributes(item)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, module);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for leaf in leaves(item) {
            self.keep(&leaf.way);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        self.keep(&steps(path));
        visit::visit_path(self, path);
    }

    fn visit_token_stream(&mut self, tokens: &'ast TokenStream) {
        self.read_tokens(tokens);
    }
}

/// One thing that a `use` brings: the name it gets, and the whole way to it.
struct Leaf {
    name: String,
    way: Vec<Ident>,
}

/// Everything a `use` brings from this crate; a way that begins with `::` leads elsewhere.
fn leaves(item: &ItemUse) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    if item.leading_colon.is_none() {
        gather(&item.tree, &[], &mut leaves);
    }
    leaves
}

fn gather(tree: &UseTree, above: &[Ident], leaves: &mut Vec<Leaf>) {
    let below = |ident: &Ident| [above, std::slice::from_ref(ident)].concat();
    match tree {
        UseTree::Path(step) => gather(&step.tree, &below(&step.ident), leaves),
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| gather(tree, above, leaves));
        }
        UseTree::Glob(_) => leaves.push(Leaf { name: "*".to_owned(), way: above.to_vec() }),
        UseTree::Rename(leaf) => {
            let name = leaf.rename.unraw().to_string();
            leaves.push(Leaf { name, way: below(&leaf.ident) });
        }
        UseTree::Name(leaf) => {
            let named = if leaf.ident == "self" { above.last() } else { Some(&leaf.ident) };
            let name = named.map(|ident| ident.unraw().to_string()).unwrap_or_default();
            leaves.push(Leaf { name, way: below(&leaf.ident) });
        }
    }
}

fn steps(path: &Path) -> Vec<Ident> {
    path.segments.iter().map(|step| step.ident.clone()).collect()
}

fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == ':')
}

/// The attributes of an item; what the parser could not name has none.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of an item of an `impl`; what the parser could not name has none.
fn impl_attributes(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        ImplItem::Type(item) => &item.attrs,
        ImplItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests;

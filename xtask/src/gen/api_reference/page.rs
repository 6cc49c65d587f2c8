//! The page itself: a section for each kind, and one for each object inside of it.
//!
//! Invariant: an object that was described before is linked, not described again.

use serde_json::Value;

use super::bounds::{bounds, type_of};
use super::text;

/// A page in the making.
#[derive(Debug)]
pub(super) struct Page {
    text: String,
    /// Objects that are described, with the section that does it.
    described: Vec<(Value, String)>,
}

/// An object that gets a section.
struct Section<'a> {
    kind: &'a str,
    path: String,
    schema: &'a Value,
}

impl Page {
    pub(super) fn new(introduction: &str) -> Self {
        Self { text: format!("{introduction}\n"), described: Vec::new() }
    }

    pub(super) fn into_text(self) -> String {
        let mut text = self.text.trim_end().to_owned();
        text.push('\n');
        text
    }

    /// A line of the table of contents.
    pub(super) fn link_kind(&mut self, manifest: &Value) {
        let kind = text(&manifest["spec"]["names"]["kind"]);
        let schema = root(manifest);
        let description = sentence(&schema["description"]);
        self.line(&format!("- [{kind}](#{}): {description}", anchor(kind)));
    }

    /// The section of one kind, with all objects inside of it.
    pub(super) fn add_kind(&mut self, manifest: &Value) {
        let names = &manifest["spec"]["names"];
        let kind = text(&names["kind"]);
        self.line(&format!("\n## {kind}\n\n{}\n", sentence(&root(manifest)["description"])));
        self.line("| | |\n|---|---|");
        let version = text(&manifest["spec"]["versions"][0]["name"]);
        let group = text(&manifest["spec"]["group"]);
        self.line(&format!("| apiVersion | `{group}/{version}` |"));
        self.line(&format!("| scope | {} |", text(&manifest["spec"]["scope"])));
        let short = names["shortNames"].as_array().into_iter().flatten().map(text);
        let short: Vec<&str> = [text(&names["plural"])].into_iter().chain(short).collect();
        self.line(&format!("| kubectl | `{}` |", short.join("`, `")));
        for part in ["spec", "status"] {
            let schema = &root(manifest)["properties"][part];
            if schema.is_object() {
                self.add_object(&Section { kind, path: part.to_owned(), schema });
            }
        }
    }

    /// The section of an object, then those of the objects inside of it.
    fn add_object(&mut self, object: &Section<'_>) {
        let title = format!("{} {}", object.kind, object.path);
        self.line(&format!("\n### {title}\n"));
        if let Some((_, known)) = self.described.iter().find(|(it, _)| it == object.schema) {
            let link = format!("The same as [{known}](#{}).", anchor(known));
            self.line(&link);
            return;
        }
        self.described.push((object.schema.clone(), title));
        self.line(&format!("{}\n", sentence(&object.schema["description"])));
        self.line("| field | type | required | bounds | meaning |\n|---|---|---|---|---|");
        let required = object.schema["required"].as_array();
        let fields = object.schema["properties"].as_object().into_iter().flatten();
        for (name, schema) in fields.clone() {
            let is_required = required.is_some_and(|all| all.iter().any(|it| it == name));
            self.line(&format!(
                "| `{name}` | {} | {} | {} | {} |",
                type_of(schema),
                if is_required { "yes" } else { "" },
                bounds(schema),
                cell(&sentence(&schema["description"])),
            ));
        }
        self.add_rules(object.schema);
        for (name, schema) in fields {
            if let Some((suffix, schema)) = inner_object(schema) {
                let path = format!("{}.{name}{suffix}", object.path);
                self.add_object(&Section { kind: object.kind, path, schema });
            }
        }
    }

    /// The rules of an object, and of its fields that are no objects.
    fn add_rules(&mut self, schema: &Value) {
        let mut rules = Vec::new();
        collect(schema, String::new(), &mut rules);
        if rules.is_empty() {
            return;
        }
        self.line("\n| at | refused with | unless |\n|---|---|---|");
        for (path, rule) in rules {
            let at = format!("{path}{}", text(&rule["fieldPath"]));
            let at = at.trim_start_matches('.');
            let at = if at.is_empty() { String::new() } else { format!("`{at}`") };
            let (message, rule) = (cell(text(&rule["message"])), cell(text(&rule["rule"])));
            self.line(&format!("| {at} | {message} | `{rule}` |"));
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// The schema of the newest version.
fn root(manifest: &Value) -> &Value {
    &manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
}

/// The object that a field holds, or holds many of, and how that is written in a path.
fn inner_object(schema: &Value) -> Option<(&'static str, &Value)> {
    let (suffix, inner) =
        if schema["items"].is_object() { ("[]", &schema["items"]) } else { ("", schema) };
    inner["properties"].is_object().then_some((suffix, inner))
}

fn collect<'a>(schema: &'a Value, path: String, rules: &mut Vec<(String, &'a Value)>) {
    let own = schema["x-kubernetes-validations"].as_array().into_iter().flatten();
    rules.extend(own.map(|rule| (path.clone(), rule)));
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        if !field["properties"].is_object() {
            collect(field, format!("{path}.{name}"), rules);
        }
    }
    let items = &schema["items"];
    if items.is_object() && !items["properties"].is_object() {
        collect(items, format!("{path}[]"), rules);
    }
}

/// A description without line breaks.
fn sentence(description: &Value) -> String {
    text(description).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text that cannot end its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The anchor that Markdown makes of a heading.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|it| it.is_alphanumeric() || [' ', '-', '_'].contains(it));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

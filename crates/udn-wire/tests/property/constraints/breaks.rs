//! Finds every constraint of a CRD, and the ways to break each: dropped, or moved by one.
//!
//! Reads a manifest; returns [`Break`]s that can be applied to it. Invariant: a word of the schema
//! that is unknown here is a panic, so that no new kind of constraint goes unseen.

use std::fmt;

use serde_json::{Map, Value, json};

/// One constraint, broken.
#[derive(Debug, Clone)]
pub(crate) struct Break {
    /// The kind and the field, for people.
    path: String,
    what: String,
    /// Whether more is refused than before; else less, or in other words.
    pub(crate) is_tighter: bool,
    /// A JSON pointer to what is replaced, and by what.
    pointer: String,
    value: Value,
}

impl Break {
    /// The definition with the constraint broken.
    pub(crate) fn applied(&self, definition: &Value) -> Value {
        let mut definition = definition.clone();
        let place = definition.pointer_mut(&self.pointer).expect("the place was found in it");
        *place = self.value.clone();
        definition
    }

    /// The last word of the field's path.
    pub(crate) fn field(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default().trim_end_matches("[]")
    }
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

/// All of them, for all versions.
pub(crate) fn breaks(definition: &Value) -> Vec<Break> {
    let mut found = Vec::new();
    let kind = definition["spec"]["names"]["kind"].as_str().expect("it has a kind");
    let versions = definition["spec"]["versions"].as_array().expect("it has versions");
    for (index, version) in versions.iter().enumerate() {
        let pointer = format!("/spec/versions/{index}/schema/openAPIV3Schema");
        let schema = &version["schema"]["openAPIV3Schema"];
        Walk { found: &mut found }.schema(schema, kind, &pointer);
    }
    found
}

struct Walk<'a> {
    found: &'a mut Vec<Break>,
}

impl Walk<'_> {
    fn schema(&mut self, schema: &Value, path: &str, pointer: &str) {
        let fields = schema.as_object().expect("a schema is an object");
        for (word, value) in fields {
            let below = format!("{pointer}/{word}");
            match word.as_str() {
                "description" | "type" | "x-kubernetes-map-type" => {}
                "properties" => {
                    for (name, field) in value.as_object().expect("fields by name") {
                        self.schema(field, &format!("{path}.{name}"), &format!("{below}/{name}"));
                    }
                }
                "items" => self.schema(value, &format!("{path}[]"), &below),
                "additionalProperties" => self.schema(value, &format!("{path}.*"), &below),
                _ => self.constraint((fields, word), path, pointer),
            }
        }
    }

    fn constraint(
        &mut self,
        (schema, word): (&Map<String, Value>, &str),
        path: &str,
        pointer: &str,
    ) {
        let value = &schema[word];
        match word {
            "minimum" | "minLength" | "minItems" | "minProperties" => {
                self.bound((word, value), -1, path, pointer);
            }
            "maximum" | "maxLength" | "maxItems" => self.bound((word, value), 1, path, pointer),
            "enum" => self.choices(schema, path, pointer),
            "required" => self.without_each((word, value), path, pointer),
            "x-kubernetes-validations" => {
                self.without_each((word, value), path, pointer);
                self.words_of_rules(value, path, pointer);
            }
            "pattern" => self.without(schema, &[word], path, pointer),
            "format" if value == "date-time" => self.without(schema, &[word], path, pointer),
            "format" if value == "int32" || value == "int64" => {}
            "x-kubernetes-list-type" if value == "atomic" => {}
            "x-kubernetes-list-type" => {
                let words = [word, "x-kubernetes-list-map-keys"];
                self.without(schema, &words, path, pointer);
            }
            "x-kubernetes-list-map-keys" => {}
            other => panic!("{path}: {other} is a word that this test does not know"),
        }
    }

    fn push(
        &mut self,
        path: &str,
        what: String,
        is_tighter: bool,
        (pointer, value): (String, Value),
    ) {
        self.found.push(Break { path: path.to_owned(), what, is_tighter, pointer, value });
    }

    /// A number, one further out and one further in.
    fn bound(&mut self, (word, value): (&str, &Value), outwards: i64, path: &str, pointer: &str) {
        let bound = value.as_i64().expect("bounds are whole numbers");
        for (is_tighter, moved) in [(false, bound + outwards), (true, bound - outwards)] {
            let what = format!("{word} {bound} becomes {moved}");
            self.push(path, what, is_tighter, (format!("{pointer}/{word}"), moved.into()));
        }
    }

    /// A schema without some words.
    fn without(&mut self, schema: &Map<String, Value>, words: &[&str], path: &str, pointer: &str) {
        let mut less = schema.clone();
        less.retain(|word, _| !words.contains(&word.as_str()));
        self.push(path, format!("no {}", words[0]), false, (pointer.to_owned(), less.into()));
    }

    /// A list without each of its items.
    fn without_each(&mut self, (word, value): (&str, &Value), path: &str, pointer: &str) {
        let items = value.as_array().expect("it is a list");
        for (index, item) in items.iter().enumerate() {
            let mut less = items.clone();
            less.remove(index);
            let what = format!("{word} without {}", item.get("rule").unwrap_or(item));
            self.push(path, what, false, (format!("{pointer}/{word}"), less.into()));
        }
    }

    /// Any value allowed, and each value alone no longer.
    fn choices(&mut self, schema: &Map<String, Value>, path: &str, pointer: &str) {
        self.without(schema, &["enum"], path, pointer);
        let choices = schema["enum"].as_array().expect("it is a list");
        for (index, choice) in choices.iter().enumerate() {
            let mut others = choices.clone();
            others[index] = json!("SomethingElse");
            let what = format!("enum without {choice}");
            self.push(path, what, true, (format!("{pointer}/enum"), others.into()));
        }
    }

    /// Rules that speak otherwise: another message, no field, no reason.
    fn words_of_rules(&mut self, rules: &Value, path: &str, pointer: &str) {
        for (index, rule) in rules.as_array().expect("it is a list").iter().enumerate() {
            for word in ["message", "fieldPath", "reason"] {
                let mut other = rule.as_object().expect("a rule is an object").clone();
                if other.remove(word).is_none() {
                    continue;
                }
                let what = format!("no {word} in {}", rule["rule"]);
                let place = format!("{pointer}/x-kubernetes-validations/{index}");
                self.push(path, what, false, (place, other.into()));
            }
        }
    }
}

//! One rule of a role.
//!
//! Reads `rules` of a role; says what a rule allows and whether it covers another.
//! Invariant: `*` stands for everything only where Kubernetes gives it that meaning.

use serde_json::{Map, Value, json};

use crate::auth::Attributes;

/// Verbs on resources, or on paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::auth) struct Rule {
    pub(in crate::auth) verbs: Vec<String>,
    pub(in crate::auth) groups: Vec<String>,
    pub(in crate::auth) resources: Vec<String>,
    /// Names of objects; empty for all.
    pub(in crate::auth) names: Vec<String>,
    pub(in crate::auth) paths: Vec<String>,
}

impl Rule {
    pub(in crate::auth) fn of_role(role: &Value) -> Vec<Self> {
        role["rules"].as_array().into_iter().flatten().map(Self::read).collect()
    }

    fn read(rule: &Value) -> Self {
        let texts = |field: &str| -> Vec<String> {
            let items = rule[field].as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            verbs: texts("verbs"),
            groups: texts("apiGroups"),
            resources: texts("resources"),
            names: texts("resourceNames"),
            paths: texts("nonResourceURLs"),
        }
    }

    /// All verbs on everything.
    pub(in crate::auth) fn everything() -> [Self; 2] {
        let all = || vec!["*".to_owned()];
        let resources = Self { verbs: all(), groups: all(), resources: all(), ..Self::default() };
        [resources, Self { verbs: all(), paths: all(), ..Self::default() }]
    }

    /// Whether it allows a request; `full` is the resource with its subresource.
    pub(in crate::auth) fn allows(&self, attributes: &Attributes<'_>, full: &str) -> bool {
        if !holds(&self.verbs, attributes.verb) {
            return false;
        }
        if let Some(path) = attributes.path {
            return self.paths.iter().any(|pattern| covers_path(pattern, path));
        }
        holds(&self.groups, attributes.group)
            && self.resources.iter().any(|resource| covers_resource(resource, full))
            && (self.names.is_empty() || self.names.iter().any(|name| name == attributes.name))
    }

    /// Whether it allows all that a rule with one entry in every list allows.
    pub(in crate::auth) fn covers(&self, small: &Self) -> bool {
        let verbs = small.verbs.iter().all(|verb| holds(&self.verbs, verb));
        if !small.paths.is_empty() {
            let is_covered =
                |path: &String| self.paths.iter().any(|pattern| covers_path(pattern, path));
            return verbs && small.paths.iter().all(is_covered);
        }
        let is_covered =
            |small: &String| self.resources.iter().any(|large| covers_resource(large, small));
        let names = match small.names.is_empty() {
            true => self.names.is_empty(),
            false => self.names.is_empty() || small.names.iter().all(|it| self.names.contains(it)),
        };
        verbs
            && small.groups.iter().all(|group| holds(&self.groups, group))
            && small.resources.iter().all(is_covered)
            && names
    }

    /// Rules with one entry in every list that together allow the same.
    pub(in crate::auth) fn split(&self) -> Vec<Self> {
        let one = |text: &String| vec![text.clone()];
        let mut small = Vec::new();
        for group in &self.groups {
            for resource in &self.resources {
                for verb in &self.verbs {
                    let rule = Self {
                        verbs: one(verb),
                        groups: one(group),
                        resources: one(resource),
                        ..Self::default()
                    };
                    match &self.names[..] {
                        [] => small.push(rule),
                        names => small.extend(
                            names.iter().map(|name| Self { names: one(name), ..rule.clone() }),
                        ),
                    }
                }
            }
        }
        for path in &self.paths {
            for verb in &self.verbs {
                small.push(Self { verbs: one(verb), paths: one(path), ..Self::default() });
            }
        }
        small
    }

    /// The rule as refusals write it.
    pub(in crate::auth) fn describe(&self) -> String {
        let lists = [
            ("APIGroups", &self.groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.paths),
            ("ResourceNames", &self.names),
            ("Verbs", &self.verbs),
        ];
        let lists = lists.iter().filter(|(_, list)| !list.is_empty());
        let lists: Vec<String> =
            lists.map(|(title, list)| format!("{title}:{}", go_list(list))).collect();
        format!("{{{}}}", lists.join(", "))
    }

    /// The rule as `SelfSubjectRulesReview` lists it.
    pub(in crate::auth) fn to_value(&self) -> Value {
        let lists = [
            ("verbs", &self.verbs),
            ("apiGroups", &self.groups),
            ("resources", &self.resources),
            ("resourceNames", &self.names),
            ("nonResourceURLs", &self.paths),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        Value::Object(lists.map(|(key, list)| (key.to_owned(), json!(list))).collect::<Map<_, _>>())
    }
}

/// A list of texts as Go's `%q` writes it.
pub(in crate::auth) fn go_list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
    format!("[{}]", texts.join(" "))
}

fn holds(list: &[String], text: &str) -> bool {
    list.iter().any(|known| known == "*" || known == text)
}

/// `*` is all resources, `*/scale` the scale of all.
fn covers_resource(pattern: &str, full: &str) -> bool {
    let is_subresource_of_all = || {
        let wanted = pattern.strip_prefix("*/");
        wanted.is_some() && full.split_once('/').map(|(_, subresource)| subresource) == wanted
    };
    pattern == "*" || pattern == full || is_subresource_of_all()
}

fn covers_path(pattern: &str, path: &str) -> bool {
    pattern == path || pattern.strip_suffix('*').is_some_and(|start| path.starts_with(start))
}

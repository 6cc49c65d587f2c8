//! The manifests under `deploy/`: complete, consistent, described.

#![allow(clippy::disallowed_methods, reason = "the test reads the project's own files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use udn_manifest::manifest::documents;
use udn_wire::deploy::{CRDS, DEFAULT_NETWORK, Manifest, POLICIES, ROLES};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn nad(kind: &str) -> Value {
    let manifests = CRDS.iter().map(|it| serde_saphyr::from_str(it.text).expect("it is YAML"));
    let mut found = manifests.filter(|it: &Value| it["spec"]["names"]["kind"] == kind);
    let nad = found.next().expect("the kind is defined");
    nad["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"].clone()
}

#[test]
fn every_file_is_in_the_program() {
    let known = CRDS.iter().chain(POLICIES).chain(ROLES).chain([&DEFAULT_NETWORK]);
    let known: Vec<&Manifest> = known.collect();
    for folder in ["crds", "policies", "rbac", ""] {
        let path = Path::new(ROOT).join("deploy").join(folder);
        let entries = fs::read_dir(&path).expect("the folder is there");
        for entry in entries.map(|it| it.expect("the folder can be read")) {
            let name = entry.file_name().into_string().expect("names are plain");
            let path = Path::new(folder).join(&name);
            let is_known = known.iter().any(|it| Path::new(it.path) == path);
            assert!(is_known || !name.ends_with(".yaml"), "{} is not in deploy.rs", path.display());
        }
    }
}

#[test]
fn both_kinds_of_networks_say_the_same() {
    let (one, many) = (nad("UserDefinedNetwork"), nad("ClusterUserDefinedNetwork"));
    let (own, wide) = (&one["spec"]["properties"], &many["spec"]["properties"]["network"]);
    assert_eq!(own["layer2"], wide["properties"]["layer2"]);
    assert_eq!(own["layer3"], wide["properties"]["layer3"]);
    assert_eq!(one["status"], many["status"]);
}

/// Every rule of our roles, with the name of its role.
fn rules() -> Vec<(String, Value)> {
    let documents = ROLES.iter().flat_map(|manifest| documents(manifest.text));
    let objects = documents.flat_map(|it| it.objects().expect("it is YAML"));
    let roles = objects.map(|it| it.value).filter(|it| it["rules"].is_array());
    let named = |role: Value| {
        let name = role["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let rules = role["rules"].as_array().cloned().unwrap_or_default();
        rules.into_iter().map(move |rule| (name.clone(), rule))
    };
    roles.flat_map(named).collect()
}

#[test]
fn no_role_is_wider_than_its_rules_say() {
    let rules = rules();
    assert!(rules.len() > 10, "only {} rules were found", rules.len());
    for (role, rule) in rules {
        let text = rule.to_string();
        for banned in ["\"*\"", "secrets", "impersonate", "escalate", "\"bind\""] {
            assert!(!text.contains(banned), "{role} has {banned}: {text}");
        }
    }
}

/// The roles of our own programs.
const OURS: [&str; 2] = ["udn-controller", "udn-node"];

#[test]
fn users_write_nothing_of_the_clusters() {
    for (role, rule) in rules().into_iter().filter(|(role, _)| !OURS.contains(&role.as_str())) {
        let verbs = rule["verbs"].to_string();
        let is_written = verbs.contains("create") || verbs.contains("patch");
        let what = rule["resources"].to_string();
        assert!(!is_written || what == r#"["userdefinednetworks"]"#, "{role} writes {what}");
    }
}

// proves: L-28
#[test]
fn the_reference_describes_every_field() {
    let page = fs::read_to_string(format!("{ROOT}/docs/api.md")).expect("the reference is there");
    let page = Reference::read(&page);
    let mut fields = 0;
    for manifest in CRDS {
        let manifest: Value = serde_saphyr::from_str(manifest.text).expect("it is YAML");
        let kind = manifest["spec"]["names"]["kind"].as_str().expect("it has a kind");
        let schema = &manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        for part in ["spec", "status"] {
            fields += page.described(&schema["properties"][part], &format!("{kind} {part}"));
        }
    }
    assert!(fields > 100, "only {fields} fields were found");
}

/// The lines of each section of the reference, by its heading.
struct Reference<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl<'a> Reference<'a> {
    fn read(page: &'a str) -> Self {
        let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut heading = "";
        for line in page.lines() {
            match line.strip_prefix("### ") {
                Some(next) => heading = next,
                None => sections.entry(heading).or_default().push(line),
            }
        }
        Self(sections)
    }

    /// Where a part is described, and the lines there: below its heading, or below the one that it
    /// refers to.
    fn section(&self, part: &str) -> (String, &[&'a str]) {
        let lines = self.0.get(part).unwrap_or_else(|| panic!("{part} has no section"));
        let referred = lines.iter().find_map(|line| line.strip_prefix("The same as ["));
        match referred.and_then(|rest| rest.split_once(']')) {
            Some((other, _)) => self.section(other),
            None => (part.to_owned(), lines),
        }
    }

    /// Counts the fields below a schema; each must stand in its own section with its description.
    fn described(&self, schema: &Value, part: &str) -> usize {
        let Some(fields) = schema["properties"].as_object() else { return 0 };
        let (part, lines) = self.section(part);
        let mut count = 0;
        for (name, field) in fields {
            let words = field["description"].as_str().unwrap_or_default().split_whitespace();
            let description = words.collect::<Vec<_>>().join(" ");
            assert!(!description.is_empty(), "{part}.{name} is not described");
            let is_row = |line: &&str| {
                line.starts_with(&format!("| `{name}` | "))
                    && line.ends_with(&format!("| {description} |"))
            };
            assert!(lines.iter().any(is_row), "{part}.{name} is not in the reference");
            count += 1 + self.below(field, &format!("{part}.{name}"));
        }
        count
    }

    /// The fields of an object, or of the objects in a list.
    fn below(&self, field: &Value, part: &str) -> usize {
        match field.get("items") {
            Some(items) => self.below(items, &format!("{part}[]")),
            None => self.described(field, part),
        }
    }
}

//! The values of the chart, as its schema has them: the file of defaults, and the table for people.
//!
//! Reads `values.schema.json`; returns texts. Invariant: every value has a default and a sentence.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// A value that may be set.
#[derive(Debug)]
struct Choice {
    /// Its names from the top, such as `node`, `port`.
    path: Vec<String>,
    default: Value,
    description: String,
}

/// All values, by name.
#[derive(Debug)]
pub(super) struct Values {
    choices: Vec<Choice>,
}

const README: &str = "# The chart `udn`

<!-- Generated from values.schema.json by `cargo xtask gen`. Change the descriptions there. -->

What `deploy/manifests` has, with values. [docs/operations.md](../../../docs/operations.md) says what is needed before, and how
to upgrade and to remove it.

```console
$ kubectl create namespace udn-system
$ kubectl label namespace udn-system pod-security.kubernetes.io/enforce=privileged
$ helm install udn deploy/chart/udn --namespace udn-system --set apiServer.host=192.0.2.10
```

The namespace is always `udn-system`. Helm installs CRDs once and neither changes nor removes them later:
`kubectl apply -f deploy/crds` before an upgrade.

| value | default | what it is |
|---|---|---|
";

/// Reads the values out of the schema.
pub(super) fn options(schema: &Value) -> Result<Values> {
    let mut choices = Vec::new();
    collect(schema, &mut Vec::new(), &mut choices)?;
    Ok(Values { choices })
}

fn collect(schema: &Value, path: &mut Vec<String>, choices: &mut Vec<Choice>) -> Result<()> {
    let Some(properties) = schema["properties"].as_object() else { return Ok(()) };
    ensure!(schema["additionalProperties"] == false, "{path:?} must refuse unknown values");
    for (name, property) in properties {
        path.push(name.clone());
        match property.get("default") {
            Some(default) => {
                let description = property["description"].as_str();
                let description =
                    description.with_context(|| format!("{path:?}: no description"))?;
                choices.push(Choice {
                    path: path.clone(),
                    default: default.clone(),
                    description: description.to_owned(),
                });
            }
            None => {
                ensure!(property["properties"].is_object(), "{path:?} has no default");
                collect(property, path, choices)?;
            }
        }
        path.pop();
    }
    Ok(())
}

impl Values {
    /// The default of a value, named as templates name it.
    pub(super) fn default_of(&self, name: &str) -> Option<&Value> {
        let found = self.choices.iter().find(|it| it.path.join(".") == name);
        found.map(|it| &it.default)
    }

    /// All defaults as one object.
    #[cfg(test)]
    pub(super) fn defaults(&self) -> Value {
        let mut all = Value::Object(serde_json::Map::new());
        for choice in &self.choices {
            let place = choice.path.iter().fold(&mut all, |place, name| &mut place[name]);
            *place = choice.default.clone();
        }
        all
    }
}

/// The file of defaults.
pub(super) fn page(values: &Values) -> String {
    let mut page = String::from("# Generated from values.schema.json by `cargo xtask gen`.\n");
    let mut open: Vec<&str> = Vec::new();
    for choice in &values.choices {
        let (name, parents) = choice.path.split_last().expect("a value has a name");
        let common = open.iter().zip(parents).take_while(|(a, b)| **a == b.as_str()).count();
        open.truncate(common);
        for parent in &parents[common..] {
            page += &format!("{}{parent}:\n", "  ".repeat(open.len()));
            open.push(parent);
        }
        let indent = "  ".repeat(parents.len());
        page += &format!("{indent}# {}\n", choice.description);
        page += &format!("{indent}{name}: {}\n", choice.default);
    }
    page
}

/// The page for people.
pub(super) fn readme(values: &Values) -> String {
    let row = |choice: &Choice| {
        let (name, default) = (choice.path.join("."), &choice.default);
        format!("| `{name}` | `{default}` | {} |\n", choice.description)
    };
    README.to_owned() + &values.choices.iter().map(row).collect::<String>()
}

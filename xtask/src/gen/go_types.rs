//! Writes which Go type each field of a built-in kind has.
//!
//! Reads the Go sources of Kubernetes that set-up built the server from; returns the table by
//! which `kube-embedded` decodes. Invariant: a field stands in the table as the server's encoder
//! treats it: pointers, fields that are always written, and fields that zero leaves out are told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::GeneratedFile;
use crate::workspace::Workspace;

const PATH: &str = "crates/kube-embedded/kinds/go.json";
const VERSION: &str = "v0.35.4";
const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";
const CORE: &str = "io.k8s.api.core.v1";
const EXTENSIONS: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/// Groups of `k8s.io/api`, and the kinds of each that are kept with all they hold.
const KEPT: &[(&str, &str)] = &[
    (
        "core",
        "Namespace Pod Node Event Service Endpoints ConfigMap Secret ServiceAccount \
         PersistentVolumeClaim PersistentVolume Binding LimitRange ResourceQuota \
         ReplicationController PodTemplate",
    ),
    (
        "admissionregistration",
        "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingWebhookConfiguration \
         ValidatingWebhookConfiguration",
    ),
    ("apps", "ReplicaSet Deployment DaemonSet StatefulSet ControllerRevision"),
    ("authentication", "SelfSubjectReview TokenReview TokenRequest"),
    (
        "authorization",
        "SubjectAccessReview SelfSubjectAccessReview LocalSubjectAccessReview \
         SelfSubjectRulesReview",
    ),
    ("autoscaling", "Scale"),
    ("batch", "Job CronJob"),
    ("coordination", "Lease"),
    ("discovery", "EndpointSlice"),
    ("events", "Event"),
    ("networking", "NetworkPolicy"),
    ("policy", "PodDisruptionBudget Eviction"),
    ("rbac", "Role RoleBinding ClusterRole ClusterRoleBinding"),
    ("scheduling", "PriorityClass"),
];

/// Everything that the sources declare, by full name.
#[derive(Default)]
struct Sources {
    /// Types and JSON tags of fields.
    structs: BTreeMap<String, Vec<(String, String)>>,
    /// What a named type is.
    named: BTreeMap<String, String>,
}

/// Reads the sources and returns the file.
pub(super) fn write(_workspace: &Workspace) -> Result<Vec<GeneratedFile>> {
    let root = modules()?.join("k8s.io");
    let mut sources = Sources::default();
    let mut pending = vec![format!("{EXTENSIONS}.CustomResourceDefinition")];
    for (group, kinds) in KEPT {
        let package = format!("io.k8s.api.{group}.v1");
        sources.read(&package, &root.join(format!("api@{VERSION}/{group}/v1/types.go")))?;
        pending.extend(kinds.split_whitespace().map(|kind| format!("{package}.{kind}")));
    }
    let file = format!("apiextensions-apiserver@{VERSION}/pkg/apis/apiextensions/v1/types.go");
    sources.read(EXTENSIONS, &root.join(file))?;
    let file = format!("apimachinery@{VERSION}/pkg/apis/meta/v1/types.go");
    sources.read(META, &root.join(file))?;
    let mut table = BTreeMap::new();
    while let Some(name) = pending.pop() {
        if table.contains_key(&name) {
            continue;
        }
        let fields = sources.fields(&name);
        let referred = fields.values().filter_map(|go| go.split_once('#'));
        pending.extend(referred.map(|(_, name)| name.to_owned()));
        table.insert(name, fields);
    }
    let lines: Vec<String> = table
        .iter()
        .map(|(name, fields)| Ok(format!("\"{name}\":{}", serde_json::to_string(fields)?)))
        .collect::<Result<_>>()?;
    let text = format!("{{\n{}\n}}\n", lines.join(",\n"));
    Ok(vec![GeneratedFile { path: PATH.to_owned(), text }])
}

/// Where Go keeps modules.
pub(super) fn modules() -> Result<PathBuf> {
    let output = std::process::Command::new("go").args(["env", "GOMODCACHE"]).output();
    let output = output.context("asking go where its modules are")?;
    let text = String::from_utf8(output.stdout).context("the answer of go")?;
    Ok(PathBuf::from(text.trim()))
}

impl Sources {
    fn read(&mut self, package: &str, file: &Path) -> Result<()> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("reading {}; run `cargo xtask setup`", file.display()))?;
        let mut current = None;
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["type", name, "struct", "{"] | ["type", name, "struct{}"] => {
                    let name = format!("{package}.{name}");
                    self.structs.insert(name.clone(), Vec::new());
                    current = words.last().is_some_and(|it| *it == "{").then_some(name);
                }
                ["type", name, kind] => {
                    self.named.insert(format!("{package}.{name}"), kind.to_owned());
                }
                _ if line.starts_with('}') => current = None,
                _ => {
                    if let (Some(name), Some(field)) = (&current, field(line)) {
                        self.structs.entry(name.clone()).or_default().push(field);
                    }
                }
            }
        }
        Ok(())
    }

    /// The fields of a struct, with those of structs it embeds.
    fn fields(&self, name: &str) -> BTreeMap<String, String> {
        let package = name.rsplit_once('.').map_or("", |(package, _)| package);
        let mut fields = BTreeMap::new();
        for (go, tag) in self.structs.get(name).into_iter().flatten() {
            let (field, options) = tag.split_once(',').unwrap_or((tag, ""));
            let has = |option: &str| options.split(',').any(|it| it == option);
            match field {
                "-" => {}
                "" => fields.extend(self.fields(&self.full(go, package))),
                _ => {
                    let mark = match (has("omitzero"), has("omitempty")) {
                        (true, _) => "~",
                        (false, true) => "",
                        (false, false) => "!",
                    };
                    fields.insert(field.to_owned(), format!("{mark}{}", self.shape(go, package)));
                }
            }
        }
        fields
    }

    /// A type in the words of the table.
    fn shape(&self, go: &str, package: &str) -> String {
        if let Some(go) = go.strip_prefix('*') {
            return format!("*{}", self.shape(go, package));
        }
        match go {
            "[]byte" => return "bytes".to_owned(),
            "string" | "bool" | "int32" | "int64" | "float64" => return go.to_owned(),
            "int" => return "int64".to_owned(),
            "types.UID" | "types.NodeName" => return format!("{go}=string"),
            "resource.Quantity" => return "quantity".to_owned(),
            "intstr.IntOrString" => return "intorstring".to_owned(),
            "runtime.RawExtension" | "FieldsV1" => return "raw".to_owned(),
            _ => {}
        }
        if let Some(items) = go.strip_prefix("[]") {
            return format!("[]{}", self.shape(items, package));
        }
        if let Some((_, values)) = go.strip_prefix("map[").and_then(|go| go.split_once(']')) {
            return format!("map:{}", self.shape(values, package));
        }
        let name = self.full(go, package);
        let short = name.rsplit('.').next().unwrap_or(&name);
        match short {
            "Time" | "MicroTime" | "Duration" if name.starts_with(META) => short.to_lowercase(),
            _ if self.structs.contains_key(&name) => format!("#{name}"),
            _ => match self.named.get(&name) {
                Some(go) => {
                    let inner = self.shape(go, name.rsplit_once('.').map_or("", |it| it.0));
                    format!("v1.{short}={}", inner.rsplit('=').next().unwrap_or(&inner))
                }
                // What the sources do not declare, such as the schemas of CRDs, is kept as it is.
                None => "raw".to_owned(),
            },
        }
    }

    /// The full name of a type that a package mentions.
    fn full(&self, go: &str, package: &str) -> String {
        let go = go.trim_start_matches('*');
        let Some((alias, name)) = go.split_once('.') else { return format!("{package}.{go}") };
        let package = match alias {
            "metav1" => META,
            "authenticationv1" => "io.k8s.api.authentication.v1",
            "autoscalingv1" => "io.k8s.api.autoscaling.v1",
            _ => CORE,
        };
        let full = format!("{package}.{name}");
        let is_known = self.structs.contains_key(&full) || self.named.contains_key(&full);
        if is_known || alias == "metav1" { full } else { format!("{META}.{name}") }
    }
}

/// Type and JSON tag of a line that declares a field.
fn field(line: &str) -> Option<(String, String)> {
    let (declared, tags) = line.split_once('`')?;
    let tag = tags.split_once("json:\"")?.1.split('"').next()?;
    let go = declared.split_whitespace().last()?;
    Some((go.to_owned(), tag.to_owned()))
}

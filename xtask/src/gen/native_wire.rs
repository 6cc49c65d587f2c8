//! Writes how built-in kinds look in protobuf.
//!
//! Reads `generated.proto` and the Go sources of Kubernetes that set-up built the server from;
//! returns the table by which `kube-embedded` reads protobuf.
//! Invariant: a field stands in the table under the name it has in JSON.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::GeneratedFile;
use super::go_types::modules;
use crate::workspace::Workspace;

#[cfg(test)]
mod tests;

const PATH: &str = "crates/kube-embedded/kinds/wire.json";
const VERSION: &str = "v0.35.4";

/// Messages that are kept with all they hold, by the package that declares them.
const KEPT: &[(&str, &str)] = &[
    ("apimachinery.pkg.apis.meta.v1", "DeleteOptions"),
    (
        "api.core.v1",
        "Binding ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume \
         PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service \
         ServiceAccount",
    ),
    (
        "api.admissionregistration.v1",
        "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding \
         ValidatingWebhookConfiguration",
    ),
    ("apiextensions_apiserver.pkg.apis.apiextensions.v1", "CustomResourceDefinition"),
    ("api.apps.v1", "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet"),
    ("api.authentication.v1", "SelfSubjectReview TokenRequest TokenReview"),
    (
        "api.authorization.v1",
        "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview \
         SubjectAccessReview",
    ),
    ("api.autoscaling.v1", "Scale"),
    ("api.batch.v1", "CronJob Job"),
    ("api.coordination.v1", "Lease"),
    ("api.discovery.v1", "EndpointSlice"),
    ("api.events.v1", "Event"),
    ("api.networking.v1", "NetworkPolicy"),
    ("api.policy.v1", "Eviction PodDisruptionBudget"),
    ("api.rbac.v1", "ClusterRole ClusterRoleBinding Role RoleBinding"),
    ("api.scheduling.v1", "PriorityClass"),
];

/// Messages that JSON does not show as objects.
const SPECIAL: &[(&str, &str)] = &[
    ("apimachinery.pkg.apis.meta.v1.Time", "time"),
    ("apimachinery.pkg.apis.meta.v1.MicroTime", "microtime"),
    ("apimachinery.pkg.apis.meta.v1.FieldsV1", "raw"),
    ("apimachinery.pkg.runtime.RawExtension", "raw"),
    ("apimachinery.pkg.api.resource.Quantity", "quantity"),
    ("apimachinery.pkg.util.intstr.IntOrString", "intorstring"),
    ("apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON", "raw"),
    ("apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray", "orarray"),
    ("apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool", "orbool"),
    ("apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray", "orstrings"),
];

/// Fields of a message by number: a name, `=`, and a type.
type Message = BTreeMap<u32, String>;

/// Reads the sources and returns the file.
pub(super) fn write(_workspace: &Workspace) -> Result<Vec<GeneratedFile>> {
    let mut sources = Sources { root: modules()?.join("k8s.io"), packages: BTreeMap::new() };
    let mut pending: Vec<String> = KEPT
        .iter()
        .flat_map(|(package, names)| {
            names.split_whitespace().map(move |name| format!("{package}.{name}"))
        })
        .collect();
    let mut table: BTreeMap<String, Message> = BTreeMap::new();
    while let Some(name) = pending.pop() {
        if table.contains_key(&name) {
            continue;
        }
        let message = sources.message(&name)?;
        let referred = message.values().filter_map(|field| Some(field.split_once('#')?.1));
        pending.extend(referred.map(str::to_owned));
        table.insert(name, message);
    }
    let lines: Vec<String> = table
        .iter()
        .map(|(name, fields)| Ok(format!("\"{name}\":{}", serde_json::to_string(fields)?)))
        .collect::<Result<_>>()?;
    let text = format!("{{\n{}\n}}\n", lines.join(",\n"));
    Ok(vec![GeneratedFile { path: PATH.to_owned(), text }])
}

/// The packages read so far.
struct Sources {
    root: PathBuf,
    packages: BTreeMap<String, Package>,
}

/// What one folder declares.
#[derive(Debug, Default)]
struct Package {
    /// Lines of messages, by name.
    messages: BTreeMap<String, Vec<Declared>>,
    /// Fields of structs, by name and then by number.
    structs: BTreeMap<String, BTreeMap<u32, Tagged>>,
}

/// A field of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Declared {
    label: Label,
    kind: String,
    name: String,
    number: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Optional,
    Repeated,
    Map,
}

/// A field of a struct: its name in JSON, empty if it is embedded.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tagged {
    json: String,
    is_pointer: bool,
}

impl Sources {
    fn package(&mut self, package: &str) -> Result<&Package> {
        if !self.packages.contains_key(package) {
            let (module, folder) = package.split_once('.').context("a package is in a module")?;
            let module = module.replace('_', "-");
            let folder = self.root.join(format!("{module}@{VERSION}/{}", folder.replace('.', "/")));
            self.packages.insert(package.to_owned(), Package::read(&folder)?);
        }
        self.packages.get(package).context("it was just read")
    }

    fn message(&mut self, full: &str) -> Result<Message> {
        let (package, name) = full.rsplit_once('.').context("a message is in a package")?;
        let found = self.package(package)?;
        let declared = found.messages.get(name).with_context(|| format!("no message {full}"))?;
        let (declared, tags) = (declared.clone(), found.structs.get(name).cloned());
        let tags = tags.unwrap_or_default();
        let mut message = Message::new();
        for field in declared {
            let tag = tags.get(&field.number);
            let shape = self.shape(&field.kind, package)?;
            let shape = match field.label {
                Label::Optional if tag.is_some_and(|tag| tag.is_pointer) => format!("*{shape}"),
                Label::Optional => shape,
                Label::Repeated => format!("[]{shape}"),
                Label::Map => format!("map:{shape}"),
            };
            let name = tag.map_or(field.name.as_str(), |tag| tag.json.as_str());
            message.insert(field.number, format!("{name}={shape}"));
        }
        Ok(message)
    }

    /// A type in the words of the table.
    fn shape(&mut self, kind: &str, package: &str) -> Result<String> {
        if ["string", "bool", "int32", "int64", "double", "bytes"].contains(&kind) {
            return Ok(kind.to_owned());
        }
        let full = match kind.strip_prefix(".k8s.io.") {
            Some(full) => full.to_owned(),
            None => format!("{package}.{kind}"),
        };
        if let Some((_, word)) = SPECIAL.iter().find(|(name, _)| *name == full) {
            return Ok((*word).to_owned());
        }
        let (package, name) = full.rsplit_once('.').context("a message is in a package")?;
        let found = self.package(package)?;
        match found.messages.get(name).map(Vec::as_slice) {
            // A named slice is a message of its own, since a map cannot hold a repeated field.
            Some([only]) if only.name == "items" && !found.structs.contains_key(name) => {
                Ok(format!("list:{}", only.kind))
            }
            _ => Ok(format!("#{full}")),
        }
    }
}

impl Package {
    fn read(folder: &Path) -> Result<Self> {
        let read = |file: &Path| {
            std::fs::read_to_string(file)
                .with_context(|| format!("reading {}; run `cargo xtask setup`", file.display()))
        };
        let messages = messages(&read(&folder.join("generated.proto"))?);
        let mut structs = BTreeMap::new();
        let entries = folder.read_dir().with_context(|| format!("{}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            if name.starts_with("types") && name.ends_with(".go") {
                structs.extend(self::structs(&read(&path)?));
            }
        }
        Ok(Self { messages, structs })
    }
}

/// The messages that a text declares.
fn messages(text: &str) -> BTreeMap<String, Vec<Declared>> {
    let mut found: BTreeMap<String, Vec<Declared>> = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if let Some(name) = line.strip_prefix("message ") {
            current = name.trim_end_matches('{').trim().to_owned();
            found.entry(current.clone()).or_default();
        } else if let Some(field) = declared(line)
            && let Some(fields) = found.get_mut(&current)
        {
            fields.push(field);
        }
    }
    found
}

fn declared(line: &str) -> Option<Declared> {
    let (front, number) = line.strip_suffix(';')?.split_once(" = ")?;
    let number = number.parse().ok()?;
    let (front, name) = front.rsplit_once(' ')?;
    let (label, kind) = if let Some(kind) = front.strip_prefix("optional ") {
        (Label::Optional, kind)
    } else if let Some(kind) = front.strip_prefix("repeated ") {
        (Label::Repeated, kind)
    } else {
        (Label::Map, front.strip_prefix("map<string, ")?.strip_suffix('>')?)
    };
    Some(Declared { label, kind: kind.to_owned(), name: name.to_owned(), number })
}

/// The structs that a text declares.
fn structs(text: &str) -> BTreeMap<String, BTreeMap<u32, Tagged>> {
    let mut found: BTreeMap<String, BTreeMap<u32, Tagged>> = BTreeMap::new();
    let mut current = None;
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["type", name, "struct", ..] = words[..] {
            found.entry(name.to_owned()).or_default();
            current = Some(name.to_owned());
        } else if line.starts_with('}') {
            current = None;
        } else if let (Some(name), Some((number, field))) = (&current, tagged(line)) {
            found.entry(name.clone()).or_default().insert(number, field);
        }
    }
    found
}

fn tagged(line: &str) -> Option<(u32, Tagged)> {
    let (declared, tags) = line.split_once('`')?;
    let tag = |name: &str| tags.split_once(&format!("{name}:\""))?.1.split('"').next();
    let number = tag("protobuf")?.split(',').nth(1)?.parse().ok()?;
    let json = tag("json")?.split(',').next()?.to_owned();
    let is_pointer = declared.split_whitespace().last()?.starts_with('*');
    Some((number, Tagged { json, is_pointer }))
}

//! Every kind that is served, by path and by name.
//!
//! Built anew from built-in kinds and CRDs whenever a CRD changes; read by every request.
//! Invariant: a table never changes; a request sees one table from its start to its end.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use kube_schema::{Catalog, Definition, Version};
use serde_json::Value;

use crate::builtin;
use crate::discovery;
use crate::kinds::{Judge, Kind};
use crate::openapi;
use crate::store::types;

/// Kinds by where they are found.
#[derive(Debug, Default)]
pub(crate) struct Served {
    all: Vec<Arc<Kind>>,
    /// By group, version and plural.
    by_path: BTreeMap<[Arc<str>; 3], Arc<Kind>>,
    /// By `apiVersion` and `kind`.
    by_name: BTreeMap<[Arc<str>; 2], Arc<Kind>>,
    /// By the resource objects are stored under: the version they are stored in.
    by_storage: BTreeMap<Arc<str>, Arc<Kind>>,
    /// The index of OpenAPI documents; made of all of them, and asked for by every `kubectl apply`.
    openapi: OnceLock<Value>,
    /// By the name of a CRD: what it says, and the kinds that were made of it.
    made: BTreeMap<String, (Arc<Value>, Vec<Arc<Kind>>)>,
}

impl Served {
    /// Built-in kinds and the kinds of CRDs; a CRD that cannot be read serves nothing. Kinds of
    /// CRDs that still say the same are taken from the table before.
    pub(crate) fn new(built_in: &[Arc<Kind>], definitions: &[Value], before: &Self) -> Self {
        let mut served = Self::default();
        for kind in built_in {
            served.add(kind.clone());
        }
        for manifest in definitions.iter().filter(|it| is_accepted(it, definitions)) {
            let name = manifest["metadata"]["name"].as_str().unwrap_or("");
            let made = match before.made.get(name) {
                Some(made) if *made.0 == manifest["spec"] => made.clone(),
                _ => {
                    let kinds = custom_kinds(manifest).into_iter().map(Arc::new).collect();
                    (Arc::new(manifest["spec"].clone()), kinds)
                }
            };
            made.1.iter().for_each(|kind| served.add(kind.clone()));
            served.made.insert(name.to_owned(), made);
        }
        served
    }

    fn add(&mut self, kind: Arc<Kind>) {
        let path = [kind.group.as_str(), &kind.version, &kind.plural].map(Arc::from);
        let name = [kind.api_version().as_str(), &kind.kind].map(Arc::from);
        if self.by_path.contains_key(&path) {
            return;
        }
        if kind.is_storage_version() {
            self.by_storage.insert(kind.storage().into(), kind.clone());
        }
        self.by_path.insert(path, kind.clone());
        self.by_name.insert(name, kind.clone());
        self.all.push(kind);
    }

    /// The index of `/openapi/v3`.
    pub(crate) fn openapi(&self) -> &Value {
        self.openapi.get_or_init(|| openapi::index(&self.all))
    }

    pub(crate) fn all(&self) -> &[Arc<Kind>] {
        &self.all
    }

    pub(crate) fn at_path(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Kind>> {
        self.by_path.get(&[group, version, plural].map(Arc::from))
    }

    pub(crate) fn named(&self, api_version: &str, kind: &str) -> Option<&Arc<Kind>> {
        self.by_name.get(&[api_version, kind].map(Arc::from))
    }

    /// The kind in the version its objects are stored in.
    pub(crate) fn stored_as(&self, resource: &str) -> Option<&Arc<Kind>> {
        self.by_storage.get(resource)
    }
}

/// The served versions of a CRD.
pub(crate) fn custom_kinds(manifest: &Value) -> Vec<Kind> {
    let Ok(catalog) = Catalog::read([manifest.clone()]) else {
        return Vec::new();
    };
    let catalog = Arc::new(catalog);
    let definitions = catalog.definitions();
    definitions
        .flat_map(|definition| {
            let versions = definition.versions.iter().filter(|version| version.served);
            let kinds = versions.map(|version| {
                let kind = custom_kind(&catalog, definition, version);
                Kind {
                    deprecation: deprecation(definition, version, manifest),
                    selectable: selectable(&version.name, manifest),
                    ..kind
                }
            });
            kinds.collect::<Vec<_>>()
        })
        .collect()
}

/// Whether a CRD has its names; one that was not looked at yet gets those that are free.
fn is_accepted(manifest: &Value, all: &[Value]) -> bool {
    let has = |manifest: &Value, kind: &str, status: &str| {
        let conditions = manifest["status"]["conditions"].as_array().into_iter().flatten();
        conditions.into_iter().any(|it| it["type"] == kind && it["status"] == status)
    };
    if has(manifest, "Established", "True") {
        return true;
    }
    let mut judged = manifest.clone();
    builtin::accept_names(&mut judged, all, "");
    has(&judged, "Established", "True")
}

fn custom_kind(catalog: &Arc<Catalog>, definition: &Definition, version: &Version) -> Kind {
    let stored = definition.versions.iter().find(|it| it.storage).unwrap_or(version);
    Kind {
        group: definition.group.clone(),
        version: version.name.clone(),
        kind: definition.kind.clone(),
        list_kind: definition.list_kind.clone(),
        plural: definition.plural.clone(),
        singular: definition.singular.clone(),
        short_names: definition.short_names.clone(),
        categories: definition.categories.clone(),
        scope: definition.scope,
        schema: Arc::new(version.schema.clone().into()),
        columns: version.columns.clone(),
        has_status: version.has_status,
        scale: version.scale.clone(),
        deprecation: None,
        selectable: Vec::new(),
        storage_version: stored.name.clone(),
        judge: Judge::Custom(catalog.clone()),
        types: types(&format!("{}/{}", definition.group, version.name), &definition.kind),
    }
}

/// The part of a manifest that is about a version.
fn version_of<'a>(manifest: &'a Value, name: &str) -> Option<&'a Value> {
    manifest["spec"]["versions"].as_array()?.iter().find(|it| it["name"] == name)
}

/// What clients of a deprecated version are told.
fn deprecation(definition: &Definition, version: &Version, manifest: &Value) -> Option<String> {
    if !version.deprecated {
        return None;
    }
    let given = version_of(manifest, &version.name).map(|it| &it["deprecationWarning"]);
    if let Some(text) = given.and_then(Value::as_str) {
        return Some(text.to_owned());
    }
    let Definition { group, kind, .. } = definition;
    let message = format!("{group}/{} {kind} is deprecated", version.name);
    let own = discovery::rank(&version.name);
    let others = definition.versions.iter().filter(|it| it.served && !it.deprecated);
    let newer = others.filter(|it| discovery::rank(&it.name) > own);
    Some(
        match newer
            .max_by(|one, other| discovery::rank(&one.name).cmp(&discovery::rank(&other.name)))
        {
            Some(newer) => format!("{message}; use {group}/{} {kind}", newer.name),
            None => message,
        },
    )
}

/// The fields that field selectors of a version may name.
fn selectable(version: &str, manifest: &Value) -> Vec<String> {
    let fields = version_of(manifest, version).and_then(|it| it["selectableFields"].as_array());
    let paths = fields.into_iter().flatten().filter_map(|it| it["jsonPath"].as_str());
    paths.map(|path| path.trim_start_matches('.').to_owned()).collect()
}

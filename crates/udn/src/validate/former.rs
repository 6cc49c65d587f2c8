//! What stood before: former versions from a file, and the objects of a cluster.
//!
//! Invariant: a version that a person gave counts more than the cluster's.

use std::collections::BTreeMap;

use kube_schema::Catalog;
use serde_json::Value;
use udn_manifest::manifest::documents;
use udn_model::Subnet;

use super::Stopped;
use super::against::{self, Cluster};
use super::finding::Unusable;
use super::identity::Identity;
use super::judge::settle_namespace;
use super::sources::gather;
use crate::args::ValidateRequest;

/// Objects as they were.
#[derive(Debug, Default)]
pub(super) struct Former {
    given: BTreeMap<Identity, Value>,
    cluster: Option<BTreeMap<Identity, Value>>,
    /// Where the cluster's services live, if it told.
    pub(super) service_subnets: Option<Vec<Subnet>>,
    pub(super) notes: Vec<String>,
}

impl Former {
    /// The version of an object that an update starts from.
    pub(super) fn version(&self, identity: &Identity) -> Option<&Value> {
        let standing = || self.cluster.as_ref().and_then(|cluster| cluster.get(identity));
        self.given.get(identity).or_else(standing)
    }

    /// The objects of the cluster, if one was asked.
    pub(super) fn cluster(&self) -> Option<&BTreeMap<Identity, Value>> {
        self.cluster.as_ref()
    }
}

/// Reads what `--old` and `--against` name.
pub(super) fn read(request: &ValidateRequest, catalog: &Catalog) -> Result<Former, Stopped> {
    let mut former = Former::default();
    for source in gather(request.old.as_slice())? {
        let (name, text) = (source.name(), source.read()?);
        for document in documents(&text) {
            let objects = document.objects().map_err(|error| {
                Unusable::whole(&name, format!("cannot be read: {error}; mend the document"))
            })?;
            for mut object in objects {
                settle_namespace(catalog, &mut object.value, &request.namespace);
                former.given.insert(Identity::of(&object.value), object.value);
            }
        }
    }
    if let Some(kubeconfig) = &request.against {
        let asked = against::ask(kubeconfig).map_err(|error| {
            let name = kubeconfig.display().to_string();
            Unusable::whole(name, format!("leads to no answer: {error:#}"))
        })?;
        let Cluster { objects, service_cidrs, notes } = asked;
        let named = objects.into_iter().map(|object| (Identity::of(&object), object));
        former.cluster = Some(named.collect());
        let subnets: Vec<Subnet> =
            service_cidrs.iter().filter_map(|text| Subnet::parse(text).ok()).collect();
        former.service_subnets = (!subnets.is_empty()).then_some(subnets);
        former.notes = notes;
    }
    Ok(former)
}

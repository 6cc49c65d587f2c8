//! The project's own CRDs and policies, ready to judge by.

use kube_schema::Catalog;
use udn_manifest::manifest::documents;
use udn_wire::deploy::{CRDS, POLICIES};

/// The catalog of everything under `deploy/`.
pub(crate) fn catalog() -> Catalog {
    let documents = CRDS.iter().chain(POLICIES).flat_map(|it| documents(it.text));
    let objects = documents.flat_map(|it| it.objects().expect("our own manifests can be read"));
    Catalog::read(objects.map(|it| it.value)).expect("our own manifests are whole")
}

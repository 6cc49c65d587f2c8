//! Every manifest under `examples/`: accepted by the server, and by us.
//!
//! Invariant: what is left out is left out by kind, with the reason.

use std::fs;
use std::path::PathBuf;

use kube_schema::Catalog;
use udn_manifest::manifest::documents;

use super::server::Server;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// KubeVirt's kinds, which a bare server does not serve, and services: the sandbox's example brings
/// those that every cluster makes by itself, with the addresses of another service range.
const LEFT_OUT: &[&str] = &["Service", "VirtualMachine"];

/// Applies all examples, folder by folder; returns how many objects that were.
pub(crate) fn apply_all(server: &Server, catalog: &Catalog) -> usize {
    let mut count = 0;
    for folder in entries(&PathBuf::from(FOLDER)) {
        for file in
            entries(&folder).into_iter().filter(|it| it.extension().is_some_and(|it| it == "yaml"))
        {
            let text = fs::read_to_string(&file).expect("the example can be read");
            for document in documents(&text) {
                for object in document.objects().expect("the example is YAML") {
                    if LEFT_OUT.contains(&object.kind.as_str()) {
                        continue;
                    }
                    let place = format!("{}:{}", file.display(), document.line);
                    let verdict = catalog.create(object.value.clone());
                    assert_eq!(verdict.status(), None, "{place}");
                    server.apply(&object.value).unwrap_or_else(|told| panic!("{place}: {told}"));
                    count += 1;
                }
            }
        }
    }
    count
}

/// What is in a folder, by name.
fn entries(folder: &PathBuf) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> =
        entries.map(|it| it.expect("the folder can be read").path()).collect();
    paths.sort();
    paths
}

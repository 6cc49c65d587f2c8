//! What clients write: ConfigMaps whose whole content follows from a name and a number.
//!
//! Invariant: a content that no client sent is told from every one that was.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ListParams;
use kube::{Api, Client};

/// The object that all writers patch, each a field of its own.
pub(crate) const SHARED: &str = "shared";
const NAMESPACE: &str = "default";
/// Contents are as long as this, or longer: more than one page of the file.
const LENGTH: usize = 3000;

/// All ConfigMaps at one revision.
pub(crate) struct Found {
    pub(crate) revision: u64,
    pub(crate) objects: BTreeMap<String, ConfigMap>,
}

pub(crate) fn api(client: &Client) -> Api<ConfigMap> {
    Api::namespaced(client.clone(), NAMESPACE)
}

/// The newest revision there is.
pub(crate) async fn newest(client: &Client) -> Result<u64, kube::Error> {
    let list = api(client).list(&ListParams::default().limit(1)).await?;
    let revision = list.metadata.resource_version.as_deref().expect("lists have one");
    Ok(revision.parse().expect("a number"))
}

pub(crate) async fn read_all(client: &Client) -> Found {
    let list = api(client).list(&ListParams::default()).await.expect("it answers after its start");
    let revision = list.metadata.resource_version.as_deref().expect("lists have one");
    let ours = list.items.into_iter().filter(|it| name(it) != "kube-root-ca.crt");
    let objects = ours.map(|it| (name(&it).to_owned(), it)).collect();
    Found { revision: revision.parse().expect("a number"), objects }
}

/// The content that belongs to a number.
pub(crate) fn of(name: &str, number: u64) -> BTreeMap<String, String> {
    let word = format!("{name}/{number};");
    let text = word.repeat(LENGTH / word.len() + usize::try_from(number % 7).expect("small") * 90);
    [("number".to_owned(), number.to_string()), ("text".to_owned(), text)].into()
}

/// The number of a whole content.
pub(crate) fn number(object: &ConfigMap) -> u64 {
    let content = object.data.as_ref().expect("every client sends some");
    let number = content["number"].parse().expect("a number");
    assert!(*content == of(name(object), number), "half written: {object:?}");
    number
}

pub(crate) fn name(object: &ConfigMap) -> &str {
    object.metadata.name.as_deref().expect("every object has a name")
}

pub(crate) fn revision(object: &ConfigMap) -> u64 {
    let text = object.metadata.resource_version.as_deref().expect("every object has one");
    text.parse().expect("a number")
}

//! Puts our own manifests into a server.
//!
//! Invariant: what is there already is brought up to date, never deleted.

use anyhow::{Context, Result};
use kube::Client;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::Value;
use udn_manifest::manifest::documents;
use udn_wire::deploy::Manifest;

/// Applies manifests in order.
pub(super) async fn install(
    client: &Client,
    manifests: impl IntoIterator<Item = &Manifest>,
) -> Result<()> {
    for manifest in manifests {
        for document in documents(manifest.text) {
            for object in document.objects()? {
                let installed = apply(client, object.value).await;
                installed.with_context(|| format!("cannot install {}", manifest.path))?;
            }
        }
    }
    Ok(())
}

async fn apply(client: &Client, object: Value) -> Result<()> {
    let object: DynamicObject = serde_json::from_value(object)?;
    let types = object.types.clone().context("it has no kind")?;
    let kind = GroupVersionKind::try_from(&types)?;
    let name = object.metadata.name.clone().context("it has no name")?;
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::from_gvk(&kind));
    let options = PatchParams::apply("udn").force();
    api.patch(&name, &options, &Patch::Apply(&object)).await?;
    Ok(())
}

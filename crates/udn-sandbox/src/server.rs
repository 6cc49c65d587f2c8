//! The sandbox's API server: in this process, and on a port of this machine for kubectl.
//!
//! Reads the manifests that every cluster with udn has; returns a client and a kubeconfig.
//! Invariant: when it is started, our kinds are served and our policies hold.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use kube::Client;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube_embedded::{ServeError, Server, Serving, StartError};
use serde_json::Value;
use udn_manifest::manifest::documents;
use udn_model::Subnet;
use udn_wire::deploy::{CRDS, Manifest, POLICIES, ROLES};

/// The kubeconfig's name in the sandbox's folder.
const KUBECONFIG: &str = "kubeconfig";

/// Whose fields the installed manifests are.
const INSTALLER: &str = "udn";

/// Where the server's services live.
const SERVICE_SUBNETS: [&str; 2] = ["10.96.0.0/16", "fd00:10:96::/112"];

/// Why there is no API server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("could not start the API server")]
    Start {
        #[from]
        source: StartError,
    },
    #[error("could not serve the API")]
    Serve {
        #[from]
        source: ServeError,
    },
    #[error("could not install {path}")]
    Install { path: &'static str, source: Box<kube::Error> },
}

/// A running API server. The port is closed before the server ends.
#[derive(Debug)]
pub(crate) struct ApiServer {
    _serving: Serving,
    kubeconfig: PathBuf,
    server: Server,
}

impl ApiServer {
    /// Starts a server that keeps its objects in memory, and writes a kubeconfig into `folder`.
    pub(crate) async fn start(folder: &Path) -> Result<Self, ServerError> {
        let server = Server::builder().dual_stack(true).start().await?;
        for manifest in CRDS.iter().chain(POLICIES).chain(ROLES) {
            install(&server.client(), manifest).await?;
        }
        server.settled().await;
        let serving = server.serve(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let kubeconfig = folder.join(KUBECONFIG);
        serving.write_kubeconfig(&kubeconfig)?;
        Ok(Self { _serving: serving, kubeconfig, server })
    }

    /// A client that may do everything.
    pub(crate) fn client(&self) -> Client {
        self.server.client()
    }

    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Returns when the server has done what follows from the writes so far.
    pub(crate) async fn settled(&self) {
        self.server.settled().await;
    }
}

/// The subnets from which the server gives services their addresses.
pub(crate) fn service_subnets() -> Vec<Subnet> {
    let subnets = SERVICE_SUBNETS.iter();
    subnets.map(|text| Subnet::parse(text).expect("they are written well")).collect()
}

async fn install(client: &Client, manifest: &Manifest) -> Result<(), ServerError> {
    let failed = |source| ServerError::Install { path: manifest.path, source: Box::new(source) };
    for document in documents(manifest.text) {
        for object in document.objects().expect("our manifests are well formed") {
            install_object(client, object.value).await.map_err(failed)?;
        }
    }
    Ok(())
}

async fn install_object(client: &Client, object: Value) -> Result<(), kube::Error> {
    let object: DynamicObject = serde_json::from_value(object).map_err(kube::Error::SerdeError)?;
    let types = object.types.as_ref().expect("our manifests say their kinds");
    let kind = GroupVersionKind::try_from(types).expect("our manifests say their versions");
    let name = object.metadata.name.as_deref().expect("our manifests say their names");
    let resource = ApiResource::from_gvk(&kind);
    let api: Api<DynamicObject> = match object.metadata.namespace.as_deref() {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    let params = PatchParams::apply(INSTALLER).force();
    api.patch(name, &params, &Patch::Apply(&object)).await.map(drop)
}

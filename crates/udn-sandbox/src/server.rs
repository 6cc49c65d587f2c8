//! The sandbox's API server: in this process, and on a port of this machine for kubectl; or one that
//! runs already.
//!
//! Reads the manifests that every cluster with udn has; returns a client and a kubeconfig.
//! Invariant: when it is started, our kinds are served and our policies hold.

use std::fmt;
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

mod running;

pub(crate) use running::RunningError;

/// The kubeconfig's name in the sandbox's folder.
pub(crate) const KUBECONFIG: &str = "kubeconfig";

/// Whose fields the installed manifests are.
const INSTALLER: &str = "udn";

/// Where services live; a server that runs already must have the same.
const SERVICE_SUBNETS: [&str; 2] = ["10.96.0.0/16", "fd00:10:96::/112"];

/// Which API server a sandbox has.
#[derive(Debug, Clone, Default)]
pub enum ApiSource {
    /// One in this process, which keeps its objects in memory.
    #[default]
    Own,
    /// One that runs already, with the controllers of a cluster and no nodes; the kubeconfig is its
    /// administrator's.
    Running(PathBuf),
}

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
    #[error("could not use the API server of {}", kubeconfig.display())]
    Running { kubeconfig: PathBuf, source: Box<RunningError> },
    #[error("could not install {path}")]
    Install { path: &'static str, source: Box<kube::Error> },
}

/// A running API server.
pub(crate) struct ApiServer {
    client: Client,
    kubeconfig: PathBuf,
    own: Option<Own>,
}

/// A server in this process. The port is closed before the server ends.
#[derive(Debug)]
struct Own {
    _serving: Serving,
    server: Server,
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer").field("kubeconfig", &self.kubeconfig).finish_non_exhaustive()
    }
}

impl ApiServer {
    /// Starts or finds a server, and installs our manifests; a kubeconfig of ours is in `folder`.
    pub(crate) async fn open(api: &ApiSource, folder: &Path) -> Result<Self, ServerError> {
        match api {
            ApiSource::Own => Self::start(folder).await,
            ApiSource::Running(kubeconfig) => Self::find(kubeconfig).await,
        }
    }

    /// Starts a server that keeps its objects in memory, and writes a kubeconfig into `folder`.
    pub(crate) async fn start(folder: &Path) -> Result<Self, ServerError> {
        let server = Server::builder().dual_stack(true).start().await?;
        install_all(&server.client()).await?;
        server.settled().await;
        let serving = server.serve(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let kubeconfig = folder.join(KUBECONFIG);
        serving.write_kubeconfig(&kubeconfig)?;
        let client = server.client();
        Ok(Self { client, kubeconfig, own: Some(Own { _serving: serving, server }) })
    }

    async fn find(kubeconfig: &Path) -> Result<Self, ServerError> {
        let failed = |source| ServerError::Running {
            kubeconfig: kubeconfig.to_owned(),
            source: Box::new(source),
        };
        let client = running::connect(kubeconfig).await.map_err(failed)?;
        install_all(&client).await?;
        running::until_served(&client).await.map_err(failed)?;
        Ok(Self { client, kubeconfig: kubeconfig.to_owned(), own: None })
    }

    /// Uses a server that runs already and has our kinds.
    pub(crate) async fn attach(kubeconfig: &Path) -> Result<Self, ServerError> {
        let client = running::connect(kubeconfig).await;
        let client = client.map_err(|source| ServerError::Running {
            kubeconfig: kubeconfig.to_owned(),
            source: Box::new(source),
        })?;
        Ok(Self { client, kubeconfig: kubeconfig.to_owned(), own: None })
    }

    /// A client that may do everything.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Returns when the server has done what follows from the writes so far.
    ///
    /// A server of our own tells; of another it is known only that pods can be made everywhere.
    pub(crate) async fn settled(&self) -> Result<(), ServerError> {
        match &self.own {
            Some(own) => own.server.settled().await,
            None => running::until_pods_can_be_made(&self.client).await.map_err(|source| {
                let kubeconfig = self.kubeconfig.clone();
                ServerError::Running { kubeconfig, source: Box::new(source) }
            })?,
        }
        Ok(())
    }
}

/// The subnets from which the server gives services their addresses.
pub(crate) fn service_subnets() -> Vec<Subnet> {
    let subnets = SERVICE_SUBNETS.iter();
    subnets.map(|text| Subnet::parse(text).expect("they are written well")).collect()
}

async fn install_all(client: &Client) -> Result<(), ServerError> {
    for manifest in CRDS.iter().chain(POLICIES).chain(ROLES) {
        install(client, manifest).await?;
    }
    Ok(())
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

//! Settings of a server, and its start.
//!
//! Invariant: a server is usable when its start returns, with all that every cluster has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use super::Server;
use crate::access::Access;
use crate::auth::{TokenError, TokenSigner, User};
use crate::builtin::Stack;
use crate::controllers;
use crate::core::{Clock, Core, Parts};
use crate::rest;
use crate::store::{FileError, History, Store};
use crate::tls::{Authority, TlsError, secret};
use crate::webhook::Resolve;

/// Who signs the tokens of service accounts.
const ISSUER: &str = "https://kubernetes.default.svc";

/// The file of the key that signs tokens.
const TOKEN_KEY: &str = "sa.key";

/// Where objects are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Storage {
    #[default]
    Memory,
    /// One file, made if it is not there.
    File(PathBuf),
}

/// Whether roles decide who may do what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Authorization {
    /// Everybody may do everything.
    #[default]
    AlwaysAllow,
    /// Roles and their bindings decide.
    Rbac,
}

/// Settings of a server.
#[derive(Clone)]
pub struct Builder {
    storage: Storage,
    certificates: Option<PathBuf>,
    history: History,
    clock: Clock,
    seed: Option<u64>,
    authorization: Authorization,
    tokens: BTreeMap<String, User>,
    allows_anonymous: bool,
    resolve: Resolve,
    stack: Stack,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    #[error(transparent)]
    Store(#[from] FileError),
    #[error("cannot prepare the store: {0}")]
    Prepare(#[from] crate::refusal::Refusal),
    #[error("cannot make a key for tokens")]
    Token(#[from] TokenError),
    #[error("cannot prepare certificates")]
    Certificates(#[from] TlsError),
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            storage: Storage::Memory,
            certificates: None,
            history: History::default(),
            clock: Arc::new(Timestamp::now),
            seed: None,
            authorization: Authorization::AlwaysAllow,
            tokens: BTreeMap::new(),
            allows_anonymous: false,
            resolve: Arc::new(|_, _, _| None),
            stack: Stack::Single,
        }
    }
}

impl Builder {
    /// Keeps objects in a file, so that they outlive the server.
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// Keeps keys in a folder, so that kubeconfigs and tokens outlive the server.
    #[must_use]
    pub fn certificates(mut self, folder: impl Into<PathBuf>) -> Self {
        self.certificates = Some(folder.into());
        self
    }

    /// Keeps less or more of the past.
    #[must_use]
    pub fn history(mut self, history: History) -> Self {
        self.history = history;
        self
    }

    /// Tells the time by another clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Makes uids and names the same in every run.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Lets roles decide who may do what.
    #[must_use]
    pub fn authorization(mut self, authorization: Authorization) -> Self {
        self.authorization = authorization;
        self
    }

    /// Knows whoever shows this token.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>, user: User) -> Self {
        self.tokens.insert(token.into(), user);
        self
    }

    /// Takes requests without credentials as those of `system:anonymous`.
    #[must_use]
    pub fn anonymous(mut self, allows_anonymous: bool) -> Self {
        self.allows_anonymous = allows_anonymous;
        self
    }

    /// Finds the services that webhooks name: namespace, name and port to an address.
    #[must_use]
    pub fn services(mut self, resolve: Resolve) -> Self {
        self.resolve = resolve;
        self
    }

    /// Gives services addresses of both families, where they ask for them.
    #[must_use]
    pub fn dual_stack(mut self, is_dual: bool) -> Self {
        self.stack = if is_dual { Stack::Dual } else { Stack::Single };
        self
    }

    /// Starts the server; it needs a tokio runtime around it.
    pub async fn start(self) -> Result<Server, StartError> {
        let store = match &self.storage {
            Storage::Memory => Store::in_memory(self.history),
            Storage::File(path) => Store::in_file(path, self.history)?,
        };
        let (authority, signer) = keys(self.certificates.as_deref())?;
        let has_roles = self.authorization == Authorization::Rbac;
        let access = Access::new(self.tokens, signer, has_roles, self.allows_anonymous);
        let dice = self.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        let Self { clock, resolve, stack, .. } = self;
        let parts = Parts { store, access, authority, clock, dice, resolve, stack };
        let core = Arc::new(Core::new(parts));
        controllers::bootstrap(&core).await?;
        let controllers = tokio::spawn(controllers::run(core.clone()));
        let router = rest::router(core.clone());
        Ok(Server { core, router, controllers })
    }
}

/// The keys of a folder, made where there are none; without a folder, new ones.
fn keys(folder: Option<&Path>) -> Result<(Authority, TokenSigner), StartError> {
    let Some(folder) = folder else {
        return Ok((Authority::generate()?, TokenSigner::generate(ISSUER)?));
    };
    let authority = Authority::open(folder)?;
    let path = folder.join(TOKEN_KEY);
    let signer = match secret::read(&path)? {
        Some(pem) => TokenSigner::from_pem(ISSUER, &pem)?,
        None => {
            let signer = TokenSigner::generate(ISSUER)?;
            secret::write(&path, &signer.to_pem())?;
            signer
        }
    };
    Ok((authority, signer))
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("storage", &self.storage)
            .field("history", &self.history)
            .field("seed", &self.seed)
            .field("authorization", &self.authorization)
            .finish_non_exhaustive()
    }
}

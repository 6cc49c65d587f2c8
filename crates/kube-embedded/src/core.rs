//! What all requests share: the store, the kinds, the time and the dice.
//!
//! Invariant: kinds and policies follow the store; nothing else changes behind a request's back.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use jiff::Timestamp;
use kube_schema::Catalog;
use serde_json::Value;

use crate::access::{self, Access};
use crate::builtin;
use crate::controllers::WorkQueue;
use crate::fault::Faults;
use crate::kinds::Kind;
use crate::lifecycle;
use crate::served::Served;
use crate::store::{Key, Store};
use crate::tls::Authority;
use crate::webhook::{Resolve, Webhooks};

pub(crate) const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";
pub(crate) const POLICIES: &str = "validatingadmissionpolicies.admissionregistration.k8s.io";
pub(crate) const BINDINGS: &str = "validatingadmissionpolicybindings.admissionregistration.k8s.io";
const MUTATING: &str = "mutatingwebhookconfigurations.admissionregistration.k8s.io";
const VALIDATING: &str = "validatingwebhookconfigurations.admissionregistration.k8s.io";

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What a core is made of.
pub(crate) struct Parts {
    pub(crate) store: Store,
    pub(crate) access: Access,
    pub(crate) authority: Authority,
    pub(crate) clock: Clock,
    pub(crate) dice: fastrand::Rng,
    pub(crate) resolve: Resolve,
    pub(crate) stack: builtin::Stack,
}

/// The state behind every request.
pub(crate) struct Core {
    pub(crate) store: Store,
    pub(crate) queue: WorkQueue,
    pub(crate) access: Access,
    pub(crate) faults: Faults,
    pub(crate) webhooks: Webhooks,
    /// Of which families services have addresses.
    pub(crate) stack: builtin::Stack,
    authority: Authority,
    address: OnceLock<SocketAddr>,
    built_in: Vec<Arc<Kind>>,
    served: RwLock<Arc<Served>>,
    policies: RwLock<Arc<Catalog>>,
    configurations: RwLock<Configurations>,
    clock: Clock,
    dice: Mutex<fastrand::Rng>,
    /// Held by who follows a write.
    turn: Mutex<()>,
}

/// Whom to ask before something is stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct Configurations {
    pub(crate) mutating: Arc<[Arc<Value>]>,
    pub(crate) validating: Arc<[Arc<Value>]>,
}

impl Core {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { store, access, authority, clock, dice, resolve, stack } = parts;
        let core = Self {
            store,
            queue: WorkQueue::default(),
            access,
            faults: Faults::default(),
            webhooks: Webhooks::new(resolve),
            stack,
            authority,
            address: OnceLock::new(),
            built_in: builtin::kinds().into_iter().map(Arc::new).collect(),
            served: RwLock::default(),
            policies: RwLock::default(),
            configurations: RwLock::default(),
            clock,
            dice: Mutex::new(dice),
            turn: Mutex::default(),
        };
        core.serve_kinds();
        core.read_policies();
        core.read_webhooks();
        core.access.follow(&core);
        core
    }

    pub(crate) fn served(&self) -> Arc<Served> {
        self.served.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn policies(&self) -> Arc<Catalog> {
        self.policies.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Who signs the server's certificates.
    pub(crate) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Where the server is reached: the first port it was given.
    pub(crate) fn address(&self) -> String {
        self.address.get().map_or_else(|| "127.0.0.1:0".to_owned(), SocketAddr::to_string)
    }

    pub(crate) fn set_address(&self, address: SocketAddr) {
        // A second port is served as well; clients are told of the first.
        let _ = self.address.set(address);
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// The time as objects carry it.
    pub(crate) fn now_text(&self) -> String {
        lifecycle::text(self.now())
    }

    /// A new uid, in the form of a random UUID.
    pub(crate) fn new_uid(&self) -> String {
        let number = self.dice.lock().unwrap_or_else(PoisonError::into_inner).u128(..);
        let number = number & !(0xf << 76) | 4 << 76;
        let number = number & !(0x3 << 62) | 2 << 62;
        let hex = format!("{number:032x}");
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
    }

    /// The five letters that end a made-up name.
    pub(crate) fn new_suffix(&self) -> String {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        (0..5).map(|_| char::from(LETTERS[dice.usize(..LETTERS.len())])).collect()
    }

    pub(crate) fn roll(&self, below: u32) -> u32 {
        self.dice.lock().unwrap_or_else(PoisonError::into_inner).u32(..below)
    }

    pub(crate) fn namespace(&self, name: &str) -> Option<Value> {
        self.store.find(&Key::new("namespaces", "", name)).map(|it| it.object())
    }

    /// Follows a write to those objects that change what the server does.
    pub(crate) fn follow(&self, resource: &str) {
        let follow: fn(&Self) = match resource {
            DEFINITIONS => Self::serve_kinds,
            POLICIES | BINDINGS => Self::read_policies,
            MUTATING | VALIDATING => Self::read_webhooks,
            other if access::ROLES.contains(&other) => |core| core.access.follow(core),
            _ => return,
        };
        // One after the other, so that none puts back what it read before another's write.
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        follow(self);
    }

    fn serve_kinds(&self) {
        let manifests = self.objects(DEFINITIONS);
        let served = Arc::new(Served::new(&self.built_in, &manifests, &self.served()));
        *self.served.write().unwrap_or_else(PoisonError::into_inner) = served;
    }

    /// A policy that cannot be read was refused when it was written.
    fn read_policies(&self) {
        let manifests = [self.objects(POLICIES), self.objects(BINDINGS)].concat();
        let readable = manifests.into_iter().filter(|it| Catalog::read([it.clone()]).is_ok());
        let policies = Catalog::read(readable).unwrap_or_default();
        *self.policies.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policies);
    }

    pub(crate) fn configurations(&self) -> Configurations {
        self.configurations.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn read_webhooks(&self) {
        let read = |resource: &str| self.objects(resource).into_iter().map(Arc::new).collect();
        let found = Configurations { mutating: read(MUTATING), validating: read(VALIDATING) };
        *self.configurations.write().unwrap_or_else(PoisonError::into_inner) = found;
    }

    fn objects(&self, resource: &str) -> Vec<Value> {
        self.store.list(resource, None).objects.iter().map(|it| it.object()).collect()
    }
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("revision", &self.store.revision()).finish_non_exhaustive()
    }
}

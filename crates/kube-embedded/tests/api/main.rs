//! The api shelf of `kube-embedded`: beside a real kube-apiserver.

#[path = "../shared"]
mod shared {
    pub(crate) mod ask;
}

mod access;
mod conformance;
mod controller;
mod native;
mod webhooks;

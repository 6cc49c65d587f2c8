//! The api shelf of `kube-schema`: beside a real kube-apiserver.

#[path = "../server/rig.rs"]
mod rig;
#[path = "../server/strategies.rs"]
mod strategies;

mod cel;
mod schema;

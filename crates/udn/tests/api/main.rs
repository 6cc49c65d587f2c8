//! The api shelf of `udn`: beside a real kube-apiserver.

#[path = "../kit/needs.rs"]
mod needs;
#[path = "../kit/program.rs"]
mod program;
#[path = "../kit/wire.rs"]
mod wire;

mod certificates;
mod explain;
mod hostile;
mod kubectl;
mod rights;
mod roles;
mod validate;

//! The api shelf of `udn-lab`: beside a real kube-apiserver.

mod rig;

//! The node shelf of `udn`: pods that real kubelets start through Multus and our plugin.

#[path = "../kit/needs.rs"]
mod needs;

mod churn;
mod end_to_end;
mod foreign;
mod install;
mod isolation;
mod manifests;
mod pods;
mod restarts;
mod rights;
mod sandbox;
mod snapshot;
mod stand;
mod truth;

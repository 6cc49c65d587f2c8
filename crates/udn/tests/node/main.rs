//! The node shelf of `udn`: pods that real kubelets start through Multus and our plugin.

#[path = "../kit/programs.rs"]
mod programs;

mod churn;
mod end_to_end;
mod manifests;
mod pods;
mod restarts;
mod snapshot;
mod stand;
mod truth;

//! The node shelf of `udn`: pods that real kubelets start through Multus and our plugin.

mod churn;
mod end_to_end;
mod install;
mod manifests;
mod pods;
mod restarts;
mod rights;
mod sandbox;
mod snapshot;
mod stand;
mod truth;

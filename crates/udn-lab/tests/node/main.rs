//! The node shelf of `udn-lab`: with real kubelets and containerd.

mod end_to_end;
mod leftovers;
mod life;
mod multus;
mod pods;
mod scene;

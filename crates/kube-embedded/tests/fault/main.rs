//! The fault shelf of `kube-embedded`: crashes, faults and slow peers.

mod requests;

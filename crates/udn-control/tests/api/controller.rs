//! The cluster controller on a real kube-apiserver with kube-controller-manager, and on the embedded one.
//!
//! Invariant: nothing below `controller/` knows which server it runs on.

mod cursed;
mod scenes;

use crate::kit::server::Site;

// proves: L-09, L-10, L-23, L-24, T-09, T-18, A-19, V-27, X-02, X-03
#[tokio::test(flavor = "multi_thread")]
async fn networks_come_about_on_a_real_server() {
    scenes::of_networks(&Site::real().await).await;
}

// proves: L-09, L-10, L-23, L-24, T-09, T-18, A-19, V-27, X-02, X-03
#[tokio::test(flavor = "multi_thread")]
async fn networks_come_about_on_the_embedded_server() {
    scenes::of_networks(&Site::embedded().await).await;
}

// proves: V-13, V-15, V-16, V-17, V-18, V-19, V-23, V-27, X-02, X-08
// proves
#[tokio::test(flavor = "multi_thread")]
async fn workloads_have_their_addresses_on_a_real_server() {
    let site = Site::real().await;
    site.install_kubevirt().await;
    scenes::of_addresses(&site).await;
}

// proves: V-13, V-15, V-16, V-17, V-18, V-19, V-23, V-27, X-02, X-08
// proves
#[tokio::test(flavor = "multi_thread")]
async fn workloads_have_their_addresses_on_the_embedded_server() {
    let site = Site::embedded().await;
    site.install_kubevirt().await;
    scenes::of_addresses(&site).await;
}

//! The cluster office on a real kube-apiserver with kube-controller-manager, and on the embedded one.
//!
//! Invariant: nothing below `office/` knows which server it runs on.

mod office {
    pub(crate) mod objects;
    pub(crate) mod scenes;
    pub(crate) mod server;
    pub(crate) mod staff;
}

use office::scenes;
use office::server::Site;

// proves: L-09, L-10, L-23, L-24, T-09, T-18, A-19, V-27, X-02, X-03
#[tokio::test(flavor = "multi_thread")]
async fn the_office_works_on_a_real_server() {
    scenes::all(&Site::real().await).await;
}

// proves: L-09, L-10, L-23, L-24, T-09, T-18, A-19, V-27, X-02, X-03
#[tokio::test(flavor = "multi_thread")]
async fn the_office_works_on_the_embedded_server() {
    scenes::all(&Site::embedded().await).await;
}

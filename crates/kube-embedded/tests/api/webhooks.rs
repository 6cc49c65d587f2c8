//! Admission webhooks, asked by a real server and by ours: the same questions, the same outcome.
//!
//! Invariant: one webhook server answers both; it cannot tell them apart.

use kube::Client;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube_embedded::Server;
use udn_lab::kubernetes::Cluster;

mod hook;
mod script;

use hook::Hook;
use script::run;

async fn real(cluster: &Cluster) -> Client {
    let config = Kubeconfig::read_from(cluster.kubeconfig()).expect("it is readable");
    let options = KubeConfigOptions::default();
    let mut config =
        kube::Config::from_custom_kubeconfig(config, &options).await.expect("it is whole");
    // A refusal is an answer, not a reason to ask again.
    config.default_retry = false;
    Client::try_from(config).expect("the configuration is usable")
}

#[tokio::test(flavor = "multi_thread")]
async fn both_servers_ask_webhooks_alike() {
    let cluster = Cluster::builder().without_controllers().start().expect("a real server starts");
    let server = Server::start().await.expect("ours starts");
    let hook = Hook::start().await;
    let want = run(&real(&cluster).await, &hook, true).await;
    let got = run(&server.client(), &hook, false).await;
    assert!(want.len() > 25, "{} answers were compared", want.len());
    let differing: Vec<_> = want.iter().zip(&got).filter(|(want, got)| want != got).collect();
    assert!(differing.is_empty() && got.len() == want.len(), "real and ours: {differing:#?}");
}

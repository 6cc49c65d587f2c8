//! Who may do what, asked of a real server with RBAC and of ours: the same answers.
//!
//! Invariant: both servers are asked the same, over TLS, with the same credentials.

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use kube_embedded::{Authorization, Server};
use udn_lab::kubernetes::Cluster;

mod script;

use script::{Endpoint, run};

async fn config(kubeconfig: Kubeconfig) -> Config {
    let options = KubeConfigOptions::default();
    let mut config =
        Config::from_custom_kubeconfig(kubeconfig, &options).await.expect("it is whole");
    // A refusal is an answer, not a reason to ask again.
    config.default_retry = false;
    config
}

fn client(config: &Config) -> Client {
    Client::try_from(config.clone()).expect("the configuration is usable")
}

#[tokio::test(flavor = "multi_thread")]
async fn both_servers_let_the_same_people_in() {
    let cluster = Cluster::start().expect("a real server starts");
    let real = config(Kubeconfig::read_from(cluster.kubeconfig()).expect("it is readable")).await;

    let server = Server::builder().authorization(Authorization::Rbac).start().await;
    let server = server.expect("ours starts");
    let address = "127.0.0.1:0".parse().expect("an address");
    let serving = server.serve(address).await.expect("a port is free");
    let ours = config(Kubeconfig::from_yaml(serving.kubeconfig()).expect("it is readable")).await;

    let want = run(&Endpoint { admin: client(&real), config: real }).await;
    let got = run(&Endpoint { admin: client(&ours), config: ours }).await;
    assert!(want.len() > 40, "{} answers were compared", want.len());
    let differing: Vec<_> = want.iter().zip(&got).filter(|(want, got)| want != got).collect();
    assert!(differing.is_empty() && got.len() == want.len(), "real and ours: {differing:#?}");
    serving.stop().await;
}

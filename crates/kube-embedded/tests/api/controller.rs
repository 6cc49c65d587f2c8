//! A controller of kube-rs, and its watchers, on a real server and on ours: the same outcome.
//!
//! Invariant: nothing below `controller/` knows which server it runs on.

use kube::Client;
use kube_embedded::{FaultPlan, PerMille, Server};
use udn_lab::kubernetes::Cluster;

mod greetings;
mod reflection;

async fn real(cluster: &Cluster) -> Client {
    let config = kube::config::Kubeconfig::read_from(cluster.kubeconfig()).expect("it is readable");
    let options = kube::config::KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(config, &options).await.expect("it is whole");
    Client::try_from(config).expect("the configuration is usable")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_does_the_same_on_both_servers() {
    let cluster = Cluster::start().expect("a real server starts");
    let server = Server::start().await.expect("ours starts");
    let client = real(&cluster).await;
    let ours = server.client();
    let (want, got) = tokio::join!(greetings::run(client.clone()), greetings::run(ours.clone()));
    assert_eq!(got, want);
    let (want, got) = tokio::join!(reflection::run(client), reflection::run(ours));
    assert_eq!(got, want);
}

// soak: draws from UDN_SEED
#[tokio::test(flavor = "multi_thread")]
async fn a_controller_gets_there_in_spite_of_faults() {
    let calm = Server::start().await.expect("it starts");
    let want = greetings::run(calm.client()).await;
    let first = udn_lab::seed::told().unwrap_or(0);
    for seed in first..first.saturating_add(20) {
        let server = Server::start().await.expect("it starts");
        greetings::define(&server.client()).await;
        server.faults().set(Some(FaultPlan {
            seed,
            delay: PerMille(100),
            event_delay: PerMille(100),
            longest_delay: std::time::Duration::from_millis(3),
            refuse: PerMille(50),
            conflict: PerMille(50),
            cut_before: PerMille(30),
            cut_after: PerMille(30),
            watch_cut: PerMille(30),
            event_twice: PerMille(50),
            ..FaultPlan::default()
        }));
        let got = greetings::run_among_faults(server.client(), || server.faults().set(None)).await;
        assert_eq!(got, want, "seed {seed}");
    }
    println!("drew: 20 histories");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_recovers_from_a_lost_past() {
    let server = Server::start().await.expect("it starts");
    let seen = reflection::run_with(server.client(), || server.compact("configmaps")).await;
    let calm = Server::start().await.expect("it starts");
    assert_eq!(seen, reflection::run(calm.client()).await);
}

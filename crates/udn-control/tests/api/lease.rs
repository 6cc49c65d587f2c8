//! Leases at a real API server: taken, given back, deleted under the leader.

use std::path::Path;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::DeleteParams;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use tokio::sync::watch;
use tokio::time::timeout;
use udn_control::lease::{Leadership, LeaseSettings, Timing, lead};
use udn_lab::kubernetes::Cluster;

const LIMIT: Duration = Duration::from_secs(120);

async fn client(kubeconfig: &Path) -> Client {
    let read = Kubeconfig::read_from(kubeconfig).expect("the lab wrote it");
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(read, &options).await.expect("it is whole");
    Client::try_from(config).expect("it can be used")
}

async fn leader(client: &Client, identity: &str) -> Leadership {
    let settings = LeaseSettings {
        namespace: "kube-system".to_owned(),
        name: "udn-controller".to_owned(),
        identity: identity.to_owned(),
        timing: Timing::default(),
    };
    let (_stop, stopped) = watch::channel(false);
    let leads = timeout(LIMIT, lead(client.clone(), settings, stopped)).await;
    leads.expect("it leads in time").expect("nobody stops it")
}

async fn holder(leases: &Api<Lease>) -> String {
    let lease = leases.get("udn-controller").await.expect("it is there");
    lease.spec.and_then(|it| it.holder_identity).unwrap_or_default()
}

#[tokio::test]
async fn a_lease_is_taken_renewed_given_back_and_lost() {
    let cluster = Cluster::builder().without_controllers().start().expect("the cluster starts");
    let client = client(cluster.kubeconfig()).await;
    let leases: Api<Lease> = Api::namespaced(client.clone(), "kube-system");
    let one = leader(&client, "one").await;
    assert_eq!(holder(&leases).await, "one");
    assert!(timeout(Duration::from_secs(4), one.lost()).await.is_err(), "it is renewed");
    one.release().await;
    assert_eq!(holder(&leases).await, "");
    let two = leader(&client, "two").await;
    assert_eq!(holder(&leases).await, "two");
    leases.delete("udn-controller", &DeleteParams::default()).await.expect("it is there");
    timeout(LIMIT, two.lost()).await.expect("a leader without a lease does not lead");
}

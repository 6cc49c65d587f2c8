//! Many pods at once, and what our own share of their time is.

use std::time::{Duration, Instant};

use crate::pods::{On, PodNumber};
use crate::runtime::{Runtime, Sandbox};

const MANY: u8 = 30;

#[tokio::test(flavor = "multi_thread")]
async fn thirty_pods_at_once_come_and_go_without_a_trace() {
    let runtime = Runtime::start().await;
    let before = runtime.traces();
    let pods: Vec<PodNumber> = (1..=MANY).map(PodNumber).collect();
    let sandboxes: Vec<Sandbox> = pods.iter().map(|pod| runtime.sandbox(*pod)).collect();
    runtime.introduce(&pods, &[On::Default, On::Red]);
    let began = Instant::now();
    let adds = futures_util::future::join_all(sandboxes.iter().map(|it| runtime.add(it))).await;
    for added in adds {
        added.expect("the pod is wired");
    }
    println!("{MANY} pods at once were wired within {:?}", began.elapsed());
    let server = runtime.server.as_ref().expect("it runs");
    assert_eq!(server.wiring().wired().len(), 2 * usize::from(MANY));
    println!("{}", server.metrics().render());
    let twice = || async {
        let dels = futures_util::future::join_all(sandboxes.iter().map(|it| runtime.del(it)));
        dels.await;
    };
    tokio::join!(twice(), twice());
    assert_eq!(runtime.traces(), before);
    assert_eq!(server.wiring().wired(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_pod_after_the_other_tells_our_share() {
    let runtime = Runtime::start().await;
    let pods: Vec<PodNumber> = (1..=MANY).map(PodNumber).collect();
    runtime.introduce(&pods, &[On::Default, On::Red]);
    let mut whole: Vec<Duration> = Vec::new();
    for pod in pods {
        let sandbox = runtime.sandbox(pod);
        let began = Instant::now();
        runtime.add(&sandbox).await.expect("the pod is wired");
        whole.push(began.elapsed());
        runtime.del(&sandbox).await;
    }
    whole.sort_unstable();
    println!("whole ADD: median {:?}, worst {:?}", whole[whole.len() / 2], whole[whole.len() - 1]);
    let server = runtime.server.as_ref().expect("it runs");
    let figures = server.metrics().render();
    println!("{figures}");
    assert!(figures.contains(&format!("udn_cni_add_share_seconds_count {MANY}")));
}

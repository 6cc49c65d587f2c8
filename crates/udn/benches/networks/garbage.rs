//! 99 networks at once, with and without one that is fed garbage.
//!
//! Invariant: the 99 are the same in both rounds.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use crate::Outcome;
use crate::cluster::{CUDNS, Ground, network};
use crate::controller::Controller;
use crate::controller_program::{CURSED, WORK};
use crate::networks::{names, until_all};

/// How many are well.
const OTHERS: usize = 99;

/// How often the round is repeated; a percentile of 99 times is one of them.
const REPEATS: usize = 5;

/// The times of the networks that are well, in order.
pub(crate) async fn round(with_garbage: bool) -> Outcome<Vec<Duration>> {
    let mut times = Vec::new();
    for repeat in 0..REPEATS {
        let names: Vec<String> =
            names(OTHERS).iter().map(|name| format!("{name}-{repeat}")).collect();
        let all = [&names[..], &[CURSED.to_owned()]].concat();
        let ground = Ground::prepare(&all).await?;
        let _controller = Controller::start_as(WORK, &ground)?;
        times.extend(once(&ground, &names, with_garbage).await?);
    }
    times.sort();
    Ok(times)
}

async fn once(ground: &Ground, names: &[String], with_garbage: bool) -> Outcome<Vec<Duration>> {
    if with_garbage {
        let torn = json!({ "apiVersion": "k8s.cni.cncf.io/v1",
            "kind": "NetworkAttachmentDefinition",
            "metadata": { "name": "torn", "namespace": CURSED },
            "spec": { "config": "{\"type\":\"ovn-k8s-cni-overlay\",\"name\":" } });
        let path =
            format!("/apis/k8s.cni.cncf.io/v1/namespaces/{CURSED}/network-attachment-definitions");
        ground.post(&path, &torn).await?;
        ground.post(CUDNS, &network(CURSED, "172.30.0.0/16")).await?;
    }
    let create = async {
        let each = names.iter().enumerate().map(|(number, name)| async move {
            let begun = Instant::now();
            let made = ground.post(CUDNS, &network(name, &format!("10.0.{number}.0/24"))).await;
            made.map(|_: Value| (name.clone(), begun))
        });
        let each = stream::iter(each.collect::<Vec<_>>()).buffer_unordered(8);
        let all: Vec<Outcome<(String, Instant)>> = each.collect().await;
        all.into_iter().collect::<Outcome<Vec<_>>>()
    };
    let (begun, done) = tokio::try_join!(create, until_all(ground, names))?;
    Ok(begun.into_iter().map(|(name, begun)| done[&name] - begun).collect())
}

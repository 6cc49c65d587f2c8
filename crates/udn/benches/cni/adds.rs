//! One size: pods on all networks in turn, added one after the other, and then taken away.
//!
//! Reads what the runtime on the node saw and what the server counted; returns seconds.
//! Invariant: a round leaves no pod, so the next one begins with networks alone.

use serde_json::{Value, json};

use crate::Outcome;
use crate::api::{Api, pods_of};
use crate::runtime::{Counts, Order, Runtime, STEPS};
use crate::stand::{Stand, tenant};

const PODS: usize = 100;
/// The first pods of a size are not counted: what is new to everybody costs everybody.
const WARM_UP: usize = 5;

/// What a size took, in seconds, one figure for each pod.
pub(crate) struct Round {
    pub(crate) networks: usize,
    /// What our server took.
    pub(crate) shares: Vec<f64>,
    /// What the plugin's process took, less the same waits.
    pub(crate) processes: Vec<f64>,
    /// What the plugin's process took.
    pub(crate) totals: Vec<f64>,
    pub(crate) for_pod: Vec<f64>,
    pub(crate) for_flows: Vec<f64>,
    /// What each step of wiring took.
    pub(crate) steps: [Vec<f64>; STEPS.len()],
    pub(crate) dels: Vec<f64>,
    /// What the agent holds with all these pods, and the most that it held, in MB.
    pub(crate) memory: (f64, f64),
}

pub(crate) async fn measure(stand: &Stand, networks: usize) -> Outcome<Round> {
    let (api, mut runtime) = (stand.api().await?, Runtime::start(stand.node())?);
    let empty = || Vec::with_capacity(PODS);
    let mut round = Round {
        networks,
        shares: empty(),
        processes: empty(),
        totals: empty(),
        for_pod: empty(),
        for_flows: empty(),
        steps: STEPS.map(|_| empty()),
        dels: empty(),
        memory: (0.0, 0.0),
    };
    let (mut orders, mut before) = (Vec::new(), Counts::default());
    for number in 0..WARM_UP + PODS {
        let order = create(&api, stand.node().name(), (number, networks)).await?;
        let answer = runtime.follow(&order)?;
        if answer.interfaces != ["eth0", "ovn-udn1"] {
            return Err(format!("{} got the links {:?}", order.pod, answer.interfaces).into());
        }
        if number >= WARM_UP {
            round.take(answer.total, before, answer.counts)?;
        }
        before = answer.counts;
        orders.push(order);
    }
    round.memory = stand.memory()?;
    for order in orders {
        let order = Order { command: "DEL".to_owned(), ..order };
        round.dels.push(runtime.follow(&order)?.total);
        api.delete(&pods_of(&order.namespace), &order.pod).await?;
    }
    Ok(round)
}

impl Round {
    /// Takes in one ADD, by what the server had counted before and after it.
    fn take(&mut self, total: f64, before: Counts, after: Counts) -> Outcome<()> {
        let adds = after.adds - before.adds;
        if adds != 1.0 {
            return Err(format!("the server counted {adds} ADDs for one").into());
        }
        let for_pod = after.for_pod - before.for_pod;
        let for_flows = after.for_flows - before.for_flows;
        self.shares.push(after.share - before.share);
        self.processes.push(total - for_pod - for_flows);
        self.totals.push(total);
        self.for_pod.push(for_pod);
        self.for_flows.push(for_flows);
        let steps = after.steps.iter().zip(before.steps).map(|(after, before)| after - before);
        self.steps.iter_mut().zip(steps).for_each(|(all, step)| all.push(step));
        Ok(())
    }
}

/// Creates a pod on the node; what a runtime is told of it.
async fn create(api: &Api, node: &str, (number, networks): (usize, usize)) -> Outcome<Order> {
    let (namespace, pod) = (tenant(number % networks), format!("pod-{number}"));
    let container = json!({ "name": "main", "image": "none" });
    let object = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": pod },
        "spec": { "nodeName": node, "automountServiceAccountToken": false,
            "containers": [container] } });
    let made: Value = api.create(&pods_of(&namespace), &object).await?;
    let uid = made["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
    // A runtime's own names are random; these need only differ.
    let sandbox = uid.replace('-', "").repeat(2);
    Ok(Order { command: "ADD".to_owned(), namespace, pod, uid, sandbox })
}

//! How fast a pod may be: the columns in which the switch reads it.

use std::sync::Arc;

use udn_lab::run::run;
use udn_wire::keys::{EGRESS_BANDWIDTH, INGRESS_BANDWIDTH};
use udn_wire::object::Metadata;

use crate::pods::{On, PodNumber};
use crate::runtime::Runtime;

/// What a column of the switch's database holds.
fn column(runtime: &Runtime, table: &str, row: &str, column: &str) -> String {
    let read = run(runtime.node.vsctl().args(["get", table, row, column]));
    read.expect("the switch answers").trim_matches('"').to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pods_bandwidth_stands_in_the_switchs_columns_until_it_goes() {
    let runtime = Runtime::start().await;
    let before = runtime.traces();
    let pod = PodNumber(1);
    let on = [On::Default];
    runtime.introduce(&[pod], &on);
    let mut known = pod.known(&on, &on);
    let mut metadata = Metadata::clone(&known.metadata);
    for (key, text) in [(INGRESS_BANDWIDTH, "10M"), (EGRESS_BANDWIDTH, "200M")] {
        metadata.annotations.insert(key.to_owned(), text.to_owned());
    }
    known.metadata = Arc::new(metadata);
    runtime.pods.tell(&pod.name(), Some(known));
    let sandbox = runtime.sandbox(pod);
    for _ in 0..2 {
        runtime.add(&sandbox).await.expect("the pod is wired");
        let link = &sandbox.id[..15];
        assert_eq!(column(&runtime, "Interface", link, "ingress_policing_rate"), "200000");
        assert_eq!(column(&runtime, "Interface", link, "ingress_policing_burst"), "20000");
        let qos = column(&runtime, "Port", link, "qos");
        assert_eq!(column(&runtime, "QoS", &qos, "type"), "linux-htb");
        assert_eq!(column(&runtime, "QoS", &qos, "other_config:max-rate"), "10000000");
        assert_eq!(column(&runtime, "QoS", &qos, "external_ids:sandbox"), sandbox.id);
        let all = run(runtime.node.vsctl().args(["--bare", "--columns=_uuid", "list", "QoS"]));
        assert_eq!(all.expect("the switch answers").lines().count(), 1);
    }
    runtime.del(&sandbox).await;
    assert_eq!(runtime.traces(), before);
}

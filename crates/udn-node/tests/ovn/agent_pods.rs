//! Pods of a node whose agent does everything: networks, host, pods, and the plugin's files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::json;
use tokio::task::block_in_place;
use udn_cni::request::encode;
use udn_cni::version::Version;
use udn_cni::{CniError, CniResult};
use udn_host::guard::{GUARD_COOKIE, macs};
use udn_lab::namespaces::Namespace;
use udn_lab::run::run;
use udn_model::ClusterSettings;
use udn_node::agent::{CniPlaces, PluginFiles};
use udn_wire::Kind;

use crate::agent_site::{NODE, RED, Site, until};
use crate::host_lines::{difference, host_lines};

const CONFIGURATION: &str = "net.d/10-ovn-kubernetes.conf";

fn folder(site: &Site) -> PathBuf {
    site.node.workplace().folder.clone()
}

/// A site whose default network is ours too, and whose agent wires pods.
async fn site() -> Site {
    let cluster = ClusterSettings { builds_default_network: true, ..ClusterSettings::default() };
    let mut site = Site::with(cluster).await;
    let folder = folder(&site);
    site.settings.cni = Some(CniPlaces {
        socket: folder.join("cni/cni.sock"),
        plugin: PluginFiles {
            configurations: Some(folder.join("net.d")),
            version: Version::V1_0_0,
            binary: None,
        },
    });
    site.start_agent().await;
    site
}

/// A pod in namespace `red`, and its sandbox.
async fn pod(site: &Site, name: &str) -> (Namespace, BTreeMap<String, String>) {
    let pod = json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": "red", "name": name },
        "spec": { "nodeName": NODE, "containers": [{ "name": "main", "image": "none" }] } });
    site.apply(&pod.to_string()).await;
    let uid = site.read_in(Kind::Pod, "red", name).await["metadata"]["uid"].clone();
    let uid = uid.as_str().expect("the server draws it").to_owned();
    let namespace = Namespace::create(&site.node.workplace().janitor, "pod");
    let namespace = namespace.expect("a namespace can be made");
    let arguments = format!(
        "IgnoreUnknown=1;K8S_POD_NAMESPACE=red;K8S_POD_NAME={name};K8S_POD_UID={uid};\
         K8S_POD_INFRA_CONTAINER_ID=x"
    );
    let variables = [
        ("CNI_CONTAINERID", uid.replace('-', "")),
        ("CNI_NETNS", namespace.path().display().to_string()),
        ("CNI_IFNAME", "eth0".to_owned()),
        ("CNI_PATH", "/opt/cni/bin".to_owned()),
        ("CNI_ARGS", arguments),
    ];
    (namespace, variables.map(|(key, value)| (key.to_owned(), value)).into())
}

/// Asks as a runtime does that has read the configuration.
async fn ask(
    site: &Site,
    command: &str,
    variables: &BTreeMap<String, String>,
) -> Result<Option<CniResult>, CniError> {
    let conf = std::fs::read(folder(site).join(CONFIGURATION)).expect("it was written");
    let mut variables = variables.clone();
    variables.insert("CNI_COMMAND".to_owned(), command.to_owned());
    let body = encode(&variables, &conf).expect("it is small");
    let socket = folder(site).join("cni/cni.sock");
    crate::runtime::send(socket, body).await
}

fn ping(site: &Site, from: &Namespace, to: &str) -> bool {
    let mut ping = site.node.workplace().root.command("ping");
    ping.args(["-n", "-q", "-c", "1", "-W", "5", to]);
    run(&mut from.enter(&ping)).is_ok()
}

/// The MACs whose router advertisements the integration bridge drops.
fn guards(site: &Site) -> BTreeSet<String> {
    let mut dump = site.node.ofctl();
    dump.args(["--protocols=OpenFlow15", "--no-stats", "dump-flows", "br-int"]);
    let told = run(dump.arg(format!("cookie={GUARD_COOKIE:#x}/-1"))).expect("the switch answers");
    macs(&told).iter().map(ToString::to_string).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn pods_come_up_on_a_node_whose_agent_does_everything() {
    let mut site = site().await;
    until("the CNI configuration", || std::fs::metadata(folder(&site).join(CONFIGURATION)).ok());
    site.apply(RED).await;
    site.until_whole("red_red").await;
    let before = block_in_place(|| host_lines(&site.node));
    let ((one, first), (two, second)) = (pod(&site, "one").await, pod(&site, "two").await);
    let (added, other) = tokio::join!(ask(&site, "ADD", &first), ask(&site, "ADD", &second));
    let addresses = |result: Result<Option<CniResult>, CniError>| {
        let result = result.expect("it is wired").expect("an ADD has a result");
        result.addresses.iter().map(|it| it.address.to_string()).collect::<Vec<_>>()
    };
    let (added, other) = (addresses(added), addresses(other));
    assert_eq!(added.len(), 4, "two families on two networks: {added:?}");
    let red = |all: &[String], start: &str| {
        let found = all.iter().find(|it| it.starts_with(start)).expect("it is on the network");
        found.split('/').next().expect("it has a length").to_owned()
    };
    assert!(ping(&site, &one, &red(&other, "10.10.")), "{other:?}");
    assert!(ping(&site, &two, &red(&added, "fd10:")), "{added:?}");
    // The kubelet probes pods from the node; the default network is how it reaches them.
    assert!(ping(&site, site.node.namespace(), &red(&added, "10.128.")), "{added:?}");
    // Outside is reached as the node.
    assert!(ping(&site, &one, "172.18.0.1"));

    // A cable that somebody takes is laid again.
    let cable: String = first["CNI_CONTAINERID"].chars().take(13).chain("_1".chars()).collect();
    site.node.namespace().ip(&["link", "del", &cable]).expect("the kernel obeys");
    until("the cable to be laid again", || ping(&site, &one, &red(&other, "10.10.")).then_some(()));

    // Guards that somebody takes come back, all of them or one; and a DEL takes its own.
    let whole = guards(&site);
    assert_eq!(whole.len(), 4, "of two pods on two networks: {whole:?}");
    let cookie = format!("cookie={GUARD_COOKIE:#x}/-1");
    let one_of_them = format!("{cookie},icmp6,dl_src={}", whole.first().expect("there are four"));
    for taken in [&cookie, &one_of_them] {
        let mut take = site.node.ofctl();
        run(take.args(["--protocols=OpenFlow15", "del-flows", "br-int", taken])).expect("they go");
        until("the guards to come back", || (guards(&site) == whole).then_some(()));
    }

    // An agent that starts anew, and a switch that does, cost no pod anything that stays.
    site.stop_agent().await;
    assert!(ping(&site, &one, &red(&other, "10.10.")), "without an agent");
    site.start_agent().await;
    let _ = block_in_place(|| site.node.restart_vswitchd());
    until("the pods to reach each other again", || {
        ping(&site, &one, &red(&other, "10.10.")).then_some(())
    });
    until("the outside to be reached again", || ping(&site, &one, "172.18.0.1").then_some(()));
    until("the guards to stand again", || (guards(&site) == whole).then_some(()));

    for variables in [&first, &second, &first] {
        ask(&site, "DEL", variables).await.expect("a DEL succeeds");
    }
    site.delete(Kind::Pod, "red", "one").await;
    site.delete(Kind::Pod, "red", "two").await;
    let mut left = Vec::new();
    let gone = block_in_place(|| {
        udn_lab::wait::wait_for("the pods' traces to go", crate::agent_site::LIMIT, || {
            left = difference(&before, &host_lines(&site.node));
            left.is_empty().then_some(())
        })
    });
    gone.unwrap_or_else(|late| panic!("{late}: {left:#?}"));
}

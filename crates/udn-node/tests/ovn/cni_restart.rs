//! Servers that end and begin anew, and pods that somebody disturbs.

use std::time::Duration;

use tokio::time::timeout;
use udn_lab::run::run;
use udn_lab::wait::wait_for;

use crate::pods::{On, PodNumber};
use crate::runtime::{DEFAULT, Runtime, Sandbox};

const PRIMARY: [On; 2] = [On::Default, On::Red];
const LIMIT: Duration = Duration::from_secs(20);

async fn wired(runtime: &Runtime, pod: PodNumber) -> Sandbox {
    runtime.introduce(&[pod], &PRIMARY);
    let sandbox = runtime.sandbox(pod);
    runtime.add(&sandbox).await.expect("the pod is wired");
    sandbox
}

/// Waits until the node shows the same as before.
fn wait_for_traces(runtime: &Runtime, want: &str) {
    let same = wait_for("the same traces", LIMIT, || (runtime.traces() == want).then_some(()));
    same.unwrap_or_else(|error| panic!("{error}: {} instead of {want}", runtime.traces()));
}

fn is_reached(runtime: &Runtime, sandbox: &Sandbox, from: &Sandbox) -> Option<()> {
    let mut ping = runtime.node.workplace().root.command("ping");
    ping.args(["-n", "-c", "1", "-W", "1", &sandbox.pod.ips(On::Red)[0].to_string()]);
    run(&mut from.namespace.enter(&ping)).is_ok().then_some(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_server_knows_what_the_one_before_has_wired() {
    let mut runtime = Runtime::start().await;
    let before = runtime.traces();
    let (here, gone) = (wired(&runtime, PodNumber(1)).await, wired(&runtime, PodNumber(2)).await);
    let wiring = runtime.server.take().expect("it runs");
    let known = wiring.wiring().wired();
    wiring.stop().await;
    assert!(!runtime.socket().exists(), "a server that stops takes its socket away");
    // Its runtime's DEL found no server.
    drop(gone.namespace);
    let standing = runtime.traces();
    assert!(standing.contains(&gone.id));
    runtime.serve(|_| ());
    let server = runtime.server.as_ref().expect("it runs");
    let learned = wait_for("the dead pod to go", LIMIT, || {
        (!runtime.traces().contains(&gone.id[..13])).then(|| server.wiring().wired())
    });
    let want: Vec<_> = known.into_iter().filter(|it| it.sandbox == here.id).collect();
    assert_eq!(learned.expect("it goes"), want);
    let again = runtime.add(&here).await.expect("a second ADD is the first one");
    assert_eq!(again.interfaces.len(), 4);
    // Nobody knows the pod any more: its rows are enough.
    runtime.pods.tell(&here.pod.name(), None);
    runtime.del(&here).await;
    assert_eq!(runtime.traces(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_amid_an_add_loses_nothing() {
    let mut runtime = Runtime::start().await;
    let before = runtime.traces();
    let pod = PodNumber(1);
    let sandbox = runtime.sandbox(pod);
    // Its port is not drawn, so the ADD waits for OVN with everything else made.
    runtime.pods.tell(&pod.name(), Some(pod.known(&PRIMARY, &PRIMARY)));
    let life = tokio::runtime::Runtime::new().expect("a runtime can be made");
    runtime.server.take().expect("it runs").stop().await;
    {
        let _guard = life.enter();
        runtime.serve(|_| ());
    }
    {
        let add = runtime.send_unheard(&sandbox);
        tokio::pin!(add);
        while !runtime.traces().contains("_1") {
            let early = timeout(Duration::from_millis(20), &mut add).await; // waits: for the port's row
            assert!(early.is_err(), "it was answered too early: {early:?}");
        }
    }
    // All that the server was about ends here, as it does when a program is killed.
    life.shutdown_background();
    std::mem::forget(runtime.server.take());
    runtime.serve(|_| ());
    runtime.introduce(&[pod], &PRIMARY);
    runtime.add(&sandbox).await.expect("the runtime's second try is wired");
    runtime.del(&sandbox).await;
    wait_for_traces(&runtime, &before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_tells_those_who_wait_to_try_again() {
    let mut runtime = Runtime::start().await;
    let sandbox = runtime.sandbox(PodNumber(1));
    let server = runtime.server.take().expect("it runs");
    let add = runtime.add(&sandbox);
    tokio::pin!(add);
    let early = timeout(Duration::from_millis(300), &mut add).await; // waits: that nothing comes
    assert!(early.is_err(), "nobody knows the pod");
    let (answer, ()) = tokio::join!(add, server.stop());
    let error = answer.expect_err("it cannot be wired");
    assert!(error.message.contains("stops or starts anew"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_sandbox_of_a_pod_takes_the_place_of_the_old_one() {
    let runtime = Runtime::start().await;
    let before = runtime.traces();
    let old = wired(&runtime, PodNumber(1)).await;
    let mut new = runtime.sandbox(old.pod);
    new.id = format!("{:0<64}", "5affff");
    runtime.add(&new).await.expect("the new sandbox is wired");
    assert!(!runtime.traces().contains(&old.id[..13]), "{}", runtime.traces());
    // The DEL of the old one comes late, and leaves the new one alone.
    let standing = runtime.traces();
    runtime.del(&old).await;
    assert_eq!(runtime.traces(), standing);
    runtime.del(&new).await;
    assert_eq!(runtime.traces(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_disturbs_a_pod_is_corrected() {
    let runtime = Runtime::start().await;
    let (one, two) = (wired(&runtime, PodNumber(1)).await, wired(&runtime, PodNumber(2)).await);
    let link = format!("{}_1", &one.id[..13]);
    // What a pod adds to its own link is its own affair.
    let own = ["address", "add", "10.10.9.9/16", "dev", "ovn-udn1"];
    one.namespace.ip(&own).expect("ip obeys");
    run(runtime.node.vsctl().args(["del-port", "br-int", &link])).expect("the switch obeys");
    let reached = wait_for("the pod", LIMIT, || is_reached(&runtime, &one, &two));
    reached.expect("the port comes back");
    let mut change = runtime.node.vsctl();
    change.args(["set", "Interface", &link, "external_ids:iface-id=another"]);
    run(&mut change).expect("the switch obeys");
    wait_for("the pod", LIMIT, || is_reached(&runtime, &one, &two)).expect("it is put right");
    let addresses = one.namespace.ip(&["-brief", "address"]).expect("ip answers");
    assert!(addresses.contains("10.10.9.9/16"), "{addresses}");
    runtime.node.namespace().ip(&["link", "del", &link]).expect("ip obeys");
    let server = runtime.server.as_ref().expect("it runs");
    assert_eq!(server.wiring().rewire_all().await, 0, "all pods are put right");
    wait_for("the pod", LIMIT, || is_reached(&runtime, &one, &two)).expect("it is put right");
    for sandbox in [&one, &two] {
        runtime.del(sandbox).await;
    }
    assert_eq!(server.wiring().wired(), []);
    assert!(!runtime.traces().contains("sandbox="), "what was taken away stays away");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_takes_what_the_runtime_does_not_know() {
    let runtime = Runtime::start().await;
    let (kept, lost) = (wired(&runtime, PodNumber(1)).await, wired(&runtime, PodNumber(2)).await);
    let mut conf: serde_json::Value = serde_json::from_str(DEFAULT).expect("it is JSON");
    conf["cni.dev/valid-attachments"] =
        serde_json::json!([{ "containerID": kept.id, "ifname": "eth0" }]);
    let variables = [("CNI_COMMAND".to_owned(), "GC".to_owned())].into();
    runtime.send(variables, &conf.to_string()).await.expect("a collection succeeds");
    let traces = runtime.traces();
    assert!(traces.contains(&kept.id) && !traces.contains(&lost.id[..13]), "{traces}");
    let left = runtime.server.as_ref().expect("it runs").wiring().wired();
    assert!(left.len() == 2 && left.iter().all(|it| it.sandbox == kept.id), "{left:?}");
}

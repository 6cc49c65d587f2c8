//! Many pods at once, with repeated deletions and agents that are killed: nothing is leaked.

use crate::manifests::{deployment, layer2, namespace, pod};
use crate::snapshot::Snapshot;
use crate::stand::Stand;

const PODS: usize = 100;
/// How often the agent is killed while pods come, and while they go.
const KILLS: usize = 3;

#[test]
fn a_hundred_pods_come_and_go_while_the_agent_is_killed() {
    let mut stand = Stand::start(1);
    let node = stand.cluster.nodes()[0].name().to_owned();
    stand.apply(&(namespace("blue", true) + &layer2("blue", "10.20.0.0/16, \"fd20::/64\"")));
    stand.wait("condition=Ready", &["udn/net", "-n", "blue"]);
    // The first pod leaves what the kernel never takes back, such as its own IPv6 rules.
    stand.apply(&pod("blue", "first", &node));
    stand.wait("condition=Ready", &["pod/first", "-n", "blue"]);
    stand.delete(&pod("blue", "first", &node));
    stand.eventually("the first pod's namespace to be gone", || {
        stand.on_node(&node, "ls", &["/run/netns"]).is_empty().then_some(())
    });
    let before = Snapshot::take(&stand, &node);

    let crowd: String = (0..PODS).map(|number| pod("blue", &format!("p{number}"), &node)).collect();
    stand.apply(&crowd);
    for share in 1..=KILLS {
        let wanted = PODS * share / (KILLS + 1);
        stand.eventually("some pods to run", || {
            let running = stand.kubectl(&[
                "get",
                "pods",
                "-n",
                "blue",
                "--field-selector=status.phase=Running",
                "-o",
                "name",
            ]);
            (running.lines().count() >= wanted).then_some(())
        });
        stand.kill_agent(&node);
        stand.start_agent(&node);
    }
    stand.wait("condition=Ready", &["pods", "--all", "-n", "blue", "--timeout=300s"]);
    let pods = stand.pods("blue");
    let mut addresses: Vec<_> = pods.iter().flat_map(|pod| pod.on("blue/net")).collect();
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!(addresses.len(), 2 * PODS, "no address is given twice");

    stand.kubectl(&["delete", "pods", "--all", "-n", "blue", "--wait=false"]);
    for share in (0..KILLS).rev() {
        let wanted = PODS * (share + 1) / (KILLS + 1);
        stand.eventually("some pods to be gone", || {
            let left = stand.kubectl(&["get", "pods", "-n", "blue", "-o", "name"]);
            (left.lines().count() <= wanted).then_some(())
        });
        stand.kill_agent(&node);
        stand.start_agent(&node);
    }
    stand.eventually("all pods to be gone", || {
        stand.kubectl(&["get", "pods", "-n", "blue", "-o", "name"]).is_empty().then_some(())
    });
    let mut left = String::new();
    let is_clean = || {
        left = before.difference(&Snapshot::take(&stand, &node));
        left.is_empty().then_some(())
    };
    if udn_lab::wait::wait_for("a clean node", crate::stand::LIMIT, is_clean).is_err() {
        panic!("the crowd left traces:\n{left}");
    }
    // The node still starts pods.
    stand.apply(&deployment("blue", "web", 1, ""));
    stand.wait("condition=Available", &["deployment/web", "-n", "blue"]);
}

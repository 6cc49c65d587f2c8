//! Pods as a user makes them: through a Deployment, the scheduler, kubelet and containerd.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use udn_lab::wait::wait_for;

use crate::scene::{LIMIT, apply, deployment, kubectl, start, wait_pods_ready, wait_until};

#[test]
fn a_deployment_runs_on_three_nodes() {
    let cluster = start(3);
    let begun = Instant::now();
    apply(&cluster, &deployment("web", 3));
    wait_pods_ready(&cluster, "app=web", 3);
    println!("3 pods Ready {:?} after their Deployment", begun.elapsed());

    let of_all = |path: &str| {
        let path = format!("jsonpath={{.items[*].{path}}}");
        let text = kubectl(&cluster, &["get", "pods", "-l", "app=web", "-o", &path]);
        text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let nodes: BTreeSet<String> = of_all("spec.nodeName").into_iter().collect();
    assert_eq!(nodes.into_iter().collect::<Vec<_>>(), ["node1", "node2", "node3"]);
    for pod in of_all("metadata.name") {
        let page = ["wget", "-qO-", "http://127.0.0.1:8080/"];
        let answer = kubectl(&cluster, &[&["exec", &pod, "--"][..], &page].concat());
        assert_eq!(answer, pod, "exec runs in the pod, whose host name it is");
        assert_eq!(kubectl(&cluster, &["logs", &pod]), "serving");
    }
    check_readiness_follows_the_probe(&cluster);

    kubectl(&cluster, &["delete", "deployment", "web", "--wait=false"]);
    wait_until(&cluster, "the pods' end", &["get", "pods", "-o", "name"], str::is_empty);
    for node in cluster.nodes() {
        // A pod's object may be gone a moment before its sandbox.
        let links = || {
            let text = node.namespace().ip(&["-o", "link", "show", "type", "veth"]).ok()?;
            text.lines().all(|line| line.contains(": eth0@")).then_some(())
        };
        wait_for("only the uplink", LIMIT, links).expect("the pods' links are removed");
    }
}

#[test]
fn a_host_port_is_reached_from_outside() {
    let cluster = start(1);
    let text = deployment("web", 1);
    let port = "        ports: [{containerPort: 8080, hostPort: 8081}]\n";
    let text = text.replace("        readinessProbe:", &format!("{port}        readinessProbe:"));
    apply(&cluster, &text);
    wait_pods_ready(&cluster, "app=web", 1);
    let address = cluster.nodes()[0].addresses().next().expect("a node has addresses");
    let outside = cluster.outside().namespace();
    let answer = wait_for("the page", LIMIT, || {
        outside.inside(|| page(SocketAddr::new(address, 8081)).ok()).ok()?
    });
    assert!(answer.expect("the port leads to the pod").contains("web-"));
}

fn page(server: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&server, Duration::from_secs(5))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// A page that is gone makes a pod unready, and only that.
fn check_readiness_follows_the_probe(cluster: &udn_lab::real_cluster::RealCluster) {
    let pods = kubectl(cluster, &["get", "pods", "-l", "app=web", "-o", "name"]);
    let pod = pods.lines().next().expect("there are pods");
    kubectl(cluster, &["exec", pod, "--", "mkdir", "/gone"]);
    kubectl(
        cluster,
        &["exec", pod, "--", "sh", "-c", "mv /www/index.html /gone && touch /www/index.html.old"],
    );
    let path = r#"jsonpath={.status.conditions[?(@.type=="Ready")].status}"#;
    wait_until(cluster, "an unready pod", &["get", pod, "-o", path], |text| text == "False");
    kubectl(cluster, &["exec", pod, "--", "mv", "/gone/index.html", "/www/"]);
    wait_pods_ready(cluster, "app=web", 3);
}

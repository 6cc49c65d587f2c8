//! Multus before the bridge plugin: a pod with a second network.

use udn_lab::real_cluster::{BUSYBOX_IMAGE, RealCluster};

use crate::scene::{apply, apply_file, kubectl, subnet, wait_pods_ready};

const DEFAULT: &str = r#"{
  "cniVersion": "1.0.0",
  "name": "bridge",
  "type": "bridge",
  "bridge": "cni0",
  "isDefaultGateway": true,
  "ipam": {"type": "host-local", "ranges": [[{"subnet": "SUBNET"}]]}
}"#;

const SECOND: &str = r#"apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: second}
spec:
  config: '{"cniVersion": "1.0.0", "name": "second", "type": "bridge", "bridge": "cni1",
    "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.201.0.0/24"}]]}}'
"#;

#[test]
fn a_pod_has_two_networks_and_a_status_of_both() {
    let cluster = RealCluster::builder().nodes(1).start().expect("the cluster starts");
    apply_file(&cluster, "deploy/crds/k8s.cni.cncf.io_network-attachment-definitions.yaml");
    let node = &cluster.nodes()[0];
    node.install_multus(&DEFAULT.replace("SUBNET", &subnet(0))).expect("Multus is there");
    cluster.wait_ready().expect("the node becomes Ready");
    apply(&cluster, SECOND);
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: both\n  labels: {{app: both}}\n  \
         annotations: {{k8s.v1.cni.cncf.io/networks: second}}\nspec:\n  \
         terminationGracePeriodSeconds: 0\n  containers:\n  - name: sleep\n    \
         image: {BUSYBOX_IMAGE}\n    imagePullPolicy: Never\n    args: [-c, sleep 100000]\n"
    );
    apply(&cluster, &pod);
    wait_pods_ready(&cluster, "app=both", 1);
    let links = kubectl(&cluster, &["exec", "both", "--", "ls", "/sys/class/net"]);
    assert_eq!(links.split_whitespace().collect::<Vec<_>>(), ["eth0", "lo", "net1"]);
    let path = r"jsonpath={.metadata.annotations.k8s\.v1\.cni\.cncf\.io/network-status}";
    let status = kubectl(&cluster, &["get", "pod", "both", "-o", path]);
    for word in ["\"interface\": \"eth0\"", "\"interface\": \"net1\"", "10.201.0."] {
        assert!(status.contains(word), "{word} is not in {status}");
    }
}

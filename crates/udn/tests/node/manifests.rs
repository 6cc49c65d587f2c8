//! The manifests that users would write, as texts.
//!
//! Invariant: every container answers HTTP on [`PORT`], and its probes ask it there.

/// Where every container serves a page.
pub(crate) const PORT: u16 = 8080;

/// A namespace; with a main network of its own, if asked for.
pub(crate) fn namespace(name: &str, has_primary: bool) -> String {
    let label = if has_primary { "{k8s.ovn.org/primary-user-defined-network: \"\"}" } else { "{}" };
    format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}, labels: {label}}}\n---\n")
}

/// A primary network of a namespace; `spec` is what follows the topology.
pub(crate) fn network(namespace: &str, spec: &str) -> String {
    format!(
        "apiVersion: k8s.ovn.org/v1\nkind: UserDefinedNetwork\n\
         metadata: {{namespace: {namespace}, name: net}}\nspec: {spec}\n---\n"
    )
}

/// A primary Layer2 network of both families.
pub(crate) fn layer2(namespace: &str, subnets: &str) -> String {
    network(
        namespace,
        &format!("{{topology: Layer2, layer2: {{role: Primary, subnets: [{subnets}]}}}}"),
    )
}

/// A primary Layer3 network of both families.
pub(crate) fn layer3(namespace: &str, subnets: &str) -> String {
    network(
        namespace,
        &format!("{{topology: Layer3, layer3: {{role: Primary, subnets: [{subnets}]}}}}"),
    )
}

/// A cluster-wide network for the namespaces of one name.
pub(crate) fn cluster_network(name: &str, namespace: &str, network: &str) -> String {
    format!(
        "apiVersion: k8s.ovn.org/v1\nkind: ClusterUserDefinedNetwork\nmetadata: {{name: {name}}}\n\
         spec:\n  namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {namespace}}}}}\n  \
         network: {network}\n---\n"
    )
}

/// As many pods as there are replicas, on as many nodes as possible.
pub(crate) fn deployment(namespace: &str, name: &str, replicas: usize, networks: &str) -> String {
    let annotations = match networks {
        "" => "{}".to_owned(),
        networks => format!("{{k8s.v1.cni.cncf.io/networks: '{networks}'}}"),
    };
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{namespace: {namespace}, name: {name}}}\n\
         spec:\n  replicas: {replicas}\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    \
         metadata: {{labels: {{app: {name}}}, annotations: {annotations}}}\n    spec:\n      \
         terminationGracePeriodSeconds: 0\n      topologySpreadConstraints:\n      \
         - {{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, \
         labelSelector: {{matchLabels: {{app: {name}}}}}}}\n      containers:\n{}---\n",
        container("      ")
    )
}

/// A pod on a node.
pub(crate) fn pod(namespace: &str, name: &str, node: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{namespace: {namespace}, name: {name}}}\nspec:\n  \
         nodeName: {node}\n  terminationGracePeriodSeconds: 0\n  containers:\n{}---\n",
        container("  ")
    )
}

/// A container that serves its own host name, with probes that ask for it.
fn container(indent: &str) -> String {
    let serve =
        format!("mkdir -p /www; hostname > /www/index.html; exec httpd -f -p {PORT} -h /www");
    let probe =
        format!("{{httpGet: {{port: {PORT}, path: /}}, periodSeconds: 1, timeoutSeconds: 2}}");
    let lines = [
        "- name: main".to_owned(),
        "  image: udn.local/busybox:1".to_owned(),
        "  imagePullPolicy: Never".to_owned(),
        format!("  command: [sh, -c, '{serve}']"),
        format!("  readinessProbe: {probe}"),
        format!("  livenessProbe: {probe}"),
    ];
    lines.map(|line| format!("{indent}{line}\n")).concat()
}

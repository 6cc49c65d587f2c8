//! Who may call the API server, and the kubeconfigs with which they do.
//!
//! Reads a prepared [`Site`]; writes files.
//! Invariant: every cluster has tokens of its own, so nobody can reach another cluster by mistake.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use crate::janitor::fresh_name;
use crate::kubernetes::{Client, ClusterError, Place, Site};

/// A token that nobody else has.
pub(super) fn fresh_token() -> String {
    [fresh_name(), fresh_name(), fresh_name()].concat()
}

/// Writes the list of tokens, and the administrator's kubeconfig for our own namespace.
pub(super) fn write(site: &Site) -> Result<(), ClusterError> {
    let mut tokens = format!("{},udn-lab,udn-lab,system:masters\n", site.token);
    for (node, token) in &site.kubelets {
        tokens += &format!("{token},system:node:{node},{node},system:nodes\n");
    }
    site.write("tokens.csv", &tokens)?;
    site.write("kubeconfig", &kubeconfig(site, site.api_port.address(), &site.token))
}

/// Writes a kubeconfig that works on the fabric, or outside of it where the test itself is.
pub(super) fn write_kubeconfig(
    site: &Site,
    client: Client<'_>,
    place: Place,
    path: &Path,
) -> Result<(), ClusterError> {
    let token = match client {
        Client::Administrator => site.token.as_str(),
        Client::Kubelet { node } => site.kubelets.get(node).expect("the node was told before"),
        Client::Bearer { token } => token,
    };
    let on_fabric = || {
        let home = site.home.as_ref().expect("only a control plane with nodes is on a fabric");
        SocketAddr::from((home.addresses.v4, site.api_port.number()))
    };
    let server = match place {
        Place::Node => on_fabric(),
        Place::Outside => site.api_port.address(),
    };
    let text = kubeconfig(site, server, token);
    fs::write(path, text).map_err(|source| ClusterError::Write { path: path.to_owned(), source })
}

fn kubeconfig(site: &Site, server: SocketAddr, token: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: lab\n\
         clusters:\n- name: lab\n  cluster:\n    server: https://{server}\n    \
         certificate-authority: {}\n\
         users:\n- name: lab\n  user:\n    token: {token}\n\
         contexts:\n- name: lab\n  context:\n    cluster: lab\n    user: lab\n",
        site.certificates.authority().display(),
    )
}

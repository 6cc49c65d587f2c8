//! What an agent is to do for container runtimes, by its flags.

use clap::Parser;

use super::*;
use crate::args::{Arguments, Command};

fn configurations(flags: &[&str], builds_default_network: bool) -> Option<PathBuf> {
    let words = ["udn", "node"].iter().chain(flags);
    let Command::Node(request) = Arguments::try_parse_from(words).unwrap().command else {
        panic!("it is udn node");
    };
    cni(&request, builds_default_network).unwrap().unwrap().plugin.configurations
}

#[test]
fn a_configuration_is_written_only_for_a_default_network_of_ours() {
    let flags = ["--cni-conf-dir", "/etc/cni/net.d"];
    assert_eq!(configurations(&flags, true), Some("/etc/cni/net.d".into()));
    assert_eq!(configurations(&flags, false), None);
    assert_eq!(configurations(&[], true), None);
}

//! `udn node --cleanup`: takes from a host what outlives our programs.
//!
//! Reads the request; prints one line for each thing, and sets the exit code.
//! Invariant: 0 says that nothing of ours is left, as far as could be seen.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};
use ovsdb_net::Remote;
use udn_node::Program;
use udn_node::agent::OWN_NAMESPACE;
use udn_node::cleanup::{CleanupSettings, Identity, Places, Told, clean_up};

use crate::args::NodeRequest;
use crate::output;

/// Where runtimes look, unless it is said otherwise.
const CONFIGURATIONS: &str = "/etc/cni/net.d";
const PLUGINS: &str = "/opt/cni/bin";
/// Where a host's Open vSwitch has its sockets, for tools that are to find them in a container.
const SWITCH: (&str, &str) = ("OVS_RUNDIR", "/run/openvswitch");
/// Where the start script of a host's Open vSwitch remembers who the machine is.
const HOST_IDENTITY: &str = "/etc/openvswitch/system-id.conf";

/// Cleans up.
pub(super) async fn run(request: &NodeRequest) -> Result<ExitCode> {
    let mut printed = Ok(());
    let mut count = 0;
    let mut tell = |told: Told| {
        count += usize::from(matches!(told, Told::Taken(_) | Told::Found(_)));
        let line = match told {
            Told::Taken(what) => format!("took {what}"),
            Told::Found(what) => format!("would take {what}"),
            Told::Left(what) => format!("left {what}"),
            Told::Failed(why) => return output::complain(format_args!("failed: {why}")),
        };
        if printed.is_ok() {
            printed = output::print_line(line);
        }
    };
    let is_clean = clean_up(&settings(request), &mut tell).await?;
    printed?;
    if !is_clean {
        bail!("not everything could be taken or looked at; see above, and run this again");
    }
    let summary = match (count, request.cleanup.dry_run) {
        (0, _) => "nothing of udn is on this node",
        (_, true) => "nothing was taken (--dry-run)",
        (_, false) => "nothing of udn is left on this node",
    };
    output::print_line(summary)?;
    Ok(ExitCode::SUCCESS)
}

fn settings(request: &NodeRequest) -> CleanupSettings {
    let (ovn, cni, cleanup) = (&request.ovn, &request.cni, &request.cleanup);
    let folder = |asked: &Option<_>, usual: &str| asked.clone().unwrap_or_else(|| usual.into());
    let places = Places {
        root: cleanup.host_root.clone(),
        configurations: folder(&cni.cni_conf_dir, CONFIGURATIONS),
        plugins: folder(&cni.cni_bin_dir, PLUGINS),
        cni_socket: cni.cni_socket.clone(),
        state: cleanup.state_dir.clone(),
    };
    let open_vswitch = match &ovn.open_vswitch {
        Remote::Unix(path) => Remote::Unix(places.here(path)),
        Remote::Tcp(_) | Remote::Tls(_) => ovn.open_vswitch.clone(),
    };
    let mut ofctl = Command::new(&ovn.ofctl);
    if cleanup.host_root != Path::new("/") {
        ofctl.env(SWITCH.0, places.here(SWITCH.1.as_ref()));
    }
    CleanupSettings {
        identity: Identity {
            southbound: ovn.southbound.to_string(),
            integration_bridge: ovn.integration_bridge.clone(),
            external_bridge: ovn.external_bridge.clone(),
            physical_network: ovn.physical_network.clone(),
            host_names_itself: places.here(HOST_IDENTITY.as_ref()).exists(),
            owned_the_switch: places.has_own_switch(),
        },
        places,
        open_vswitch,
        ofctl: Program::from(&ofctl),
        namespace: OWN_NAMESPACE.into(),
        is_forced: cleanup.force,
        is_rehearsal: cleanup.dry_run,
    }
}

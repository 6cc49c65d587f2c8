//! Pods whose cables or guards somebody took, or whose switch began anew.
//!
//! Invariant: a pod that a runtime takes away is no reason to look at the others.

use std::collections::BTreeSet;

use tracing::info;
use udn_host::guard;

use super::flow_watch::{FlowWatch, ToldFlows};
use super::kernel_watch::{FallenLinks, KernelWatch};
use crate::cni::{Pods, Wiring};
use crate::program::Program;

/// Flows of the integration bridge that only guards have, and only their end; ovn-controller's are not
/// listened to.
const GUARDS: &str = "!add,!modify,table=0,icmp6,icmp_type=134";

/// Has pods wired again whenever something of them went; never ends.
pub(super) async fn work<P: Pods>(
    wiring: &Wiring<P>,
    kernel: &KernelWatch,
    (ofctl, bridge): (Program, String),
) {
    let switch = FlowWatch::start(ofctl, bridge, Some(GUARDS));
    loop {
        let is_concerned = tokio::select! {
            () = switch.began() => true,
            () = switch.changed() => {
                mend_guards(wiring, &switch.take_told()).await;
                false
            }
            fallen = kernel.links_fell() => concerns(wiring, &fallen),
        };
        if is_concerned {
            info!("looks whether all pods are wired");
            wiring.rewire_all().await;
        }
    }
}

/// Puts guards back that somebody took; most go with their pods.
async fn mend_guards<P: Pods>(wiring: &Wiring<P>, told: &ToldFlows) {
    let gone = guard::macs(&told.lines.join("\n"));
    if told.may_be_more || wiring.guards_any(&gone) {
        wiring.restore_guards().await;
    }
}

/// Whether a wired pod's link is among those that fell.
fn concerns<P: Pods>(wiring: &Wiring<P>, fallen: &FallenLinks) -> bool {
    let links: BTreeSet<String> = wiring.wired().into_iter().map(|it| it.link).collect();
    fallen.may_be_more || !links.is_disjoint(&fallen.names)
}

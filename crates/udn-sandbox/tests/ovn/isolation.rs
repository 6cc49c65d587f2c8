//! Tenants with the same subnet: whatever one of them sends, the others hear none of it, not even
//! while networks and pods come and go, nor those to whom that happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::rig::Stand;
use crate::rig::manifests::{folder_of, nodes};
use crate::rig::site::Site;
use flood::Flood;
use home::{Home, Tenant};

pub(crate) mod flood;
pub(crate) mod home;

pub(crate) const RED: Tenant = Tenant {
    name: "red",
    pods: &[("red/r1", "node-1"), ("red/r2", "node-1"), ("red/r3", "node-2"), ("red/r4", "node-2")],
};
/// The last two have addresses that no other pod has that stays.
pub(crate) const BLUE: Tenant = Tenant {
    name: "blue",
    pods: &[
        ("blue/b1", "node-1"),
        ("blue/b2", "node-2"),
        ("blue/b3", "node-1"),
        ("blue/b4", "node-2"),
        ("blue/b5", "node-1"),
        ("blue/b6", "node-2"),
    ],
};
/// The tenant that is changed: more of its pods come and go.
pub(crate) const GREEN: Tenant = Tenant {
    name: "green",
    pods: &[("green/g1", "node-1"), ("green/g2", "node-2"), ("green/g3", "node-1")],
};
pub(crate) const TENANTS: [Tenant; 3] = [RED, BLUE, GREEN];
const MORE_GREENS: Tenant =
    Tenant { name: "green", pods: &[("green/g4", "node-1"), ("green/g5", "node-2")] };
/// A tenant that comes and goes as a whole.
pub(crate) const YELLOW: Tenant =
    Tenant { name: "yellow", pods: &[("yellow/y1", "node-1"), ("yellow/y2", "node-2")] };

// proves: X-14 half: the tenants that flood and listen are not changed
pub(crate) async fn a_tenant_hears_nothing_of_another(site: &Site) {
    let text = TENANTS.iter().fold(nodes(2), |text, it| text + &it.network() + &it.pods());
    let coming = MORE_GREENS.pods() + &YELLOW.network() + &YELLOW.pods();
    let (usual, more) = (folder_of(&text), folder_of(&(text.clone() + &coming)));
    let mut stand = Stand::new(site, usual.path()).await;
    let homes = TENANTS.map(|tenant| Arc::new(Home::new(&stand, tenant)));
    homes.iter().for_each(|home| home.everybody_hears(&stand, "before"));
    for senders in [["red/r1", "blue/b1", "green/g1"], ["red/r3", "blue/b2", "green/g2"]] {
        let is_over = Arc::new(AtomicBool::new(false));
        let floods = senders.iter().zip(&homes).map(|(pod, home)| {
            let (flood, home) = (Flood::new(&stand, pod, home.tenant), Arc::clone(home));
            let is_over = Arc::clone(&is_over);
            tokio::task::spawn_blocking(move || flood.run(&home, &is_over))
        });
        let floods: Vec<_> = floods.collect();
        stand.apply(more.path()).await;
        for tenant in [MORE_GREENS, YELLOW] {
            let guests = Home::new(&stand, tenant);
            guests.everybody_hears(&stand, "meanwhile");
            guests.heard_no_others();
        }
        stand.apply(usual.path()).await;
        is_over.store(true, Ordering::Release);
        for (pod, flood) in senders.iter().zip(floods) {
            println!("{pod}: {:?}", flood.await.expect("the flood does not panic"));
        }
    }
    for home in &homes {
        home.everybody_hears(&stand, "after");
        home.heard_no_others();
    }
}

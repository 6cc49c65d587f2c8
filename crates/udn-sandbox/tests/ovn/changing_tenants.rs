//! Tenants with the same subnet that flood and listen while they themselves are changed: their pods,
//! their namespaces, their nodes, their networks, and OVN's rows. Nobody ever hears another tenant.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::task::{JoinHandle, spawn_blocking};
use udn_lab::node::Node;
use udn_lab::wait::wait_for;

use crate::isolation::flood::{Flood, Poured};
use crate::isolation::home::{Home, Tenant};
use crate::isolation::{BLUE, RED, TENANTS};
use crate::rig::manifests::{folder_of, namespace_of, nodes};
use crate::rig::site::Site;
use crate::rig::{LIMIT, Print, Stand, told};

/// Who floods, of each tenant; they do not listen.
const SENDERS: [&str; 3] = ["red/r1", "blue/b2", "green/g1"];
/// Pods that come to each tenant, on a node of their own.
const NEWCOMERS: [Tenant; 3] = [
    Tenant { name: "red", pods: &[("red/r9", "node-3")] },
    Tenant { name: "blue", pods: &[("blue/b9", "node-3")] },
    Tenant { name: "green", pods: &[("green/g9", "node-3")] },
];
/// The same namespace with one tenant and then with another.
const FIRST_GUEST: Tenant = Tenant { name: "red", pods: &[("swing/first", "node-2")] };
const SECOND_GUEST: Tenant = Tenant { name: "blue", pods: &[("swing/second", "node-1")] };
/// A tenant that takes the place of one that goes.
const VIOLET: Tenant =
    Tenant { name: "violet", pods: &[("violet/v1", "node-1"), ("violet/v2", "node-2")] };

/// What damages rows: a switch, a router, the addresses of a pod, and its guard.
const DAMAGES: [&[&str]; 4] = [
    &["--if-exists", "ls-del", "cluster_udn_green_ovn_layer2_switch"],
    &["--if-exists", "lr-del", "cluster_udn_red_transit_router"],
    &["lsp-set-addresses", "blue.blue_blue_b3", "unknown"],
    &["lsp-set-port-security", "blue.blue_blue_b3"],
];

// proves: X-14
pub(crate) async fn hear_nothing_of_another(site: &Site) {
    let mut stand = Stand::new(site, folder_of(&all_but(None)).path()).await;
    let mut homes = TENANTS.map(|tenant| home(&stand, tenant));
    everybody_hears_its_own(&stand, &homes, "before");

    let flood = Floods::begin(&stand);
    change_pods_and_namespaces(&mut stand, &mut homes).await;
    change_nodes(&mut stand, &mut homes).await;
    damage_rows(&stand, &mut homes);
    restart_controllers(&mut stand, &mut homes).await;
    let poured = flood.end().await;
    assert!(poured.iter().all(|it| !it.is_cut && it.rounds > 100), "{poured:?}");

    for (position, tenant) in [RED, BLUE].into_iter().enumerate() {
        let flood = Floods::begin(&stand);
        replace(&mut stand, &mut homes, position, tenant).await;
        let poured = flood.end().await;
        for (other, poured) in poured.iter().enumerate() {
            assert_eq!(poured.is_cut, other == position, "{poured:?}");
        }
    }
    everybody_hears_its_own(&stand, &homes, "after");
    homes.iter().for_each(Home::heard_no_others);
}

/// The tenants with their pods, on two nodes.
fn all_but(gone: Option<Tenant>) -> String {
    let stay = TENANTS.iter().filter(|it| gone.is_none_or(|gone| gone.name != it.name));
    stay.fold(nodes(2), |text, it| text + &it.network() + &it.pods())
}

/// A namespace that belongs to nobody, or to a tenant.
fn swing(tenant: &str) -> String {
    namespace_of(tenant, "swing", true)
}

/// Those of a tenant who listen.
fn home(stand: &Stand, tenant: Tenant) -> Home {
    Home::without(stand, tenant, &SENDERS)
}

/// Listens anew, and then sees what was heard so far: nothing passes in between.
fn renew(stand: &Stand, homes: &mut [Home]) {
    for home in homes {
        let next = self::home(stand, home.tenant);
        let before = std::mem::replace(home, next);
        before.heard_no_others();
    }
}

fn everybody_hears_its_own(stand: &Stand, homes: &[Home], when: &str) {
    homes.iter().for_each(|home| home.everybody_hears(stand, when));
}

/// Applies manifests; all tenants hear themselves then, guests hear theirs, and no other.
async fn step(stand: &mut Stand, homes: &mut [Home], text: &str, guests: &[Tenant]) {
    stand.apply(folder_of(text).path()).await;
    let guests: Vec<Home> = guests.iter().map(|guest| Home::new(stand, *guest)).collect();
    everybody_hears_its_own(stand, homes, "meanwhile");
    for guest in guests {
        guest.everybody_hears_the_flood();
        guest.heard_no_others();
    }
    renew(stand, homes);
}

/// Pods come and go, and a namespace leaves one tenant and joins another; at last the namespace of a
/// tenant's pods says that it is another one's, and recants.
async fn change_pods_and_namespaces(stand: &mut Stand, homes: &mut [Home; 3]) {
    let usual = all_but(None);
    let guest = |it: Tenant| usual.clone() + &swing(it.name) + &it.pods();
    step(stand, homes, &guest(FIRST_GUEST), &[FIRST_GUEST]).await;
    step(stand, homes, &(usual.clone() + &swing("nobody")), &[]).await;
    step(stand, homes, &guest(SECOND_GUEST), &[SECOND_GUEST]).await;
    let red = namespace_of("red", "red", true);
    assert!(usual.contains(&red), "the manifests have the namespace");
    let swapped = usual.replace(&red, &namespace_of("blue", "red", true));
    let swapped = stand.sandbox.apply(folder_of(&swapped).path(), &mut Print).await;
    let swapped = swapped.expect("the manifests are applied");
    assert!(!swapped.warnings.is_empty(), "two primary networks are for one namespace");
    step(stand, homes, &usual, &[]).await;
}

/// A node comes, with pods of all tenants, and goes with them.
async fn change_nodes(stand: &mut Stand, homes: &mut [Home; 3]) {
    let usual = all_but(None);
    let wider =
        NEWCOMERS.iter().fold(usual.replace(&nodes(2), &nodes(3)), |all, it| all + &it.pods());
    step(stand, homes, &wider, &NEWCOMERS).await;
    step(stand, homes, &usual, &[]).await;
}

/// Somebody else takes rows away and changes others, on one node after the other.
fn damage_rows(stand: &Stand, homes: &mut [Home; 3]) {
    for name in stand.nodes() {
        let node = stand.node(&name);
        let before = rows(node);
        let steps = DAMAGES.join(&"--");
        told(node.nbctl(), &steps);
        let repaired = wait_for(&format!("{name} to be repaired"), LIMIT, || {
            (rows(node) == before).then_some(())
        });
        repaired.unwrap_or_else(|late| panic!("{late}: {before:#?} is {:#?}", rows(node)));
        told(node.nbctl(), &["--wait=hv", "sync"]);
        everybody_hears_its_own(stand, homes, &format!("repaired {name}"));
    }
    renew(stand, homes);
}

/// The switches, routers and ports of a node, with what is damaged of them.
fn rows(node: &Node) -> Vec<String> {
    let list = |table: &str, columns: &str| {
        let columns = format!("--columns={columns}");
        let text = told(node.nbctl(), &["--format=csv", "--no-headings", &columns, "list", table]);
        text.lines().map(|line| format!("{table} {line}")).collect::<Vec<_>>()
    };
    let mut rows = list("Logical_Switch_Port", "name,addresses,port_security,options");
    rows.extend(list("Logical_Switch", "name,other_config"));
    // Of the lists the length tells enough; what is inserted anew has another number.
    rows.extend(list("Logical_Switch", "name,ports").iter().map(|it| length(it)));
    rows.extend(list("Logical_Router", "name,ports").iter().map(|it| length(it)));
    rows.extend(list("Logical_Router", "name,options"));
    rows.extend(list("Logical_Router_Port", "name,networks"));
    rows.sort_unstable();
    rows
}

/// A row that ends with a list, with the list's length instead.
fn length(row: &str) -> String {
    let (name, members) = row.split_once(',').expect("two columns");
    format!("{name} has {}", members.split(',').count())
}

/// All zone controllers die and start anew, while pods come and after they went.
async fn restart_controllers(stand: &mut Stand, homes: &mut [Home; 3]) {
    let usual = all_but(None);
    stand.sandbox.end_agents();
    let wider = usual.clone() + &swing(FIRST_GUEST.name) + &FIRST_GUEST.pods();
    step(stand, homes, &wider, &[FIRST_GUEST]).await;
    stand.sandbox.end_agents();
    step(stand, homes, &usual, &[]).await;
}

/// A tenant goes as a whole while another one comes to its place, and comes back in the same way.
async fn replace(stand: &mut Stand, homes: &mut [Home; 3], position: usize, tenant: Tenant) {
    let without = all_but(Some(tenant)) + &VIOLET.network() + &VIOLET.pods();
    homes[position].heard_no_others();
    // A capture does not outlive its link.
    homes[position].leave();
    step(stand, &mut [], &without, &[]).await;
    let mut violet = Home::new(stand, VIOLET);
    let others = || homes.iter().enumerate().filter(|(other, _)| *other != position);
    others().for_each(|(_, home)| home.everybody_hears(stand, "without"));
    violet.everybody_hears(stand, "instead");
    violet.heard_no_others();
    violet.leave();
    step(stand, &mut [], &all_but(None), &[]).await;
    homes[position] = home(stand, tenant);
    everybody_hears_its_own(stand, homes, "again");
    renew(stand, homes);
}

/// A flood from each tenant.
struct Floods {
    is_over: Arc<AtomicBool>,
    floods: Vec<JoinHandle<Poured>>,
}

impl Floods {
    fn begin(stand: &Stand) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let floods = SENDERS.into_iter().zip(TENANTS).map(|(pod, tenant)| {
            let (flood, is_over) = (Flood::new(stand, pod, tenant), Arc::clone(&is_over));
            spawn_blocking(move || flood.pour(&is_over))
        });
        Self { floods: floods.collect(), is_over }
    }

    /// Ends them; returns what came of each.
    async fn end(mut self) -> Vec<Poured> {
        self.is_over.store(true, Ordering::Release);
        let mut poured = Vec::new();
        for flood in self.floods.drain(..) {
            poured.push(flood.await.unwrap_or_else(|error| resume_unwind(error.into_panic())));
        }
        println!("{poured:?}");
        poured
    }
}

impl Drop for Floods {
    fn drop(&mut self) {
        // A test that failed must not wait for them for ever.
        self.is_over.store(true, Ordering::Release);
    }
}

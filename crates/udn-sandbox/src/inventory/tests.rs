//! Which pod is meant, and at which addresses another can ping it.

use udn_model::Family;

use super::*;

fn inventory() -> Inventory {
    let on = |network: &str, addresses: &[&str]| PodAttachment {
        network: network.to_owned(),
        addresses: addresses.iter().map(|it| it.parse().expect("an address")).collect(),
    };
    let attachments = [
        ("red/a", vec![on("cluster_udn_red", &["10.0.0.2", "fd00::2"])]),
        ("red/b", vec![on("cluster_udn_red", &["10.0.0.3", "fd00::3"]), on("red_own", &[])]),
        ("red/c", vec![on("red_own", &[]), on("cluster_udn_red", &["10.0.0.4"])]),
        ("blue/a", vec![on("cluster_udn_blue", &["10.0.0.2"])]),
        ("blue/d", vec![]),
    ];
    let attachments: BTreeMap<String, Vec<PodAttachment>> =
        attachments.into_iter().map(|(pod, of)| (pod.to_owned(), of)).collect();
    let pods = attachments.keys().map(|pod| (pod.clone(), PathBuf::from(pod))).collect();
    Inventory { pods, attachments, ..Inventory::default() }
}

fn check((from, to): (&str, &str), choice: Choice<'_>, want: Result<&[&str], &str>) {
    let shared = inventory().shared(from, to, choice).map_err(|error| error.to_string());
    let shared = shared.map(|it| it.iter().map(|at| at.address.to_string()).collect::<Vec<_>>());
    let want = want.map(|it| it.iter().map(|at| (*at).to_owned()).collect());
    assert_eq!(shared, want.map_err(str::to_owned), "{from} to {to}");
}

#[test]
fn both_families_of_every_shared_network_are_meant() {
    let all = Choice::default();
    check(("red/a", "red/b"), all, Ok(&["10.0.0.3", "fd00::3"]));
    check(("red/b", "red/c"), all, Ok(&["10.0.0.4"]));
    let of = |family| Choice { family: Some(family), ..all };
    check(("red/a", "red/b"), of(Family::V4), Ok(&["10.0.0.3"]));
    check(("red/a", "red/b"), of(Family::V6), Ok(&["fd00::3"]));
    let without = Err("red/c has no IPv6 address on cluster_udn_red");
    check(("red/a", "red/c"), of(Family::V6), without);
}

#[test]
fn a_network_is_called_by_its_name_or_its_manifest() {
    let on = |network| Choice { network: Some(network), ..Choice::default() };
    for name in ["red", "cluster_udn_red"] {
        check(("red/b", "red/c"), on(name), Ok(&["10.0.0.4"]));
    }
    for name in ["red/own", "red_own"] {
        check(("red/b", "red/c"), on(name), Err("red/c has no address on red_own"));
    }
    let other = "red/a and red/b do not share own; they share cluster_udn_red";
    check(("red/a", "red/b"), on("own"), Err(other));
}

#[test]
fn pods_of_different_networks_share_none() {
    let all = Choice::default();
    let blue = "red/a and blue/a share no network: red/a is on cluster_udn_red, \
                blue/a on cluster_udn_blue";
    check(("red/a", "blue/a"), all, Err(blue));
    let none = "red/a and blue/d share no network: red/a is on cluster_udn_red, blue/d on none";
    check(("red/a", "blue/d"), all, Err(none));
}

#[test]
fn a_name_that_several_pods_have_is_not_guessed() {
    let inventory = inventory();
    let name = |wanted: &str| match inventory.pod(wanted) {
        Ok((name, _)) => name.to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(name("b"), "red/b");
    assert_eq!(name("blue/a"), "blue/a");
    assert_eq!(name("a"), "several pods are called a: blue/a, red/a; name the namespace too");
    assert!(name("x").starts_with("there is no pod x; the sandbox runs blue/a, "));
}

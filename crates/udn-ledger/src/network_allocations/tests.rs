use udn_model::network::Origin;
use udn_model::{NetworkName, NodeName, Role, Subnet, Subnets};

use super::*;

fn attachment(pod: &str) -> Attachment {
    let object = |name: &str| ObjectName::new("ns", name);
    let key = AttachmentKey { pod: object(pod), nad: object("red"), index: 0 };
    Attachment::new(key, NetworkName::new("red"), NodeName::new("node"), format!("uid of {pod}"))
}

#[test]
fn pods_whose_names_have_the_same_number_stay_apart() {
    let subnets = vec![Subnet::parse("10.0.0.0/24").expect("well formed")];
    let network = Arc::new(Network {
        name: NetworkName::new("red"),
        origin: Origin::Nads,
        topology: Topology::Layer2(Role::Secondary),
        subnets: Subnets::new(subnets).expect("one of a family"),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: true,
        nads: Vec::new(),
    });
    let mut allocations = NetworkAllocations::new(&network, &ClusterSettings::default());
    let [one, other] = ["one", "other"].map(attachment);
    let slots = [&one, &other].map(|it| allocations.grant(it).expect("there is room"));
    // As if the number of its name were that of the first.
    allocations.pods.insert(&one.key.pod, slots[1]);
    assert_eq!(allocations.slot_of(&one.key), Some(slots[0]));
    allocations.release_pod(&one.key.pod);
    assert_eq!(
        (allocations.slot_of(&one.key), allocations.slot_of(&other.key)),
        (None, Some(slots[1]))
    );
}

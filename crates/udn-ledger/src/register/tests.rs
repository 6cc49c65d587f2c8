//! Numbers one by one, by example.

use udn_model::network::{Localnet, Origin, Primary};
use udn_model::{
    ClusterSettings, Intent, Manifest, Network, NetworkGrant, NetworkId, NetworkName, NodeId,
    NodeName, ObjectName, PerFamily, Published, PublishedNetwork, Role, Subnet, Subnets, Told,
    Topology, TunnelKey,
};

use super::{settle_network, settle_node};
use crate::ledger::Ledger;

/// A controller with one ledger.
struct Rig {
    intent: Intent,
    ledger: Ledger,
    settings: ClusterSettings,
}

impl Rig {
    fn new(limit: impl FnOnce(&mut ClusterSettings)) -> Self {
        let mut settings = ClusterSettings::default();
        limit(&mut settings);
        let ledger = Ledger::new(&settings);
        Self { intent: Intent::default(), ledger, settings }
    }

    fn told(&mut self, network: Network) -> Told<Option<NetworkGrant>> {
        let name = network.name.clone();
        self.intent.networks.insert(name.clone(), network.into());
        settle_network(&self.intent, &name, &mut self.ledger, &self.settings)
    }

    fn granted(&mut self, network: Network) -> NetworkGrant {
        let told = self.told(network);
        assert_eq!(told.findings, []);
        told.value.expect("a grant")
    }

    fn refused(&mut self, network: Network) -> Vec<String> {
        let told = self.told(network);
        assert_eq!(told.value, None);
        told.findings.iter().map(ToString::to_string).collect()
    }

    fn id(&mut self, network: Network) -> u16 {
        self.granted(network).id.get()
    }

    fn carry(&mut self, name: &str, id: Option<u16>, keys: &[u32]) {
        let tunnel_keys = keys.iter().map(|key| TunnelKey::new(*key).unwrap()).collect();
        let network = PublishedNetwork {
            id: id.and_then(NetworkId::new),
            tunnel_keys: Some(tunnel_keys).filter(|_| !keys.is_empty()),
            transit: PerFamily::default(),
        };
        self.intent.published.networks.insert(NetworkName::new(name), network);
    }

    fn restart(&mut self) {
        self.ledger = Ledger::rebuild(&self.intent.published, &self.settings);
    }
}

fn network(name: &str, topology: Topology, subnets: &[&str]) -> Network {
    let subnets = subnets.iter().map(|text| Subnet::parse(text).unwrap()).collect();
    Network {
        name: NetworkName::new(name),
        origin: Origin::Manifest(Manifest::Udn(ObjectName::new("ns", name))),
        topology,
        subnets: Subnets::new(subnets).unwrap(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: vec![ObjectName::new("ns", name)],
    }
}

fn localnet(name: &str) -> Network {
    let localnet = Localnet { physical_network: "physical".into(), vlan: None };
    network(name, Topology::Localnet(localnet), &[])
}

fn primary_on(name: &str, subnets: &[&str]) -> Network {
    let primary = Primary {
        join: ClusterSettings::default().join,
        chosen_gateways: PerFamily::default(),
        reserved: Vec::new(),
        infrastructure: Vec::new(),
    };
    network(name, Topology::Layer2(Role::Primary(primary)), subnets)
}

fn primary(name: &str) -> Network {
    primary_on(name, &["10.10.0.0/16"])
}

fn keys(grant: &NetworkGrant) -> Vec<u32> {
    grant.tunnel_keys.iter().map(|key| key.get()).collect()
}

fn transit(grant: &NetworkGrant) -> Vec<String> {
    grant.transit.iter().map(ToString::to_string).collect()
}

// proves: T-08
#[test]
fn the_first_key_goes_with_the_id_and_the_second_comes_from_the_free_range() {
    let mut rig = Rig::new(|_| {});
    assert_eq!(rig.granted(localnet("a")).tunnel_keys, []);
    assert_eq!(keys(&rig.granted(primary("b"))), [16_711_683 + 2, 16_715_779]);
    assert_eq!(keys(&rig.granted(primary("c"))), [16_711_683 + 3, 16_715_780]);
}

#[test]
fn a_known_network_keeps_its_numbers_whatever_its_annotations_say() {
    let mut rig = Rig::new(|_| {});
    let red = rig.granted(primary("red"));
    rig.granted(primary("blue"));
    rig.carry("red", Some(2), &[16_711_685, 16_715_780]);
    assert_eq!(rig.granted(primary("red")), red, "numbers of another");
    rig.carry("red", Some(9), &[16_711_692, 16_715_800]);
    assert_eq!(rig.granted(primary("red")), red, "free numbers");
}

#[test]
fn an_unknown_network_gets_what_it_carries() {
    let mut rig = Rig::new(|_| {});
    rig.carry("red", Some(7), &[16_711_690, 16_715_800]);
    let red = rig.granted(primary("red"));
    assert_eq!((red.id.get(), keys(&red)), (7, vec![16_711_690, 16_715_800]));
    rig.carry("blue", Some(8), &[]);
    let blue = rig.granted(primary("blue"));
    assert_eq!((blue.id.get(), keys(&blue)), (8, vec![16_711_691, 16_715_779]), "what it lacks");
}

#[test]
fn a_number_of_another_is_told_and_nothing_is_granted() {
    let mut rig = Rig::new(|_| {});
    rig.granted(primary("blue"));
    rig.carry("red", Some(1), &[16_711_684, 16_715_779]);
    let remedy = "held by blue; remove it there so that a free one is granted";
    let told = |what| {
        format!(
            "network red: AlreadyTaken: {what} in the annotations of the network's NADs is {remedy}"
        )
    };
    let want = ["network id 1", "tunnel key 16711684", "tunnel key 16715779"].map(told);
    assert_eq!(rig.refused(primary("red")), want);
    rig.carry("red", None, &[]);
    assert_eq!(rig.id(primary("red")), 2, "the remedy helps");
}

// proves: T-09
#[test]
fn the_end_of_the_ids_names_the_limit() {
    let mut rig = Rig::new(|it| it.pools.last_network = 2);
    rig.granted(localnet("a"));
    rig.granted(primary("b"));
    assert_eq!(
        rig.refused(localnet("c")),
        [
            "network c: PoolExhausted: all 2 network ids that --max-networks allows are in use; delete \
          networks that are not needed, or raise it, to at most 4095"
        ]
    );
    rig.ledger.release_network(&NetworkName::new("a"));
    assert_eq!(rig.id(localnet("c")), 1);
}

// proves: T-09
#[test]
fn the_end_of_the_keys_names_the_limit_and_takes_no_id() {
    let mut rig = Rig::new(|it| {
        it.pools.last_network = 2;
        it.pools.last_tunnel_key = 16_715_779;
    });
    rig.granted(primary("a"));
    assert_eq!(
        rig.refused(primary("b")),
        [
            "network b: PoolExhausted: all 1 tunnel keys that --max-tunnel-key allows, from 16715779 to \
          16715779, are in use; delete primary networks that are not needed, or raise it, to at most \
          16777215"
        ]
    );
    assert_eq!(rig.id(localnet("c")), 2, "the id that b had for a moment");
}

#[test]
fn a_lowered_limit_changes_nothing_for_who_lives_beyond_it() {
    let mut rig = Rig::new(|_| {});
    rig.carry("red", Some(7), &[16_711_690, 16_715_800]);
    rig.settings.pools.last_network = 2;
    rig.settings.pools.last_tunnel_key = 16_715_779;
    rig.restart();
    assert_eq!(rig.id(primary("red")), 7);
    assert_eq!(rig.id(primary("blue")), 1);
}

#[test]
fn numbers_that_were_given_back_rest() {
    let mut rig = Rig::new(|it| it.pools.last_network = 3);
    assert_eq!(rig.id(localnet("a")), 1);
    rig.ledger.release_network(&NetworkName::new("a"));
    assert_eq!(["b", "c", "d"].map(|name| rig.id(localnet(name))), [2, 3, 1]);
}

#[test]
fn a_network_in_disorder_keeps_its_numbers_through_a_restart() {
    let mut rig = Rig::new(|_| {});
    rig.carry("broken", Some(1), &[16_711_684, 16_715_779]);
    rig.restart();
    let red = rig.granted(primary("red"));
    assert_eq!((red.id.get(), keys(&red)), (2, vec![16_711_685, 16_715_780]));
}

#[test]
fn of_two_with_one_number_the_first_keeps_it_through_a_restart() {
    let mut rig = Rig::new(|_| {});
    rig.carry("blue", Some(1), &[]);
    rig.carry("red", Some(1), &[16_711_684, 16_715_790]);
    rig.restart();
    assert_eq!(rig.id(primary("blue")), 1);
    assert_eq!(rig.refused(primary("red")).len(), 2, "its id and the key that goes with it");
    rig.carry("red", None, &[]);
    let red = rig.granted(primary("red"));
    assert_eq!((red.id.get(), keys(&red)[1]), (2, 16_715_790), "its second key was its own");
}

#[test]
fn an_id_that_was_lost_follows_from_the_key_unless_another_carries_it() {
    let mut rig = Rig::new(|_| {});
    rig.carry("red", None, &[16_711_690, 16_715_779]);
    rig.restart();
    assert_eq!(rig.id(primary("red")), 7);
    rig.carry("zed", Some(7), &[]);
    rig.restart();
    assert_eq!(rig.id(primary("zed")), 7, "though red is first by name");
    assert_eq!(rig.refused(primary("red")).len(), 2);
}

#[test]
fn a_key_that_does_not_go_with_its_id_is_nobody_elses() {
    let mut rig = Rig::new(|_| {});
    rig.carry("red", Some(9), &[16_711_684, 16_715_779]);
    rig.restart();
    let red = rig.granted(primary("red"));
    assert_eq!((red.id.get(), keys(&red)), (9, vec![16_711_684, 16_715_779]), "it lives with it");
    assert_eq!(rig.id(localnet("blue")), 2, "not 1, whose key red has");
    rig.carry("green", Some(1), &[]);
    assert_eq!(
        rig.refused(primary("green")),
        [
            "network green: AlreadyTaken: tunnel key 16711684, which goes with network id 1, is held by \
          red; remove it from the annotations of that network's NADs so that it gets its own"
        ]
    );
    rig.carry("white", Some(1), &[]);
    assert_eq!(rig.refused(localnet("white")).len(), 1, "else red would lose its key at a restart");
}

// proves: T-18
#[test]
fn a_transit_subnet_keeps_clear_of_the_network_and_stays() {
    let mut rig = Rig::new(|_| {});
    let red = rig.granted(primary_on("red", &["100.88.0.0/15"]));
    assert_eq!(transit(&red), ["100.90.0.0/16"]);
    rig.settings.transit.v4 = Some(Subnet::parse("100.99.0.0/16").unwrap());
    let again = rig.granted(primary_on("red", &["100.88.0.0/15"]));
    assert_eq!(transit(&again), ["100.90.0.0/16"], "whatever the settings say later");
    let blue = rig.granted(primary("blue"));
    assert_eq!(transit(&blue), ["100.99.0.0/16"]);
}

#[test]
fn the_transit_subnet_of_an_earlier_network_of_the_name_is_not_kept() {
    let mut rig = Rig::new(|_| {});
    assert_eq!(transit(&rig.granted(primary("red"))), ["100.88.0.0/16"]);
    assert_eq!(transit(&rig.granted(primary_on("red", &["100.88.0.0/16"]))), ["100.89.0.0/16"]);
}

#[test]
fn a_network_that_was_released_chooses_anew() {
    let mut rig = Rig::new(|_| {});
    rig.granted(primary("red"));
    rig.ledger.release_network(&NetworkName::new("red"));
    rig.settings.transit.v4 = Some(Subnet::parse("100.99.0.0/16").unwrap());
    let red = rig.granted(primary("red"));
    assert_eq!((red.id.get(), keys(&red)), (2, vec![16_711_685, 16_715_780]));
    assert_eq!(transit(&red), ["100.99.0.0/16"]);
}

#[test]
fn what_a_written_nad_says_of_the_transit_subnet_holds() {
    let mut rig = Rig::new(|_| {});
    let mut red = primary("red");
    red.origin = Origin::Nads;
    for text in ["100.70.0.0/16", "100.71.0.0/16"] {
        let transit_subnet = Subnet::parse(text).unwrap();
        let told = PublishedNetwork {
            transit: PerFamily { v4: Some(transit_subnet), v6: None },
            ..PublishedNetwork::default()
        };
        rig.intent.published.networks.insert(red.name.clone(), told);
        assert_eq!(transit(&rig.granted(red.clone())), [text]);
    }
}

#[test]
fn without_a_transit_subnet_nothing_is_held() {
    let mut rig = Rig::new(|it| it.transit.v4 = Some(Subnet::parse("255.0.0.0/8").unwrap()));
    assert_eq!(rig.refused(primary_on("red", &["254.0.0.0/7"])).len(), 1);
    assert!(rig.ledger.network_holders().is_empty(), "{:?}", rig.ledger.network_holders());
}

#[test]
fn a_network_that_became_secondary_gives_its_keys_back() {
    let mut rig = Rig::new(|it| it.pools.last_tunnel_key = 16_715_779);
    rig.granted(primary("red"));
    assert_eq!(rig.granted(localnet("red")).tunnel_keys, []);
    rig.granted(primary("blue"));
}

#[test]
fn nodes_keep_what_they_have() {
    let mut ledger = Ledger::new(&Rig::new(|_| {}).settings);
    let mut settle = |name, carried: Option<u16>| {
        let told = settle_node(&NodeName::new(name), carried.and_then(NodeId::new), &mut ledger);
        let findings: Vec<String> = told.findings.iter().map(ToString::to_string).collect();
        (told.value.map(NodeId::get), findings.concat())
    };
    assert_eq!(settle("a", None), (Some(2), String::new()));
    assert_eq!(settle("a", Some(9)), (Some(2), String::new()), "whatever it carries now");
    assert_eq!(settle("b", Some(3)), (Some(3), String::new()));
    let taken = "node c: AlreadyTaken: node id 3 in the node's annotation is held by b; remove it \
                 there so that a free one is granted";
    assert_eq!(settle("c", Some(3)), (None, taken.to_owned()));
    assert_eq!(settle("c", None), (Some(4), String::new()));
}

#[test]
fn node_ids_run_out_and_come_back() {
    let mut settings = ClusterSettings::default();
    settings.pools.last_node = 2;
    let mut ledger = Ledger::rebuild(&Published::default(), &settings);
    let [a, b] = ["a", "b"].map(NodeName::new);
    assert!(settle_node(&a, None, &mut ledger).value.is_some());
    let told = settle_node(&b, None, &mut ledger);
    assert_eq!(
        told.findings[0].to_string(),
        "node b: PoolExhausted: all node ids up to 2, which --max-nodes allows, are in use; remove \
         nodes that no longer exist"
    );
    ledger.release_node(&a);
    assert!(settle_node(&b, None, &mut ledger).value.is_some());
}

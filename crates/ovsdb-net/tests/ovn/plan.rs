//! Plans committed to a real northbound database: it accepts them, and then stands as drawn.

use std::collections::{BTreeMap, BTreeSet};

use ovn::audit::audit;
use ovn::northbound::{
    Acl, AclAction, AclDirection, Copp, DATABASE, GatewayChassis, LoadBalancerGroup, LogicalRouter,
    LogicalRouterPolicy, LogicalRouterPolicyAction, LogicalRouterPort, LogicalRouterStaticRoute,
    LogicalSwitch, LogicalSwitchPort, Meter, MeterBand, MeterBandAction, MeterUnit, Nat, NatType,
    PortGroup, StaticMacBinding,
};
use ovn::{Owner, Plan, Rules, Sheet, compare};
use ovsdb::cache::{RowView, Table};
use ovsdb::session::{Outcome, SessionSettings};
use ovsdb_net::{Client, ClientSettings};
use udn_lab::ovn_root::{Database, OvnRoot};
use udn_lab::ovsdb_server::OvsdbServer;

/// Rows show their network in `external_ids`, or by the name's first word.
fn owner(row: RowView<'_>) -> Option<Owner> {
    let named = ["name", "logical_port"].iter().find_map(|column| row.text(column));
    let network = row.entry("external_ids", "network");
    network.or_else(|| named?.split_once('.').map(|(network, _)| network)).map(Owner::new)
}

fn rules() -> Rules {
    Rules::new(&DATABASE, owner)
}

fn entries(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn texts(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A network with a switch, a router, and one row of most tables below them.
fn network(name: &str, pods: u8) -> Sheet {
    let mut sheet = Sheet::new(Owner::new(name));
    let mark = |extra: &[(&str, &str)]| {
        let mut ids = entries(extra);
        ids.insert("network".to_owned(), name.to_owned());
        ids
    };
    let named = |rest: &str| format!("{name}.{rest}");
    let balancers = LoadBalancerGroup { name: named("balancers"), ..Default::default() };
    let balancers = sheet.draw(&balancers);
    let switch = sheet.draw(&LogicalSwitch {
        name: named("switch"),
        other_config: entries(&[("subnet", "10.0.0.0/16"), ("ipv6_prefix", "fd00::")]),
        load_balancer_group: [balancers.clone()].into_iter().collect(),
        ..LogicalSwitch::default()
    });
    let isolated = PortGroup {
        name: named("isolated").replace('.', "_"),
        external_ids: mark(&[]),
        ..Default::default()
    };
    let isolated = sheet.draw(&isolated);
    for pod in 0..pods {
        let address =
            format!("0a:58:0a:00:00:{:02x} 10.0.0.{} fd00::{:x}", pod + 10, pod + 10, pod + 10);
        let port = LogicalSwitchPort {
            name: named(&format!("pod{pod}")),
            addresses: texts(&[&address]),
            port_security: texts(&[&address]),
            ..LogicalSwitchPort::default()
        };
        let port = sheet.draw_under(&port, &switch, LogicalSwitch::PORTS);
        sheet.join(&port, &isolated, PortGroup::PORTS);
    }
    let acl = Acl {
        action: Some(AclAction::AllowRelated),
        direction: Some(AclDirection::ToLport),
        priority: 1001,
        r#match: "ip4.src == 10.0.0.2".to_owned(),
        external_ids: mark(&[("k8s.ovn.org/id", &format!("{name}:acl"))]),
        ..Acl::default()
    };
    sheet.draw_under(&acl, &isolated, PortGroup::ACLS);
    draw_router(&mut sheet, &named, &mark);
    sheet
}

/// Makes `external_ids` that show the network.
type Mark<'a> = dyn Fn(&[(&str, &str)]) -> BTreeMap<String, String> + 'a;

fn draw_router(sheet: &mut Sheet, named: &dyn Fn(&str) -> String, mark: &Mark<'_>) {
    let copp = sheet.draw(&Copp {
        name: named("copp"),
        meters: entries(&[("arp", "m")]),
        ..Default::default()
    });
    let router = LogicalRouter { name: named("router"), copp: copp.into(), ..Default::default() };
    let router = sheet.draw(&router);
    let gateway = LogicalRouterPort {
        name: named("gateway"),
        mac: "0a:58:0a:00:00:01".to_owned(),
        networks: texts(&["10.0.0.1/16", "fd00::1/64"]),
        ..LogicalRouterPort::default()
    };
    let gateway = sheet.draw_under(&gateway, &router, LogicalRouter::PORTS);
    let chassis = GatewayChassis {
        name: named("gateway-c1"),
        chassis_name: "c1".to_owned(),
        priority: 1,
        ..Default::default()
    };
    sheet.draw_under(&chassis, &gateway, LogicalRouterPort::GATEWAY_CHASSIS);
    let route = LogicalRouterStaticRoute {
        ip_prefix: "0.0.0.0/0".to_owned(),
        nexthop: "172.18.0.1".to_owned(),
        external_ids: mark(&[]),
        ..LogicalRouterStaticRoute::default()
    };
    sheet.draw_under(&route, &router, LogicalRouter::STATIC_ROUTES);
    let nat = Nat {
        r#type: Some(NatType::Snat),
        external_ip: "169.254.0.11".to_owned(),
        logical_ip: "10.0.0.0/16".to_owned(),
        external_ids: mark(&[]),
        ..Nat::default()
    };
    sheet.draw_under(&nat, &router, LogicalRouter::NAT);
    let policy = LogicalRouterPolicy {
        priority: 1004,
        r#match: "ip4.dst == 172.18.0.3".to_owned(),
        action: Some(LogicalRouterPolicyAction::Reroute),
        nexthops: texts(&["10.0.0.2"]),
        external_ids: mark(&[]),
        ..LogicalRouterPolicy::default()
    };
    sheet.draw_under(&policy, &router, LogicalRouter::POLICIES);
    let meter = sheet.draw(&Meter {
        name: named("meter"),
        unit: Some(MeterUnit::Pktps),
        ..Default::default()
    });
    let band = MeterBand { action: Some(MeterBandAction::Drop), rate: 25, ..Default::default() };
    sheet.draw_under(&band, &meter, Meter::BANDS);
    sheet.draw(&StaticMacBinding {
        logical_port: named("gateway"),
        ip: "169.254.0.4".to_owned(),
        mac: "0a:58:a9:fe:00:04".to_owned(),
        override_dynamic_mac: true,
    });
}

async fn connect(server: &OvsdbServer) -> Client {
    let mut session = SessionSettings::new("OVN_Northbound");
    session.indexes = rules().indexes();
    let remote = server.remote().parse().expect("the rig's own address");
    let client = Client::connect(ClientSettings::new(vec![remote], session)).expect("settings");
    client.wait_synced().await.expect("the server answers");
    client
}

fn plan(client: &Client, sheet: &Sheet) -> Plan {
    client.with_cache(|rows| compare(sheet, rows, &rules())).expect("comparable")
}

async fn commit(client: &Client, plan: &Plan) {
    let outcome = client.transact(&plan.operations(&DATABASE)).await.expect("not too many");
    assert!(matches!(outcome, Outcome::Committed(_)), "{outcome:?}\n{plan}");
}

fn rows(client: &Client) -> usize {
    client.with_cache(|rows| rows.tables().map(Table::len).sum())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_database_stands_as_drawn() {
    let root = OvnRoot::find().expect("OVN is set up");
    let server = OvsdbServer::start(&root, Database::Northbound).expect("the server starts");
    let client = connect(&server).await;
    for sheet in [network("red", 3), network("blue", 2)] {
        commit(&client, &plan(&client, &sheet)).await;
        let again = plan(&client, &sheet);
        assert!(again.is_empty() && again.is_complete(), "{again}");
    }
    assert_eq!(client.with_cache(|rows| audit(rows, &rules(), None)), []);

    let fewer = network("red", 1);
    let change = plan(&client, &fewer);
    assert_eq!((change.inserts.len(), change.updates.len(), change.unlinks.len()), (0, 0, 4));
    commit(&client, &change).await;
    assert!(plan(&client, &fewer).is_empty());

    let blue = network("blue", 2);
    let kept = blue.len();
    commit(&client, &plan(&client, &Sheet::new(Owner::new("red")))).await;
    assert!(plan(&client, &blue).is_empty(), "the other network is untouched");
    assert_eq!(rows(&client), kept, "nothing of the removed network is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_was_overtaken_is_refused_whole() {
    let root = OvnRoot::find().expect("OVN is set up");
    let server = OvsdbServer::start(&root, Database::Northbound).expect("the server starts");
    let (one, other) = (connect(&server).await, connect(&server).await);
    let sheet = network("red", 2);
    let (first, second) = (plan(&one, &sheet), plan(&other, &sheet));
    commit(&one, &first).await;
    let standing = rows(&one);
    let refused = other.transact(&second.operations(&DATABASE)).await.expect("not too many");
    assert!(matches!(refused, Outcome::Failed { .. }), "{refused:?}");
    assert_eq!(rows(&one), standing);
}

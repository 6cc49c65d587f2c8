//! Random objects of a small universe, in which names, places and numbers meet often.

use proptest::prelude::*;
use serde_json::{Value, json};
use udn_wire::{Kind, keys};

pub(crate) use crate::objects::Draft;
use crate::objects::{layer3, localnet, nad, namespace, node, pod, primary, secondary, service};

const NAMESPACES: [&str; 3] = ["a", "b", "c"];
const DUAL: &str = "10.10.0.0/16,fd10::/64";

/// The networks that NADs lead to; two of them have the same name in OVN.
const NETWORKS: [&str; 7] = ["red", "blue", "x-y", "x.y", "flat", "wire", "deep"];

/// The ranges of `deep`, from which each node has subnets of its own.
const DEEP: &str = "10.77.0.0/16/24,fd77::/48/64";

pub(crate) fn draft() -> impl Strategy<Value = Draft> {
    prop_oneof![
        2 => some_namespace(),
        4 => some_node(),
        1 => sharing_node(),
        10 => some_nad(),
        1 => odd_nad(),
        9 => some_pod(),
        1 => some_service(),
    ]
}

/// A cluster to begin with: most of it is whole.
pub(crate) fn opening() -> impl Strategy<Value = Vec<Draft>> {
    let pods = prop::collection::vec(some_pod(), 0..6);
    let nads = prop::collection::vec(some_nad(), 0..4);
    (nads, pods).prop_map(|(nads, pods)| {
        let namespaces = NAMESPACES.map(|name| namespace(name, name != "c"));
        let nodes = [1, 2].map(|it| node(it).with_subnets(&subnets(it)));
        let standing = [
            nad("a/main", Some(1), primary("red", DUAL)),
            nad("b/main", Some(2), primary("blue", "10.10.0.0/16")),
            nad("c/more", Some(5), secondary("flat", DUAL)),
            nad("c/deep", Some(7), layer3("deep", "secondary", DEEP)),
        ];
        let whole = namespaces.into_iter().chain(nodes).chain(standing);
        whole.chain(nads).chain(pods).collect()
    })
}

fn mostly() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.9)
}

fn place() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMESPACES[..])
}

fn some_namespace() -> impl Strategy<Value = Draft> {
    (place(), prop::bool::weighted(0.8))
        .prop_map(|(name, is_labelled)| namespace(name, is_labelled))
}

/// A node that lacks something now and then, or says something odd.
fn some_node() -> impl Strategy<Value = Draft> {
    let lacks = prop::sample::select(vec![
        keys::NODE_ID,
        keys::NODE_CHASSIS,
        keys::NODE_GATEWAY,
        keys::NODE_HOST_CIDRS,
        keys::NODE_PRIMARY_ADDRESS,
        keys::NODE_LAYER2_VERSION,
        keys::NODE_SUBNETS,
    ]);
    let says = prop::sample::select(vec![
        (keys::NODE_ID, "2"),
        (keys::NODE_ID, "3"),
        (keys::NODE_CHASSIS, "chassis-2"),
        (keys::NODE_CHASSIS, "moved"),
        (keys::NODE_HOST_CIDRS, "[\"172.18.9.9/16\",\"fc00::99/64\"]"),
        (keys::NODE_PRIMARY_ADDRESS, "{\"ipv4\":\"172.18.0.2/16\",\"ipv6\":\"\"}"),
        (keys::NODE_GATEWAY, "nonsense"),
        (keys::NODE_ZONE, "n1"),
        (keys::NODE_SUBNETS, "{\"deep\":[\"10.77.2.0/24\",\"fd77:0:0:2::/64\"]}"),
        (keys::NODE_SUBNETS, "{\"deep\":[\"10.77.9.0/24\"],\"default\":[\"10.128.2.0/23\"]}"),
        (keys::NODE_SUBNETS, "{\"deep\":[\"10.99.9.0/24\"],\"default\":\"nonsense\"}"),
        (keys::NODE_SUBNETS, "nonsense"),
    ]);
    let lacks = prop_oneof![2 => Just(None), 1 => lacks.prop_map(Some)];
    let says = prop_oneof![2 => Just(None), 1 => says.prop_map(Some)];
    (1..5_u8, lacks, says).prop_map(|(number, lacks, says)| {
        let mut draft = node(number).with_subnets(&subnets(number));
        if let Some(key) = lacks {
            draft = draft.without(key);
        }
        if let Some((key, text)) = says {
            draft = draft.annotated(key, text);
        }
        draft
    })
}

/// What a node has in the default network and in `deep`.
fn subnets(number: u8) -> Value {
    json!({
        "default": [format!("10.128.{}.0/23", 2 * number), format!("fd01:0:0:{number}::/64")],
        "deep": [format!("10.77.{number}.0/24"), format!("fd77:0:0:{number}::/64")],
    })
}

/// A node that says that it is in a zone with others.
fn sharing_node() -> impl Strategy<Value = Draft> {
    let numbers = prop::sample::select(vec![1, 1, 2, 3]);
    numbers.prop_map(|number| node(number).annotated(keys::NODE_ZONE, "global"))
}

fn some_nad() -> impl Strategy<Value = Draft> {
    let name = prop::sample::select(vec!["main", "more"]);
    let subnets = prop::sample::select(vec![DUAL, "10.10.0.0/16", "fd10::/64"]);
    (place(), name, 0..NETWORKS.len(), mostly(), subnets, any::<bool>()).prop_map(
        |(namespace, name, network, is_granted, subnets, is_other)| {
            let id = u16::try_from(network).expect("there are few") + 1;
            let config = config(NETWORKS[network], subnets, is_other);
            nad(&format!("{namespace}/{name}"), is_granted.then_some(id), config)
        },
    )
}

fn config(network: &str, subnets: &str, is_other: bool) -> Value {
    match network {
        "wire" => localnet(network, if is_other { 7 } else { 8 }),
        "flat" => secondary(network, subnets),
        "deep" => layer3(network, if is_other { "primary" } else { "secondary" }, DEEP),
        "x-y" | "x.y" if is_other => secondary(network, subnets),
        primary_network => primary(primary_network, subnets),
    }
}

/// A NAD that is another plugin's, or that cannot be read.
fn odd_nad() -> impl Strategy<Value = Draft> {
    let texts = prop::sample::select(vec![
        r#"{"type":"bridge"}"#,
        r#"{"type":"ovn-k8s-cni-overlay","name":"red","topology":"hypercube"}"#,
        r#"{"type":"ovn-k8s-cni-overlay","name":"ovn-kubernetes"}"#,
        "{",
    ]);
    let name = prop::sample::select(vec!["main", "more"]);
    (place(), name, texts, any::<bool>()).prop_map(|(namespace, name, text, has_id)| {
        let annotations = if has_id { json!({keys::NETWORK_ID: "four"}) } else { json!({}) };
        let rest = json!({"metadata": {"annotations": annotations}, "spec": {"config": text}});
        Draft::new(Kind::Nad, &format!("{namespace}/{name}"), rest)
    })
}

/// A pod that most often has addresses where it asks for some. Where nodes give them, two have the
/// same ones now and then.
fn some_pod() -> impl Strategy<Value = Draft> {
    let chosen = prop::sample::select(vec![
        "",
        "",
        "c/more",
        "c/more,c/main",
        "b/more",
        "d/none",
        "c/deep",
        "c/more,c/deep",
    ]);
    let nodes = prop::sample::select(vec!["n1", "n1", "n2", "n3", "n9", ""]);
    let ended = prop::bool::weighted(0.1);
    let of_node = (prop::bool::weighted(0.5), prop::bool::weighted(0.5), 0..4_u8);
    let granted = (mostly(), mostly(), of_node);
    (0..NAMESPACES.len(), 0..4_usize, nodes, chosen, granted, ended).prop_map(
        |(place, number, node, chosen, granted, has_ended)| {
            let (is_granted, is_granted_more, (is_on_default, is_on_deep, chance)) = granted;
            let namespace = NAMESPACES[place];
            let mut draft = pod(&format!("{namespace}/p{number}"), node, chosen);
            let first = u8::try_from(10 + 16 * (4 * place + number)).expect("there are few");
            // Neither in the order of names, nor each at a time of its own.
            draft = draft
                .created(&format!("2026-01-0{}T00:00:00Z", 1 + (5 * u16::from(first) / 16) % 7));
            let of_node = if chance < 2 { 200 + chance } else { first };
            if is_granted {
                draft = draft.addressed(&format!("{namespace}/main"), "primary", first);
            }
            for (index, nad) in (1..).zip(chosen.split(',')).filter(|(_, it)| !it.is_empty()) {
                if nad == "c/deep" {
                    if is_on_deep {
                        draft =
                            draft.carrying(nad, "secondary", &of_own_node("77", "fd77", of_node));
                    }
                } else if is_granted_more {
                    draft = draft.addressed(nad, "secondary", first + index);
                }
            }
            if is_on_default {
                let role = if namespace == "c" { "primary" } else { "infrastructure-locked" };
                draft = draft.carrying("default", role, &of_own_node("128", "fd01", of_node));
            }
            if has_ended {
                draft.object["status"]["phase"] = "Succeeded".into();
            }
            draft
        },
    )
}

/// Addresses that the own node did not give itself: it begins below, and pods are few.
fn of_own_node(v4: &str, v6: &str, number: u8) -> [String; 2] {
    let (third, host) = if v4 == "128" { (3, number) } else { (1, 40 + number) };
    [
        format!("10.{v4}.{third}.{host}/24"),
        format!("{v6}:0:0:1::{:x}/64", 0x100 + u16::from(number)),
    ]
}

fn some_service() -> impl Strategy<Value = Draft> {
    let names = prop::sample::select(vec!["kube-system/kube-dns", "default/kubernetes", "a/mine"]);
    let addresses = prop::sample::select(vec![
        vec!["172.30.0.10"],
        vec!["172.30.0.10", "fd02::a"],
        vec!["None"],
    ]);
    (names, addresses).prop_map(|(name, addresses)| service(name, &addresses))
}

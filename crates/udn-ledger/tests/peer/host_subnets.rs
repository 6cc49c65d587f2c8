//! Subnets of nodes in the order in which OVN-Kubernetes gives them, from the shared cases.
//!
//! That something is refused is compared, not the words; where a case shows a defect of the peer,
//! what we do instead stands here.

use serde_json::{Value, json};
use udn_ledger::{NodeSubnets, Usage};
use udn_model::{ClusterSubnet, Family, NetworkName, NodeName, PerFamily, Subnet};

use super::shared::cases;

/// What each result is with us, by the number of the operation: the peer lets a node keep a subnet
/// of another length, 10.77.1.0/25, and gives 10.77.1.0/24 to another node all the same.
fn mended(id: &str, operation: usize) -> Option<Value> {
    match (id, operation) {
        ("observed-host-subnets-existing-marked", 4) => Some(json!({"error": ""})),
        ("observed-host-subnets-existing-marked", 9) => Some(usage(Usage { used: 3, total: 256 })),
        _ => None,
    }
}

fn usage(v4: Usage) -> Value {
    let result = json!({"v4_count": v4.total, "v4_used": v4.used, "v6_count": 0, "v6_used": 0});
    json!({ "result": result })
}

fn range(text: &str) -> ClusterSubnet {
    let (subnet, length) = text.rsplit_once('/').expect("a range has a host prefix");
    let subnet = Subnet::parse(subnet).expect("well formed");
    ClusterSubnet { subnet, host_prefix_len: length.parse().expect("a number") }
}

fn one(text: &str) -> PerFamily<Subnet> {
    let (mut all, subnet) = (PerFamily::default(), Subnet::parse(text).expect("well formed"));
    all.put(subnet.family(), subnet);
    all
}

/// A network's subnets, as a case works on them.
struct Network {
    ranges: Vec<ClusterSubnet>,
    subnets: NodeSubnets,
}

impl Network {
    fn has(&self, node: &NodeName, subnet: &str) -> bool {
        let subnet = one(subnet);
        let held = self.subnets.held().get(node);
        held.is_some_and(|held| subnet.iter().all(|it| held.of(it.family()) == Some(it)))
    }

    fn take(&mut self, operation: &[&str]) -> Value {
        let refused = json!({"error": ""});
        match operation {
            ["allocate", node] => {
                let told = self.subnets.settle(&NodeName::new(node), &PerFamily::default());
                let granted: Vec<String> = told.value.iter().map(ToString::to_string).collect();
                if told.findings.is_empty() { json!({ "result": granted }) } else { refused }
            }
            ["mark", node, subnet] => {
                let node = NodeName::new(node);
                self.subnets.adopt(&node, &one(subnet));
                if self.has(&node, subnet) { json!({}) } else { refused }
            }
            ["release", node, subnet] => {
                let node = NodeName::new(node);
                let had = self.has(&node, subnet);
                self.subnets.release(&node);
                if had { json!({}) } else { refused }
            }
            ["release-all", node] => {
                self.subnets.release(&NodeName::new(node));
                json!({})
            }
            ["append-range", text] => {
                self.ranges.push(range(text));
                self.subnets.follow(&self.ranges);
                json!({})
            }
            ["usage"] => {
                let [v4, v6] = Family::BOTH.map(|family| self.subnets.usage(family));
                let result = json!({"v4_count": v4.total, "v4_used": v4.used,
                    "v6_count": v6.total, "v6_used": v6.used});
                json!({ "result": result })
            }
            other => panic!("operation {other:?} is not known"),
        }
    }
}

/// What a case says of one operation, without the words of an error.
fn without_words(mut told: Value) -> Value {
    if told.get("error").is_some() {
        told = json!({"error": ""});
    }
    told
}

#[test]
fn subnets_of_nodes_are_the_same() {
    let mut count = 0;
    for (id, case) in cases("host-subnets", "observed-host-subnets") {
        let texts = |value: &Value| -> Vec<String> {
            let all = value.as_array().expect("a list").iter();
            all.map(|it| it.as_str().expect("a text").to_owned()).collect()
        };
        let ranges: Vec<ClusterSubnet> =
            texts(&case["input"]["ranges"]).iter().map(|it| range(it)).collect();
        let subnets = NodeSubnets::new(&NetworkName::new("isolatednet"), &ranges);
        let mut network = Network { ranges, subnets };
        let operations = case["input"]["operations"].as_array().expect("a list");
        let results = case["expected"]["results"].as_array().expect("a list");
        assert_eq!(operations.len(), results.len(), "{id}");
        for (number, (operation, result)) in operations.iter().zip(results).enumerate() {
            let words = texts(operation);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let want = mended(&id, number).unwrap_or_else(|| without_words(result.clone()));
            assert_eq!(network.take(&words), want, "{id}, operation {number}: {words:?}");
        }
        count += 1;
    }
    assert!(count == 0 || count == 8, "{count} cases of 8");
}

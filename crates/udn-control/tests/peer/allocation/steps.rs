//! Step by step: who allocates, claims, reserves and releases what.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use udn_model::ObjectName;
use udn_wire::keys;

use super::cases::{Case, texts};
use super::controller::{Controller, HOME, settings};

const KEY: &str = "namespace/net";

/// The steps of one case so far.
struct Steps {
    controller: Controller,
    /// Who allocated which addresses, by their texts.
    holders: BTreeMap<String, ObjectName>,
    /// The claims of the whole case that have addresses, by the texts of these.
    claims: BTreeMap<String, Value>,
    count: usize,
}

pub(crate) fn difference(case: &Case) -> Result<(), String> {
    let steps = case.at("/steps").as_array().cloned().unwrap_or_default();
    let mut all = Steps {
        controller: Controller::new(settings(true)),
        holders: BTreeMap::new(),
        claims: claims(&steps),
        count: 0,
    };
    if case.id.starts_with("mac-") {
        all.controller.put_network("net", &json!({"name": "net", "topology": "layer2"}));
    }
    for (place, step) in steps.iter().enumerate() {
        all.take(step).map_err(|why| format!("step {place}: {why}"))?;
    }
    Ok(())
}

/// The claims with addresses on the network in question.
fn claims(steps: &[Value]) -> BTreeMap<String, Value> {
    let listed =
        steps.iter().flat_map(|step| step["claims"].as_array().cloned().unwrap_or_default());
    let single = steps.iter().flat_map(|step| [&step["claim"], &step["old"]].map(Clone::clone));
    let all = listed.chain(single).filter(|it| it["spec"]["network"] == "justanetwork");
    let with = all.filter(|it| !texts(&it["status"]["ips"]).is_empty());
    with.map(|it| (texts(&it["status"]["ips"]).join(","), it)).collect()
}

impl Steps {
    fn take(&mut self, step: &Value) -> Result<(), String> {
        let fails = step["error"].is_string();
        match step["op"].as_str().unwrap() {
            "add_or_update_subnet" => self.put_network(step),
            "allocate_next_ips" => return self.allocate(&[], &texts(&step["result"]), fails),
            "allocate_ip_per_subnet" => {
                let addresses = texts(&step["ips"]);
                return self.allocate(&addresses, &addresses, fails);
            }
            "release_ips" => {
                let holder = self.holders.remove(&texts(&step["ips"]).join(","));
                self.controller.remove_pod(&holder.ok_or("nobody holds these")?);
            }
            "release_claim_ips" => self.controller.remove_claim(&claim_name(&step["claim"])),
            "sync_ipamclaims" => return self.sync(step),
            "reconcile_ipamclaim" => return self.reconcile(step),
            "find_ipamclaim" => return self.find(step),
            "reserve_mac" => return self.reserve(step),
            "release_mac" => self.release(step),
            other => return Err(format!("unknown step {other}")),
        }
        Ok(())
    }

    /// A network that gives out its addresses from the first on. Only a primary network has ranges
    /// for requests; its own addresses are out of the way of these cases.
    fn put_network(&mut self, step: &Value) {
        let list = |key: &str| texts(&step[key]).join(",");
        let mut config = json!({"name": "justanetwork", "topology": "layer2",
            "subnets": list("subnets"), "excludeSubnets": list("exclude_subnets"),
            "allowPersistentIPs": true});
        if !step["reserved_subnets"].is_null() {
            config["role"] = "primary".into();
            config["reservedSubnets"] = list("reserved_subnets").into();
            config["defaultGatewayIPs"] = "10.1.1.201".into();
        }
        self.controller.put_network("net", &config);
        self.controller.open();
    }

    /// A new pod, with or without a request; it uses the claim that has these addresses.
    fn allocate(&mut self, ips: &[String], want: &[String], fails: bool) -> Result<(), String> {
        self.count += 1;
        let name = format!("pod-{:03}", self.count);
        let mut element = json!({"name": "net"});
        if !ips.is_empty() {
            element["ips"] = json!(ips);
        }
        let text = json!([element]).to_string();
        let reserved = json!({"name": "default", "namespace": "ovn-kubernetes", "ips": ips});
        let annotations = match self.is_primary() {
            true => json!({keys::DEFAULT_SELECTION: reserved.to_string()}),
            false => json!({keys::SELECTION: text}),
        };
        self.controller.put_pod(&name, &annotations);
        let name = ObjectName::new(HOME, &name);
        let outcome = self.controller.reconcile_pod(&name, KEY);
        if fails {
            self.controller.remove_pod(&name);
            let is_refused = outcome.entry.is_none() && !outcome.findings.is_empty();
            return if is_refused { Ok(()) } else { Err("worked, but should fail".to_owned()) };
        }
        let entry = outcome.entry.ok_or_else(|| format!("{:?}", outcome.findings))?;
        let got: Vec<String> = entry.addresses.iter().map(ToString::to_string).collect();
        if got != want {
            return Err(format!("{got:?} instead of {want:?}"));
        }
        self.holders.insert(got.join(","), name);
        Ok(())
    }

    fn is_primary(&self) -> bool {
        let intent = self.controller.read().1.value;
        intent.networks.values().any(|network| network.is_primary())
    }

    /// The claims are there; the pod that has a claim's addresses is its user.
    fn sync(&mut self, step: &Value) -> Result<(), String> {
        for (place, claim) in step["claims"].as_array().into_iter().flatten().enumerate() {
            // One case has two claims of one name, which no server holds.
            let mut claim = claim.clone();
            claim["metadata"]["name"] = format!("claim{}", place + 1).into();
            self.put_claim(&claim);
            self.reconcile_claim(&claim)?;
        }
        Ok(())
    }

    fn put_claim(&mut self, claim: &Value) {
        let addresses = texts(&claim["status"]["ips"]).join(",");
        let is_known = self.claims.contains_key(&addresses);
        if let Some(holder) = self.holders.get(&addresses).filter(|_| is_known) {
            let element = json!({"name": "net", "namespace": HOME,
                "ipam-claim-reference": claim["metadata"]["name"], "ips": claim["status"]["ips"]});
            let name = holder.name.to_string();
            let mut annotations = json!({keys::SELECTION: json!([element]).to_string()});
            let entry = self.controller.entry(holder, KEY).unwrap().encode();
            annotations[keys::POD_NETWORKS] = format!("{{\"{KEY}\":{entry}}}").into();
            self.controller.put_pod(&name, &annotations);
        }
        let mut claim = claim.clone();
        claim["metadata"]["namespace"] = HOME.into();
        claim["apiVersion"] = "k8s.cni.cncf.io/v1alpha1".into();
        claim["kind"] = "IPAMClaim".into();
        self.controller.put(claim);
    }

    /// A claim keeps exactly what its status says, or has nothing yet.
    fn reconcile_claim(&mut self, claim: &Value) -> Result<(), String> {
        let told = self.controller.reconcile_claim(&claim_name(claim));
        let got = told.value.map(|grant| grant.addresses).unwrap_or_default();
        let got: Vec<String> = got.iter().map(ToString::to_string).collect();
        let want = match claim["spec"]["network"] == "justanetwork" {
            true => texts(&claim["status"]["ips"]),
            false => Vec::new(),
        };
        if got == want {
            Ok(())
        } else {
            Err(format!("{got:?} instead of {want:?}, {:?}", told.findings))
        }
    }

    /// What stands in a claim stays; a claim that nobody uses gets nothing.
    fn reconcile(&mut self, step: &Value) -> Result<(), String> {
        let (old, new) = (&step["old"], &step["new"]);
        if new.is_null() {
            if !old.is_null() {
                self.controller.remove_claim(&claim_name(old));
            }
            return Ok(());
        }
        let standing = if old.is_null() { new } else { old };
        self.put_claim(standing);
        let told = self.controller.reconcile_claim(&claim_name(standing));
        let got = told.value.map(|grant| grant.addresses).unwrap_or_default();
        let stands = texts(&standing["status"]["ips"]);
        let is_kept = got.iter().all(|it| stands.contains(&it.to_string()));
        if is_kept { Ok(()) } else { Err(format!("{got:?} instead of {stands:?}")) }
    }

    /// Whether a pod that names the claim uses it.
    fn find(&mut self, step: &Value) -> Result<(), String> {
        let has_ipam = step["network_requires_ipam"] == true && step["topology"] != "layer3";
        let topology = if step["topology"] == "localnet" { "localnet" } else { "layer2" };
        let subnets = if has_ipam { "192.10.10.0/24" } else { "" };
        self.controller.put_network(
            "net",
            &json!({"name": "justanetwork", "topology": topology,
            "subnets": subnets, "allowPersistentIPs": has_ipam}),
        );
        self.put_claim(&json!({"metadata": {"name": "claim1"},
            "spec": {"network": "justanetwork", "interface": ""}, "status": {"ips": ["192.10.10.10/24"]}}));
        let element = json!({"name": "net", "ipam-claim-reference": step["claim"]});
        self.controller.put_pod("pod", &json!({keys::SELECTION: json!([element]).to_string()}));
        let intent = self.controller.read().1.value;
        let attachment = intent.attachments.values().flat_map(|it| it.values()).next();
        let claim = attachment.and_then(|it| it.claim.as_ref()).map(|it| it.name.to_string());
        let want = step["result"]["metadata"]["name"].as_str().map(ToOwned::to_owned);
        if claim == want { Ok(()) } else { Err(format!("{claim:?} instead of {want:?}")) }
    }

    /// A pod that asks for a MAC; to ask again changes nothing.
    fn reserve(&mut self, step: &Value) -> Result<(), String> {
        let fails = step["error"] == "MAC address already in use";
        let mac = readable(step["mac"].as_str().unwrap());
        let owner = pod_name(step);
        let element = json!({"name": "net", "mac": mac});
        self.controller
            .put_pod(&owner.name, &json!({keys::SELECTION: json!([element]).to_string()}));
        let outcome = self.controller.reconcile_pod(&owner, KEY);
        let got = outcome.entry.map(|entry| entry.mac.to_string());
        if fails {
            self.controller.remove_pod(&owner);
        }
        match (fails, got) {
            (true, None) => Ok(()),
            (false, Some(got)) if got == mac => Ok(()),
            (_, got) => Err(format!("{got:?}, {:?}", outcome.findings)),
        }
    }

    /// The pod goes; what it does not hold stays where it is.
    fn release(&mut self, step: &Value) {
        self.controller.remove_pod(&pod_name(step));
    }
}

/// The owner as a pod of the namespace.
fn pod_name(step: &Value) -> ObjectName {
    ObjectName::new(HOME, &step["owner"].as_str().unwrap().replace('/', "-"))
}

fn claim_name(claim: &Value) -> ObjectName {
    ObjectName::new(HOME, claim["metadata"]["name"].as_str().unwrap())
}

/// A MAC; some cases spell the letters of one as bytes.
fn readable(mac: &str) -> String {
    let bytes: Vec<u8> = mac.split(':').map(|it| u8::from_str_radix(it, 16).unwrap()).collect();
    if bytes.len() == 6 {
        return mac.to_owned();
    }
    String::from_utf8(bytes).unwrap()
}

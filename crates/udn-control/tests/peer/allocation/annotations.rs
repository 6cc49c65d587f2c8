//! One pod, one network, and what the pod's entry says then.

use serde_json::{Value, json};
use udn_model::{InterfaceAddress, MacAddress, ObjectName, Subnet};
use udn_wire::keys;

use super::cases::{Case, texts};
use super::controller::{Controller, HOME, annotation, settings};

const KEY: &str = "namespace/network";

pub(crate) fn difference(case: &Case) -> Result<(), String> {
    let is_on = case.is("/input/feature_flags/preconfigured_udn_addresses");
    let mut controller = Controller::new(settings(is_on));
    let config = network(case);
    let is_main = config["role"] == "primary";
    controller.put_network("network", &config);
    precede(case, &mut controller, is_main);
    let (key, text) = annotation(case.at("/input/network_selection_element"), is_main);
    let mut annotations = json!({key: text});
    if let Some(carried) = carried(case.at("/input/existing_pod_annotation")) {
        annotations[keys::POD_NETWORKS] = carried.into();
    }
    controller.put_pod("pod", &annotations);
    let mut claim = case.at("/input/ipam_claim").clone();
    if !claim.is_null() {
        // Those tests do not look at the network of a claim.
        claim["spec"]["network"] = "network".into();
        claim["apiVersion"] = "k8s.cni.cncf.io/v1alpha1".into();
        claim["kind"] = "IPAMClaim".into();
        controller.put(claim);
    }
    let outcome = controller.reconcile_pod(&ObjectName::new(HOME, "pod"), KEY);
    let told = outcome.findings.first().map(ToString::to_string);
    match (case.text("/expected/result"), told) {
        ("error", Some(_)) => Ok(()),
        ("error", None) => Err("worked, but the case says error".to_owned()),
        (_, Some(told)) => Err(format!("failed ({told})")),
        (_, None) => {
            let entry = outcome.entry.ok_or("there is no entry")?;
            let got: Value = serde_json::from_str(&entry.encode()).unwrap();
            compare(case, &got)
        }
    }
}

/// The network of the case. Its subnets are those of the addresses that the stub hands out; the
/// default network is a network with addresses and without keys, as a localnet is.
fn network(case: &Case) -> Value {
    let given = case.at("/input/network");
    let mut subnets = texts(&given["subnets"]);
    let mut addresses = case.texts("/expected/pod_annotation/ips");
    // Where the stub fails, it knows the addresses that it fails at.
    if !case.text("/input/ip_allocator_behaviour/allocate_error").is_empty() && addresses.is_empty()
    {
        addresses = case.texts("/input/network_selection_element/ips");
    }
    if !subnets.is_empty() && !addresses.is_empty() {
        subnets = addresses.iter().map(|text| Subnet::parse(text).unwrap().to_string()).collect();
    }
    if given["role"] == "default" {
        return json!({"name": "network", "topology": "localnet", "subnets": "192.168.0.0/24"});
    }
    let mut config = json!({"name": "network", "topology": given["topology"],
        "subnets": subnets.join(","), "allowPersistentIPs": given["allow_persistent_ips"]});
    if given["role"] == "primary" {
        config["role"] = "primary".into();
    }
    config
}

/// Who was there before: holders of what the stubs say is taken.
fn precede(case: &Case, controller: &mut Controller, is_main: bool) {
    let asks = |ips: &[String]| {
        let element = json!({"name": "network", "ips": ips});
        let (key, text) = annotation(&element, is_main);
        json!({key: text})
    };
    let carries = |addresses: &[String]| {
        let mac = MacAddress::from_ip(addresses[0].parse::<InterfaceAddress>().unwrap().addr());
        carried(&json!({"ips": addresses, "mac": mac.to_string()})).unwrap()
    };
    let mut earlier = |name: &str, addresses: &[String]| {
        let mut annotations = asks(&[]);
        annotations[keys::POD_NETWORKS] = carries(addresses).into();
        controller.put_pod(name, &annotations);
    };
    let own_claim = case.is("/input/network/allow_persistent_ips")
        && !case.texts("/input/ipam_claim/status/ips").is_empty();
    let existing = case.texts("/input/existing_pod_annotation/ips");
    let error = case.text("/input/ip_allocator_behaviour/allocate_error");
    let requested = case.texts("/input/network_selection_element/ips");
    let number = case.at("/input/existing_pod_annotation/tunnel_id");
    if case.text("/expected/result") == "error" && !number.is_null() {
        // The stub has no number, because somebody else has it.
        let entry = json!({"mac": "0a:58:00:00:00:01", "tunnel_id": number});
        let mut annotations = asks(&[]);
        annotations[keys::POD_NETWORKS] = carried(&entry).unwrap().into();
        controller.put_pod("a-holder", &annotations);
    } else if case.text("/expected/result") == "error" && !error.is_empty() {
        // The pool that fails has given the address away.
        let taken = if existing.is_empty() { requested } else { existing };
        earlier("a-holder", &taken);
    } else if !is_main && !own_claim {
        // The stub begins with the third address.
        let given = case.texts("/expected/pod_annotation/ips");
        if given.first().is_some_and(|first| first == "192.168.0.3/24") && requested.is_empty() {
            earlier("a-first", &["192.168.0.1/24".to_owned()]);
            earlier("a-second", &["192.168.0.2/24".to_owned()]);
        }
    }
}

/// The annotation of a pod that has an entry already.
fn carried(given: &Value) -> Option<String> {
    let fields = given.as_object()?;
    let mut entry = json!({"ip_addresses": fields.get("ips"), "mac_address": fields["mac"]});
    if let Some(id) = fields.get("tunnel_id") {
        entry["tunnel_id"] = id.clone();
    }
    Some(json!({KEY: entry}).to_string())
}

/// The entry in the words of the cases.
fn compare(case: &Case, got: &Value) -> Result<(), String> {
    if case.at("/expected/pod_annotation").is_null() {
        let is_bare = got["ip_addresses"].is_null() && got["mac_address"].is_string();
        return if is_bare { Ok(()) } else { Err(format!("{got} is more than a MAC")) };
    }
    let want = case.at("/expected/pod_annotation");
    let routes = got["routes"].as_array().into_iter().flatten();
    let routes: Vec<Value> =
        routes.map(|it| json!({"dest": it["dest"], "next_hop": it["nextHop"]})).collect();
    let same = |key: &str, got: &Value| {
        let want = &want[key];
        let is_same = got == want || (want.is_null() && *got == json!([]));
        if is_same { Ok(()) } else { Err(format!("{key}: {got} instead of {want}")) }
    };
    same("ips", &got["ip_addresses"])?;
    same("mac", &got["mac_address"])?;
    same("gateways", &got["gateway_ips"])?;
    same("routes", &Value::from(routes))?;
    // Those tests leave the role open.
    if !want["role"].is_null() {
        same("role", &got["role"])?;
    }
    // The stub gives number 100 to whoever asks.
    let number = case.at("/input/existing_pod_annotation/tunnel_id");
    if !number.is_null() && got["tunnel_id"] != *number {
        return Err(format!("tunnel_id: {} instead of {number}", got["tunnel_id"]));
    }
    if want["tunnel_id"].is_null() != got["tunnel_id"].is_null() {
        return Err(format!("tunnel_id: {} instead of {}", got["tunnel_id"], want["tunnel_id"]));
    }
    // Their node has the old topology; ours has the transit router, whose MAC is the gateway's.
    let gateway = case.texts("/expected/pod_annotation/gateways");
    let router = gateway.first().map(|ip| MacAddress::from_ip(ip.parse().unwrap()).link_local());
    let is_v6 = gateway.iter().any(|ip| ip.contains(':'));
    let router = router.filter(|_| is_v6).map(|ip| Value::from(ip.to_string()));
    let told = got["ipv6_lla_gateway_ip"].clone();
    if told == router.clone().unwrap_or_default() {
        return Ok(());
    }
    Err(format!("gateway_ipv6_lla: {told} instead of {router:?}"))
}

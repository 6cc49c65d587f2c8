//! Numbers that nobody asks for: gateways, management and masquerade addresses, port keys.

use serde_json::{Value, json};
use udn_model::derived::network_masquerade;
use udn_model::{NetworkId, NetworkName, ObjectName, PerFamily, PlatformAddresses, Subnet};
use udn_wire::keys;

use super::cases::Case;
use super::controller::{Controller, HOME, settings};

/// The gateway and management addresses of a network, or of a node on one where each node has its own.
pub(crate) fn platform(case: &Case) -> Result<(), String> {
    let own = match case.text("/input/network_config/topology") {
        // The default network says nothing of its topology.
        "layer3" | "" => {
            let subnet = Subnet::parse(case.text("/input/subnet")).unwrap();
            let mut subnets = PerFamily::default();
            subnets.put(subnet.family(), subnet);
            PlatformAddresses::on_node(&subnets).remove(0)
        }
        _ => of_network(case)?,
    };
    for (key, got) in [
        ("gateway_ip", own.gateway_on_interface()),
        ("management_ip", own.management_on_interface()),
    ] {
        let want = case.at(&format!("/expected/{key}"));
        if !want.is_null() && *want != got.to_string() {
            return Err(format!("{key}: {got} instead of {want}"));
        }
    }
    Ok(())
}

fn of_network(case: &Case) -> Result<PlatformAddresses, String> {
    let mut controller = Controller::new(settings(true));
    let mut config = case.at("/input/network_config").clone();
    config["name"] = "net".into();
    controller.put_network("net", &config);
    let told = controller.read().1;
    let network = told.value.networks.get(&NetworkName::new("net"));
    let own = network.and_then(|it| it.platform_addresses().into_iter().next());
    own.ok_or_else(|| format!("no such network: {:?}", told.findings))
}

pub(crate) fn masquerade(case: &Case) -> Result<(), String> {
    let subnet = Subnet::parse(case.text("/input/masquerade_subnet")).unwrap();
    let id = case.at("/input/network_id").as_u64().and_then(|id| u16::try_from(id).ok());
    let own = id.and_then(NetworkId::new).and_then(|id| network_masquerade(subnet, id));
    let got = own.map(|it| {
        let text = |ip| subnet.on_interface(ip).to_string();
        json!({"gateway_router": text(it.gateway_router), "management_port": text(it.management)})
    });
    let got = got.unwrap_or_else(|| json!({}));
    for key in ["gateway_router", "management_port"] {
        let want = case.at(&format!("/expected/{key}"));
        if got[key] != *want {
            return Err(format!("{key}: {} instead of {want}", got[key]));
        }
    }
    Ok(())
}

/// The first key that a pod gets where others have some.
pub(crate) fn tunnel_ids(case: &Case) -> Result<(), String> {
    let mut controller = Controller::new(settings(true));
    controller.put_network(
        "net",
        &json!({"name": "net", "topology": "layer2", "role": "primary",
        "subnets": "10.0.0.0/16"}),
    );
    let key = format!("{HOME}/net");
    let held = case.at("/input/ids_already_held_by_pods").as_object().cloned().unwrap_or_default();
    for (place, (name, id)) in held.iter().enumerate() {
        let host = place + 10;
        let entry = json!({&key: {"ip_addresses": [format!("10.0.0.{host}/16")],
            "mac_address": format!("0a:58:0a:00:00:{host:02x}"), "tunnel_id": id}});
        controller.put_pod(name, &json!({keys::POD_NETWORKS: entry.to_string()}));
    }
    controller.put_pod("new", &Value::Object(serde_json::Map::new()));
    let outcome = controller.reconcile_pod(&ObjectName::new(HOME, "new"), &key);
    let got = outcome.entry.and_then(|entry| entry.tunnel_id).map(|it| u64::from(it.get()));
    let least = case.at("/expected/next_allocated_id_at_least").as_u64();
    if got >= least && got.is_some() { Ok(()) } else { Err(format!("{got:?} below {least:?}")) }
}

//! How results look in JSON, in each version.
//!
//! Reads and writes JSON values. Invariant: a list or text that is empty is not written, and `null`
//! is read as one that is not there, as Go does both.

use std::net::IpAddr;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{Cidr, CniResult, Dns, Interface, InterfaceAddress, Route};
use crate::quote::quote;
use crate::version::Version;

#[derive(Serialize, Deserialize)]
struct WireResult {
    #[serde(rename = "cniVersion", skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(default, deserialize_with = "or_null", skip_serializing_if = "Vec::is_empty")]
    interfaces: Vec<WireInterface>,
    #[serde(default, deserialize_with = "or_null", skip_serializing_if = "Vec::is_empty")]
    ips: Vec<WireAddress>,
    #[serde(default, deserialize_with = "or_null", skip_serializing_if = "Vec::is_empty")]
    routes: Vec<WireRoute>,
    #[serde(default, deserialize_with = "or_null", skip_serializing_if = "WireDns::is_empty")]
    dns: WireDns,
}

#[derive(Serialize, Deserialize)]
struct WireInterface {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mac: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mtu: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<String>,
    #[serde(rename = "socketPath", skip_serializing_if = "Option::is_none")]
    socket_path: Option<String>,
    #[serde(rename = "pciID", skip_serializing_if = "Option::is_none")]
    pci_id: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct WireAddress {
    /// The family; before 1.0.0 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interface: Option<usize>,
    address: Cidr,
    #[serde(default, deserialize_with = "address_or_empty")]
    #[serde(skip_serializing_if = "Option::is_none")]
    gateway: Option<IpAddr>,
}

#[derive(Serialize, Deserialize)]
struct WireRoute {
    dst: Cidr,
    #[serde(default, deserialize_with = "address_or_empty")]
    #[serde(skip_serializing_if = "Option::is_none")]
    gw: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mtu: Option<u32>,
}

#[derive(Default, Serialize, Deserialize)]
struct WireDns {
    #[serde(default, deserialize_with = "or_null", skip_serializing_if = "Vec::is_empty")]
    nameservers: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    #[serde(default, deserialize_with = "or_null", skip_serializing_if = "Vec::is_empty")]
    search: Vec<String>,
    #[serde(default, deserialize_with = "or_null", skip_serializing_if = "Vec::is_empty")]
    options: Vec<String>,
}

impl WireDns {
    fn is_empty(&self) -> bool {
        self.nameservers.is_empty()
            && self.domain.is_none()
            && self.search.is_empty()
            && self.options.is_empty()
    }
}

pub(super) fn read(value: &Value) -> Result<CniResult, String> {
    if !value.is_object() {
        // A list of the values alone would be taken for one.
        return Err("it is no JSON object".to_owned());
    }
    let wire = WireResult::deserialize(value).map_err(|error| error.to_string())?;
    Ok(CniResult {
        interfaces: wire.interfaces.into_iter().map(read_interface).collect(),
        addresses: wire.ips.into_iter().map(read_address).collect(),
        routes: wire.routes.into_iter().map(read_route).collect(),
        dns: read_dns(wire.dns),
    })
}

/// Writes a result in this version; without one, all that is known.
pub(super) fn write(result: &CniResult, version: Option<Version>) -> Value {
    let shape = Shape::of(version);
    let wire = WireResult {
        version: version.map(|version| version.to_string()),
        interfaces: result.interfaces.iter().map(|it| shape.interface(it)).collect(),
        ips: result.addresses.iter().map(|it| shape.address(it)).collect(),
        routes: result.routes.iter().map(|it| shape.route(it)).collect(),
        dns: write_dns(&result.dns),
    };
    serde_json::to_value(wire).expect("texts, numbers and lists are JSON")
}

/// What a version has words for.
struct Shape {
    tells_family: bool,
    tells_link_details: bool,
}

impl Shape {
    fn of(version: Option<Version>) -> Self {
        let version = version.unwrap_or(Version::NEWEST);
        Self {
            tells_family: version < Version::V1_0_0,
            tells_link_details: version >= Version::V1_1_0,
        }
    }

    fn interface(&self, interface: &Interface) -> WireInterface {
        let detail = |text: &Option<String>| text.clone().filter(|_| self.tells_link_details);
        WireInterface {
            name: interface.name.clone(),
            mac: interface.mac.clone(),
            mtu: interface.mtu.filter(|_| self.tells_link_details),
            sandbox: interface.sandbox.clone(),
            socket_path: detail(&interface.socket_path),
            pci_id: detail(&interface.pci_id),
        }
    }

    fn address(&self, address: &InterfaceAddress) -> WireAddress {
        let family = if address.address.address().is_ipv4() { "4" } else { "6" };
        WireAddress {
            version: self.tells_family.then(|| family.to_owned()),
            interface: address.interface,
            address: address.address,
            gateway: address.gateway,
        }
    }

    fn route(&self, route: &Route) -> WireRoute {
        let mtu = route.mtu.filter(|_| self.tells_link_details);
        WireRoute { dst: route.destination, gw: route.gateway, mtu }
    }
}

fn write_dns(dns: &Dns) -> WireDns {
    WireDns {
        nameservers: dns.nameservers.clone(),
        domain: dns.domain.clone(),
        search: dns.search.clone(),
        options: dns.options.clone(),
    }
}

fn read_interface(wire: WireInterface) -> Interface {
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    Interface {
        name: wire.name,
        mac: filled(wire.mac),
        mtu: wire.mtu.filter(|mtu| *mtu > 0),
        sandbox: filled(wire.sandbox),
        socket_path: filled(wire.socket_path),
        pci_id: filled(wire.pci_id),
    }
}

fn read_address(wire: WireAddress) -> InterfaceAddress {
    InterfaceAddress { interface: wire.interface, address: wire.address, gateway: wire.gateway }
}

fn read_route(wire: WireRoute) -> Route {
    let mtu = wire.mtu.filter(|mtu| *mtu > 0);
    Route { destination: wire.dst, gateway: wire.gw, mtu }
}

fn read_dns(wire: WireDns) -> Dns {
    Dns {
        nameservers: wire.nameservers,
        domain: wire.domain.filter(|domain| !domain.is_empty()),
        search: wire.search,
        options: wire.options,
    }
}

fn or_null<'a, D: Deserializer<'a>, T: Deserialize<'a> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Go writes an address that is not set as an empty text.
fn address_or_empty<'a, D: Deserializer<'a>>(from: D) -> Result<Option<IpAddr>, D::Error> {
    let text = Option::<String>::deserialize(from)?.filter(|text| !text.is_empty());
    let parse = |text: String| {
        let refuse = |_| serde::de::Error::custom(format!("{} is no address", quote(&text)));
        text.parse().map_err(refuse)
    };
    text.map(parse).transpose()
}
